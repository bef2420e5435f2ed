"""A tuned model of one's own behind the gateway, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Self

import orjson

from ossia_servers.gateway.models import Completion, ModelCall
from ossia_servers.gateway.upstream import UpstreamModel, UpstreamOptions
from ossia_servers.local import CARD_FILE, missing_extra, read_card

# The model answers one request after the other; more at once would wait in its queue, and the
# clock of their attempts would run.
_AT_ONCE = 2
_ATTEMPT_SECONDS = 600.0


class LocalModel:
    """Asks a model that another process serves on loopback, so that the gateway never waits for it.

    The process is started and has loaded the model when `open` returns, and ends with `aclose` or
    with this process.
    """

    def __init__(self, process: subprocess.Popen[bytes], url: str, name: str) -> None:
        """Take a process that serves; use `open` to start one.

        Args:
            process: The process; it ends when its standard input is closed.
            url: Where it can be asked, without `/v1`.
            name: The model's name in the records.
        """
        self.name = name
        self._process = process
        options = UpstreamOptions(timeout_s=_ATTEMPT_SECONDS, retries=1, concurrency=_AT_ONCE)
        self._model = UpstreamModel(
            name, model=name, base_url=f"{url}/v1", api_key=None, options=options
        )

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Start a process that serves a model, and wait until it can be asked.

        Args:
            folder: What `ossia model finetune` wrote, or a model that was saved whole.

        Raises:
            ValueError: If the libraries are missing, or the folder holds no model that can be
                loaded; one sentence says which.
        """
        if not (folder / "config.json").is_file() or (folder / CARD_FILE).is_file():
            read_card(folder)
        lacking = missing_extra()
        if lacking is not None:
            raise ValueError(lacking)
        process = subprocess.Popen(
            [sys.executable, "-m", "ossia_servers.local", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for the run, which then ends the model.
            start_new_session=True,
        )
        assert process.stdout is not None, "asked for as a pipe"
        line = process.stdout.readline()
        told = orjson.loads(line) if line.startswith(b"{") else {}
        if "url" not in told:
            process.wait()
            raise ValueError(told.get("error") or f"The model in {folder} could not be started.")
        return cls(process, told["url"], f"local:{folder.name}")

    async def complete(self, call: ModelCall) -> Completion:
        """Let the model answer.

        Args:
            call: The request.

        Returns:
            Its answer, with the tokens that it counted.

        Raises:
            ModelFailure: If it does not answer.
        """
        return await self._model.complete(call)

    async def aclose(self) -> None:
        """End the process."""
        await self._model.aclose()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
