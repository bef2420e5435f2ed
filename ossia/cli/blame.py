"""`ossia blame`: one failed episode, with the search as it goes."""

from __future__ import annotations

from ossia.attribution.attributor import Tried
from ossia.attribution.one import attribute_one
from ossia.attribution.shown import episode_text
from ossia.cli import options
from ossia.cli.stopped import STOPPED, stop_with
from ossia.cli.told import make_console, say
from ossia.loop import run_in_order
from ossia_evaluation.whole_words import Indented


def blame_command(
    episode: options.Episode,
    run: options.RunOption = None,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """Find which step caused the failure of one episode, and show each replay of the search.

    The result is stored as by `ossia attribute`.
    """
    console = make_console(stderr=json)

    def tell(tried: Tried) -> None:
        outcome = "success" if tried.rerun.success else f"still fails: {tried.score.reason}"
        console.print(Indented(f"{tried.number:3}. {tried.repair}: {outcome}", hang=3))

    place = options.run_place(run, store)
    found = run_in_order(
        attribute_one(place, options.home(), episode, tell), stop_with(told=STOPPED)
    )
    if json:
        say(found.model_dump_json(indent=2))
    else:
        console.print(episode_text(found))
