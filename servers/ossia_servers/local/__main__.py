"""A model of one's own in a process of its own: `python -m ossia_servers.local FOLDER`.

Says on its first line of standard output where it can be asked, or why not, as a JSON object. Ends
when its standard input ends, and so with whoever started it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from ossia_servers.local.extra import missing_extra


def main() -> int:
    """Load the model that the command line names and serve it; returns the exit code."""
    folder = Path(sys.argv[1])
    lacking = missing_extra()
    if lacking is not None:
        return _tell(error=lacking)
    # Libraries print as they like; the first line is ours.
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        from ossia_servers.local.generation import LocalGenerator

        generator = LocalGenerator.load(folder)
    except (OSError, ValueError, RuntimeError) as error:
        sys.stdout = out
        return _tell(error=f"The model in {folder} cannot be loaded: {_one_line(error)}")
    sys.stdout = out
    from ossia_servers.gateway import fault_body
    from ossia_servers.local.server import LocalServer
    from ossia_servers.serving import serve

    async def run() -> None:
        server = LocalServer(generator, folder.name)
        async with serve(server.app, told=fault_body) as url:
            _tell(url=url)
            await asyncio.to_thread(sys.stdin.read)

    asyncio.run(run())
    return 0


def _tell(**facts: str) -> int:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
    return 0 if "url" in facts else 2


def _one_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


if __name__ == "__main__":
    sys.exit(main())
