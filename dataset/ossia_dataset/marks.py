"""The part of a text file that a program makes anew, between two marks."""


class MarksError(ValueError):
    """A text does not hold the marks."""


def replace_between_marks(text: str, made: str, *, begin: str, end: str) -> str:
    """Return a text with the lines between two marks replaced.

    Args:
        text: the text with both marks, each on a line of its own.
        made: what is to stand there.
        begin: the mark before it.
        end: the mark after it.

    Raises:
        MarksError: a mark is missing or there twice, or they are in the wrong order.
    """
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise MarksError(
            f"it must contain the markers '{begin}' and '{end}' once each, in this order"
        )
    head, rest = text.split(begin)
    return f"{head}{begin}\n{made}\n{end}{rest.split(end)[1]}"
