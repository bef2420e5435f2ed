"""One HTTP request to a server on this machine, by the standard library alone.

So an adapter depends on no HTTP client for our sake, and a worker starts without loading one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, IncompleteRead
from urllib.parse import quote, urlsplit

__all__ = ["Response", "TooLarge", "send"]

_ALLOWED = "!$&'()*+,/:;=?@~"
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")


class TooLarge(ValueError):
    """An answer is larger than is read."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered."""

    status: int
    body: bytes


def send(
    method: str,
    url: str,
    *,
    seconds: float,
    headers: Mapping[str, str],
    body: bytes | None = None,
    most_bytes: int | None = None,
) -> Response:
    """Send a request once, on a connection of its own.

    No proxy of the environment is used, no redirect followed, no cookie kept, and nothing sent
    again.

    Args:
        method: Such as GET.
        url: An `http` address; what its query may not hold is percent-encoded.
        seconds: How long the server may say nothing.
        headers: What is sent beside the headers of HTTP itself.
        body: What is sent.
        most_bytes: The largest answer that is read; None for any.

    Returns:
        The answer, whatever its status.

    Raises:
        TimeoutError: The server said nothing for so long.
        OSError: It could not be reached, or broke off.
        TooLarge: Its answer is larger.
        ValueError: The address has no host, or a port that cannot be.
    """
    parts = urlsplit(url)
    target = _encoded(parts.path or "/") + (f"?{_encoded(parts.query)}" if parts.query else "")
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=seconds)
    try:
        connection.request(method, target, body, {**headers, "Connection": "close"})
        with connection.getresponse() as answer:
            raw = answer.read() if most_bytes is None else answer.read(most_bytes + 1)
            if most_bytes is not None and len(raw) > most_bytes:
                raise TooLarge(f"the server's answer is larger than {most_bytes} bytes")
            if answer.length:
                raise IncompleteRead(raw, answer.length)
        return Response(answer.status, raw)
    except HTTPException as error:
        raise ConnectionError(f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()


def _encoded(text: str) -> str:
    """Percent-encode what an address may not hold; what is encoded already stays."""
    kept = _ALLOWED if _STRAY_PERCENT.search(text) else f"{_ALLOWED}%"
    return quote(text, safe=kept, errors="surrogatepass")
