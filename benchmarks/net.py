"""A net under changes of the code: what Ossia says of fixed runs is kept, and compared later.

`python -m benchmarks.net freeze FOLDER` plays fixed runs and keeps what is said of them.
`python -m benchmarks.net check FOLDER` plays them again, scores the kept runs anew, and names every
difference but versions, names of runs and timings. Without a live model both say the same.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ossia.adapters import ossia_home
from ossia_evaluation.compare import Comparison

__all__ = ["as_now", "differences", "main", "plain"]

RUNS: Final[Mapping[str, tuple[str, ...]]] = {
    "assistant": (),
    "compound": ("--suite", "assistant-compound"),
    "workbench": ("--suite", "workbench", "--model", "gold"),
    "noisy": ("--model", "offline:noise=0.05,seed=4", "--limit", "60"),
}
"""Options of `ossia compare` for each run."""

ATTRIBUTED: Final = "noisy"
SERVED: Final = ("assistant", "workbench")
"""The suites whose servers are described."""

_VARYING: Final = re.compile(
    r"run|version|versions|ossia|finding|made|scorer|isolation|worker_starts|.*latency.*|.*cpu.*"
    r"|.*seconds.*|.*_s|.*_mib|.*started.*|.*ended.*|.*digest.*"
)
"""Fields that differ between equal runs, or between versions."""

_SHOWN: Final = 20
"""Most differences that are printed of one document."""


@dataclass(frozen=True)
class _Net:
    """Where a net's documents and runs lie.

    Attributes:
        folder: the documents of one playing.
        home: the home of its runs; environments are those of the user's own home.
        data: the published WorkBench data, or None.
        limit: most tasks of each run, for a first look.
    """

    folder: Path
    home: Path
    data: Path | None
    limit: int | None

    def play(self) -> None:
        """Play every run and write what is said of it."""
        self.folder.mkdir(parents=True)
        _make_home(self.home)
        for name, options in RUNS.items():
            few = () if self.limit is None else ("--limit", str(self.limit))
            said = self._ossia("compare", *options, *few, "--json")
            self._keep(name, json.loads(said))
            self._keep(f"{name}-episodes", self._episodes(json.loads(said)["run"]))
            if name == ATTRIBUTED:
                found = self._ossia("attribute", json.loads(said)["run"], "--json")
                self._keep("attribution", json.loads(found))
        for suite in SERVED:
            self._keep(f"openapi-{suite}", self._openapi(suite))
        if self.data is not None:
            command = ("score", "workbench-log", str(self.data / "results"), "--json")
            verdicts = self._ossia(*command, "--oracle", str(self.data / "oracle"))
            self._keep("verdicts", json.loads(verdicts))

    def rescore(self) -> Iterator[str]:
        """Score the runs that lie in the home anew; yields each that has other verdicts."""
        for run in sorted((self.home / "runs").iterdir()):
            done = _run(self.home, ("rescore", run.name, "--json"))
            if ", 0 changed:" not in done.stderr:
                yield f"rescore {run.name}: {done.stderr.strip().splitlines()[-1]}"

    def _episodes(self, run: str) -> Any:
        target = self.folder / "report"
        self._ossia("report", run, "--out", str(target))
        text = (target / "episodes.csv").read_text("utf-8")
        shutil.rmtree(target)
        return list(csv.DictReader(StringIO(text)))

    def _openapi(self, suite: str) -> Any:
        command = (sys.executable, "-m", "ossia", "serve", "--suite", suite, "--port", "0")
        with subprocess.Popen(
            command,
            env=_environment(self.home),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as server:
            try:
                assert server.stdout is not None
                found = next(filter(None, map(_URL.search, server.stdout)), None)
                if found is None:
                    raise SystemExit(f"the servers of {suite} told no address")
                with urllib.request.urlopen(found[1], timeout=30) as answer:
                    return json.load(answer)
            finally:
                server.terminate()

    def _ossia(self, *command: str) -> str:
        done = _run(self.home, command)
        if done.returncode:
            raise SystemExit(f"ossia {' '.join(command)} failed:\n{done.stderr}")
        return done.stdout

    def _keep(self, name: str, document: Any) -> None:
        text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True)
        (self.folder / f"{name}.json").write_text(text + "\n", "utf-8")


_URL = re.compile(r"OpenAPI at (http://\S+/openapi\.json)")


def _run(home: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    print(f"ossia {' '.join(command)}", file=sys.stderr, flush=True)
    return subprocess.run(
        (sys.executable, "-m", "ossia", *command),
        env=_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "OSSIA_HOME": str(home)}


def _make_home(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "envs").exists():
        (home / "envs").symlink_to(ossia_home(os.environ).resolve() / "envs")


def plain(document: Any) -> Any:
    """Return a JSON document without the fields that differ between equal runs."""
    if isinstance(document, dict):
        return {k: plain(v) for k, v in document.items() if not _VARYING.fullmatch(k)}
    if isinstance(document, list):
        return [plain(item) for item in document]
    return document


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield where two JSON documents differ, each with its path and both values.

    Args:
        before: the kept document, as `plain` leaves it.
        after: the new one, likewise.
        path: where the two stand in the whole.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            if key in before and key in after:
                yield from differences(before[key], after[key], f"{path}/{key}")
            else:
                yield f"{path}/{key}: {'gone' if key in before else 'new'}"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (first, second) in enumerate(zip(before, after, strict=True)):
            yield from differences(first, second, f"{path}/{number}")
    elif before != after:
        yield f"{path}: {_short(before)} -> {_short(after)}"


def as_now(before: Any, after: Any) -> Any:
    """Return a kept document in the present form, where it was written in the form before.

    Args:
        before: the kept document.
        after: the new one; costs that the form before did not tell in pairs are taken from it.
    """
    if isinstance(before, dict) and "frameworks" in before and before.get("version") == 6:
        found = Comparison.model_validate(before).model_dump(mode="json")
        for pair, new in zip(found["pairs"], after["pairs"], strict=False):
            pair["costs"] = pair["costs"] or new["costs"]
        return found
    return before


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}..."


def _check(kept: Path, data: Path | None, limit: int | None) -> int:
    """Play the runs again and print the differences; returns how many documents differ."""
    now = kept / "now"
    shutil.rmtree(now, ignore_errors=True)
    old = now / "old"
    _make_home(old)
    shutil.copytree(kept / "home" / "runs", old / "runs")
    found = list(_Net(now / "said", old, None, None).rescore())
    print("\n".join(found) or "rescore: no verdict changed")
    _Net(now / "said", now / "home", data, limit).play()
    wrong = len(found)
    for file in sorted((kept / "said").glob("*.json")):
        new = now / "said" / file.name
        if not new.is_file():
            print(f"{file.stem}: not made (is --workbench-data missing?)")
            wrong += 1
            continue
        before, after = (json.loads(each.read_text("utf-8")) for each in (file, new))
        lines = list(differences(plain(as_now(before, after)), plain(after)))
        print(f"{file.stem}: {f'{len(lines)} differences' if lines else 'equal'}")
        for line in lines[:_SHOWN]:
            print(f"  {line}")
        wrong += bool(lines)
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Freeze a net, or check it.

    Args:
        arguments: the command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0 where nothing differs, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.net", description=__doc__)
    parser.add_argument("what", choices=("freeze", "check"))
    parser.add_argument("folder", type=Path)
    named = os.environ.get("OSSIA_WORKBENCH_DATA")
    parser.add_argument("--workbench-data", type=Path, default=Path(named) if named else None)
    parser.add_argument("--limit", type=int, help="most tasks of each run, for a first look")
    options = parser.parse_args(arguments)
    folder, data = options.folder.resolve(), options.workbench_data
    if options.what == "check":
        if not (folder / "said").is_dir():
            parser.error(f"{options.folder}: holds no net; freeze one first")
        return int(_check(folder, data, options.limit) > 0)
    if folder.exists():
        parser.error(f"{options.folder}: is there already")
    _Net(folder / "said", folder / "home", data, options.limit).play()
    return 0


if __name__ == "__main__":
    sys.exit(main())
