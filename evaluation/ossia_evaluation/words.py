"""Small things of a sentence: a noun behind a number, and a text that is too long."""


def plural(noun: str, count: int) -> str:
    """Return a noun as it stands behind a number."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as `2 tasks`."""
    return f"{count} {plural(noun, count)}"


def shortened(text: str, most: int) -> str:
    """Return a text on one line, cut to so many characters where it is longer."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 4]} ..."
