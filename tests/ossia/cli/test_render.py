from rich.console import Console

from ossia.cli import render
from ossia_evaluation.compare import Comparison


def test_square_brackets_of_an_upstream_are_shown_as_they_are():
    why = "the model failed: bad key [key], see [/docs]"
    result = Comparison(
        run="r",
        facts={},
        planned=1,
        finished=1,
        frameworks=(),
        roles=(),
        domains=(),
        pairs=(),
        invalid={"control.x.1": why},
    )
    console = Console(width=160, force_terminal=False)
    with console.capture() as shown:
        console.print(render.comparison(result))
    assert why in shown.get()
