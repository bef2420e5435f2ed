"""The pipes between the runner and a worker: requests, responses, standard error."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

__all__ = ["MAX_MESSAGE_BYTES", "PipeEnds", "Pipes"]

MAX_MESSAGE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PipeEnds:
    """The file descriptors of the three pipes, named by who holds them."""

    their_read: int
    their_write: int
    their_stderr: int
    our_read: int
    our_write: int
    our_stderr: int

    @classmethod
    def make(cls) -> PipeEnds:
        """Open the pipes.

        Raises:
            OSError: No more files can be opened.
        """
        their_read, our_write = os.pipe()
        our_read, their_write = os.pipe()
        our_stderr, their_stderr = os.pipe()
        return cls(their_read, their_write, their_stderr, our_read, our_write, our_stderr)

    def close_theirs(self) -> None:
        """Close what the worker has inherited, so that its end is noticed here."""
        for descriptor in (self.their_read, self.their_write, self.their_stderr):
            os.close(descriptor)

    def close_ours(self) -> None:
        """Close the runner's ends, when no worker came to be."""
        for descriptor in (self.our_read, self.our_write, self.our_stderr):
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Pipes:
    """The runner's ends as streams.

    Attributes:
        reader: The worker's messages; a line longer than a message may be raises ``ValueError``.
        writer: The requests.
        stderr: The worker's standard error. It is a pipe of its own rather than the process's,
            since waiting for a process also waits for the pipes that belong to it.
    """

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    stderr: asyncio.StreamReader
    _transports: tuple[asyncio.BaseTransport, ...]

    @classmethod
    async def open(cls, ends: PipeEnds) -> Pipes:
        """Wrap the runner's ends; they belong to the streams from here on."""
        loop = asyncio.get_running_loop()
        reader, reader_transport = await _open_reader(ends.our_read)
        stderr, stderr_transport = await _open_reader(ends.our_stderr)
        # The protocol of a reader carries the flow control that a writer's drain needs.
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
            os.fdopen(ends.our_write, "wb", 0),
        )
        writer = asyncio.StreamWriter(transport, protocol, None, loop)
        return cls(reader, writer, stderr, (reader_transport, stderr_transport))

    def close(self) -> None:
        """Close all three; what was not yet written is dropped."""
        # A transport that the worker's end has closed already cannot be aborted again.
        if not self.writer.transport.is_closing():
            self.writer.transport.abort()
        for transport in self._transports:
            transport.close()


async def _open_reader(descriptor: int) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    reader = asyncio.StreamReader(limit=MAX_MESSAGE_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    return reader, transport
