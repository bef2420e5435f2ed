"""The end of a stream of bytes, in bounded memory."""

__all__ = ["Tail"]


class Tail:
    """Keeps the last bytes of whatever is fed to it."""

    def __init__(self, limit: int) -> None:
        """Start empty.

        Args:
            limit: How many bytes to keep.
        """
        self._limit = limit
        self._kept = bytearray()
        self._cut = False

    def feed(self, data: bytes) -> None:
        """Take further bytes; the oldest beyond the limit are forgotten."""
        self._kept += data
        excess = len(self._kept) - self._limit
        if excess > 0:
            del self._kept[:excess]
            self._cut = True

    @property
    def text(self) -> str:
        """What is kept, as text; it begins with a mark when something was forgotten."""
        kept = self._kept.decode("utf-8", "replace")
        return f"[...]{kept}" if self._cut else kept
