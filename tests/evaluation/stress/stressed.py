"""Episodes with and without faults, as tests need them."""

from ossia_evaluation.grade import Verdict
from ossia_evaluation.rows import EpisodeRow
from ossia_evaluation.stress import FaultAbout, Outcome, Played, measure

FIGURES = {
    "repeat": 1,
    "reason": "",
    "roles": (),
    "ending": "answered",
    "calls": 4,
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "tokens_estimated": True,
    "price_usd": None,
    "wall_s": 1.0,
    "cpu_s": None,
    "model_s": 0.1,
    "reported_tokens": None,
}
RIGHT = '{"a": 1}'
EMPTY = FaultAbout(
    key="empty", kind="empty", group="omission", dose="once", place="", what="nothing comes"
)
ALWAYS = EMPTY.model_copy(update={"key": "empty:always", "dose": "always"})
LOST = FaultAbout(
    key="lost-answer",
    kind="lost-answer",
    group="acting twice",
    dose="once",
    place="",
    what="carried out, but the answer is lost",
)


def row(task, framework, fault="", verdict=Verdict.SUCCESS, *, model="m", injections=1, **more):
    name = f"{framework}.{task}.1{fault and '~'}{fault}" + ("" if model == "m" else f".{model}")
    return EpisodeRow(
        episode=name,
        task=task,
        framework=framework,
        model=model,
        fault=fault,
        injections=injections if fault else 0,
        verdict=verdict,
        **(FIGURES | more),
    )


def usual(task, framework, *, verdict=Verdict.SUCCESS, model="m"):
    return Played(row(task, framework, verdict=verdict, model=model), changes=(RIGHT,), acts=("x",))


def met(task, framework, fault, ended=Outcome.RECOVERED, *, model="m", acts=("x",), **more):
    verdict = Verdict.SUCCESS if ended is Outcome.RECOVERED else Verdict.FAILURE
    said = ended if ended in (Outcome.LOUD, Outcome.RUNAWAY) else Outcome.SILENT
    wrong = ("wrong",) if ended is Outcome.DAMAGE else ()
    found = row(task, framework, fault.key, verdict, model=model, **more)
    return Played(found, said=said, changes=(RIGHT, *wrong), acts=acts)


def stress(episodes, faults=(EMPTY,), frameworks=("a", "b"), models=("m",), reference="a"):
    return measure(
        episodes,
        faults,
        run="r",
        plan="quick",
        seed=0,
        labels={name: name.upper() for name in frameworks},
        models=models,
        reference=reference,
    )
