"""Small things of a sentence: what stands behind a number, and a text that is too long."""


def plural(noun: str, count: int) -> str:
    """Return a noun as it stands behind a number."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as `2 tasks`."""
    return f"{count} {plural(noun, count)}"


def every(count: int) -> str:
    """Return a word for all of several things: `both`, or `all 3`."""
    return "both" if count == 2 else f"all {count}"


def shortened(text: str, most: int) -> str:
    """Return a text on one line, cut to so many characters where it is longer."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 4]} ..."


def count_of(count: int, of: int) -> str:
    """Return a count with its share of a total: `42 84%`."""
    return f"{count} {100 * count / of:.0f}%"
