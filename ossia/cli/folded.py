"""Lines as a terminal shows them whole: broken between words, and never inside one."""

from __future__ import annotations

from textwrap import wrap


def folded(text: str, width: int, indent: str = "") -> str:
    """Return a text of which no line is longer than a terminal is wide, unless a word is.

    Args:
        text: lines, each of which keeps its indent.
        width: the terminal's.
        indent: what further lines are indented by besides.
    """
    return "".join(_folded(line, width, indent) for line in text.splitlines(keepends=True))


def _folded(line: str, width: int, indent: str) -> str:
    body = line.rstrip("\n")
    if len(body) <= width:
        return line
    before = body[: len(body) - len(body.lstrip())]
    parts = wrap(
        body.strip(),
        width,
        initial_indent=before,
        subsequent_indent=before + indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts) + line[len(body) :]
