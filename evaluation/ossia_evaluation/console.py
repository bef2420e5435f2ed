"""A console for what models and servers wrote: no text of theirs can steer the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from ossia_evaluation.visible import is_visible, visible
from ossia_evaluation.whole_words import has_longer_word, whole_lines

__all__ = ["SafeConsole"]

_SPACES_AT_END: Final = re.compile(r" +(?=\n)")


class SafeConsole(Console):
    """A console that writes out control and bidirectional characters of all that it prints.

    Outside of tables it cuts no word, such as an address: the terminal goes on with it.
    """

    def print(self, *objects: Any, **given: Any) -> None:
        """Print, without an end of what is longer than the line."""
        super().print(*objects, **{"crop": False, **given})

    def render_str(self, text: str, **given: Any) -> Text:
        """Return a text of its markup; columns are measured by it too."""
        return super().render_str(visible(text), **given)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of what is printed; texts are mended before they are laid out."""
        return _without_trailing_spaces(self._mended(renderable, options))

    def _mended(
        self, renderable: RenderableType, options: ConsoleOptions | None
    ) -> Iterable[Segment]:
        if isinstance(renderable, Text):
            renderable = _visible_text(renderable)
            given = options or self.options
            # The columns of a table say what becomes of a long word of theirs.
            if given.overflow is None and has_longer_word(renderable, given.max_width):
                renderable = Text("\n").join(whole_lines(renderable, given.max_width))
                options = given.update(no_wrap=True, overflow="ignore")
        for segment in super().render(renderable, options):
            text, style, control = segment
            # What a renderable made by itself; the console's own controls pass.
            yield segment if control or is_visible(text) else Segment(visible(text), style)


def _without_trailing_spaces(segments: Iterable[Segment]) -> Iterable[Segment]:
    """Leave out the spaces with which rich fills up a line, as a table's."""
    held: list[Segment] = []
    for segment in segments:
        text, style, control = segment
        # A paragraph is one segment, with its lines in it.
        text = text if control else _SPACES_AT_END.sub("", text)
        if not control and text.startswith("\n"):
            held = []
        kept = text if control else text.rstrip(" ")
        if kept:
            yield from held
            held = []
            yield Segment(kept, style, control)
        if len(kept) < len(text):
            held.append(Segment(text[len(kept) :], style))
    yield from held


def _visible_text(text: Text) -> Text:
    if is_visible(text.plain):
        return text
    bounds = [bound for i, c in enumerate(text.plain) if not is_visible(c) for bound in (i, i + 1)]
    made = text.blank_copy()
    for piece in text.divide(bounds):
        if not is_visible(piece.plain):
            # A span of one character grows with what is written for it.
            styles = [span.style for span in piece.spans]
            piece = Text(visible(piece.plain), style=styles[-1] if styles else "")
        made.append_text(piece)
    return made
