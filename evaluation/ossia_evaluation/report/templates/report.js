"use strict";
// Sorting, filtering and links. The page is complete without it. Words of models are only ever
// read and written as text.
(() => {
  const SMALLEST_FILTERED = 8;
  const NUMBER = /^~?([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)/i;
  const make = (name, values) => Object.assign(document.createElement(name), values);

  // Sorting: ascending, descending, and as it was.
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  // The cell of a row that stands in a column: one may span several.
  const cellIn = (row, column) => {
    let end = 0;
    return [...row.cells].find((cell) => column < (end += cell.colSpan));
  };
  const words = (row, column) => cellIn(row, column)?.textContent.trim() ?? "";
  const number = (text) => {
    const found = NUMBER.exec(text);
    return found ? Number(found[1].replaceAll(",", "")) : NaN;
  };
  const compare = (one, other) => {
    const [first, second] = [number(one), number(other)];
    if (!Number.isNaN(first) && !Number.isNaN(second) && first !== second) return first - second;
    return one.localeCompare(other, "en", { numeric: true });
  };
  const sortBy = (table, head, rows) => {
    const order = NEXT[head.getAttribute("aria-sort") ?? "none"];
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    let sorted = rows;
    if (order !== "none") {
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const column = head.cellIndex;
      // Totals stay in their order at the end, behind what has no value.
      const isTotal = (row) => row.classList.contains("total");
      const place = (row) => (isTotal(row) ? 2 : ["", "-"].includes(words(row, column)) ? 1 : 0);
      sorted = [...rows].sort((one, other) =>
        place(one) - place(other) ||
        (isTotal(one) ? 0 : sign * compare(words(one, column), words(other, column))));
    }
    table.tBodies[0].append(...sorted);
  };
  const makeSortable = (table) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 2) return;
    for (const head of table.tHead.rows[0].cells) {
      const title = head.title ? `${head.title}; sort` : "sort";
      const button = make("button", { type: "button", title });
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, head, rows));
      head.append(button);
    }
  };

  // Filtering: what holds all the words, in its text or in the names of its marks.
  const searched = (item) =>
    [item.textContent, ...[...item.querySelectorAll("[aria-label]")].map((e) => e.ariaLabel)]
      .join(" ").toLowerCase();
  const filters = new Map();
  const makeFilter = (before, items, what, name = what) => {
    if (items.length < SMALLEST_FILTERED) return;
    const [box, count] = [make("input", { type: "search" }), make("output")];
    box.setAttribute("aria-label", `Filter ${name}`);
    for (const item of items) filters.set(item, box);
    const label = make("label", { className: "filter" });
    label.append(`Filter ${what} `, box, count);
    const texts = new Map();
    box.addEventListener("input", () => {
      const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const item of items) {
        if (!texts.has(item)) texts.set(item, searched(item));
        item.hidden = !wanted.every((word) => texts.get(item).includes(word));
        shown += item.hidden ? 0 : 1;
      }
      count.textContent = wanted.length ? `${shown} of ${items.length}` : "";
    });
    before.before(label);
  };

  const endFilter = (item) => {
    const box = filters.get(item);
    box.value = "";
    box.dispatchEvent(new Event("input"));
  };

  // Links: a fragment opens what it names, and ends a filter that hides it.
  const reveal = () => {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return;
    }
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      if (at.hidden) endFilter(at);
    }
    target.scrollIntoView();
  };
  const makeCopy = (link) => {
    const button = make("button", { type: "button", className: "copy", textContent: "copy link" });
    button.setAttribute("aria-label", `copy link to ${link.textContent}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(link.href);
        button.textContent = "copied";
      } catch {
        location.hash = link.hash;
        button.textContent = "see the address bar";
      }
    });
    link.after(button);
  };

  // Printing: what is folded is unfolded, but for the steps of each framework and cells' episodes.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open], .variant, .heat *)")];
    for (const item of folded) item.open = true;
  });
  addEventListener("afterprint", () => {
    for (const item of folded) item.open = false;
  });

  for (const table of document.querySelectorAll("table.data")) {
    makeSortable(table);
    const name = `rows of ${table.parentElement.ariaLabel}`;
    makeFilter(table.parentElement, [...table.tBodies[0].rows], "rows", name);
  }
  const entries = document.getElementById("entries");
  makeFilter(entries, [...entries.children], "failures");
  document.querySelectorAll("a.link").forEach(makeCopy);
  addEventListener("hashchange", reveal);
  addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a[href^='#']")) setTimeout(reveal);
  });
  reveal();
})();
