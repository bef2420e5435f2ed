"""The table in `adapters/README.md` of what adapters do with a weak model."""

import re

from ...adapters.support.environments import ROOT


def rows(text):
    """The cells of a table's lines."""
    return [line.strip("| ").split(" | ") for line in text.splitlines()]


def written(name):
    """What the table says of an adapter: each case with its outcome."""
    text = (ROOT / "adapters" / "README.md").read_text("utf-8")
    table = re.search("<!-- weak:begin -->\n(.*?)\n<!-- weak:end -->", text, re.DOTALL)[1]
    head, _, *lines = rows(table)
    return [(line[0], line[head.index(name)]) for line in lines]
