"""Verdicts on episodes in the office, and the proof of its tasks."""

import pytest

from ossia_dataset.tasks import Request
from ossia_dataset.workbench.generated import generated_database
from ossia_dataset.workbench.generator import TASK_SETS, generate_tasks
from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.grade import Verdict
from ossia_evaluation.workbench.categories import Category, categorise
from ossia_evaluation.workbench.proof import OfficeProver
from ossia_evaluation.workbench.scorer import OfficeScorer, task_verdict
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.workbench import office_domains
from tests.thinned import thinned

DOMAINS = office_domains(generated_database)
TURNS = 16


@pytest.fixture(scope="module")
def scorer() -> OfficeScorer:
    return OfficeScorer(DOMAINS)


def task_of(template: str, requests: int | None = None) -> WorldTask:
    return next(
        task
        for name in TASK_SETS
        for task in generate_tasks(name)
        if task.gold.intent == template
        and (requests is None or len(task.gold.gold_requests()) == requests)
    )


def trace(
    scorer: OfficeScorer, task: WorldTask, requests: tuple[Request, ...], answer: str
) -> Trace:
    run = scorer.runner.run(task, requests)
    return Trace(
        episode=EpisodeKey(id="e", task=task.id, framework="-", model="-", repeat=1),
        ending=Ending(kind="answered"),
        answer=answer,
        gateway=GatewayRecord(episode="e"),
        requests=run.requests,
        diff=run.diff,
        timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
    )


@pytest.mark.slow
@pytest.mark.parametrize("task_set", TASK_SETS)
def test_every_template_is_proven(task_set):
    prover = OfficeProver(DOMAINS)
    # Three or four of each template; `ossia dataset check` proves the others.
    for task in thinned(generate_tasks(task_set), 3):
        proof = prover.prove(task)
        assert (proof.problems, proof.surviving) == ((), ())


def test_half_the_work_is_a_side_effect(scorer):
    task = task_of("mu-cancel-write")
    first, second = task.gold.gold_requests()
    for half in ((first,), (second,)):
        made = trace(scorer, task, half, "Done.")
        score = scorer.score(task, made)
        told = task_verdict(task, made, score, TURNS)
        assert score.verdict is Verdict.FAILURE
        assert (told.correct, told.side_effects) == (False, True)


def test_the_same_twice_is_a_side_effect(scorer):
    task = task_of("em-send")
    (request,) = task.gold.gold_requests()
    made = trace(scorer, task, (request, request), "Done.")
    score = scorer.score(task, made)
    assert (score.verdict, score.side_effects) == (Verdict.FAILURE, True)
    assert task_verdict(task, made, score, TURNS).side_effects is True


def test_order_and_case_play_no_part(scorer):
    task = task_of("mu-cancel-write")
    first, second = task.gold.gold_requests()
    loud = second.model_copy(
        update={"params": {**second.params, "subject": second.params["subject"].upper()}}
    )
    made = trace(scorer, task, (loud, first), "Done.")
    assert scorer.score(task, made).verdict is Verdict.SUCCESS
    assert task_verdict(task, made, scorer.score(task, made), TURNS).side_effects is False


def test_what_is_made_and_taken_back_is_no_side_effect(scorer):
    task = task_of("ca-cancel-after", 0)
    event = {
        "intent": "create_event",
        "event_name": "a",
        "participant_email": "b@halden.test",
        "event_start": "2023-12-01 10:00:00",
        "duration": "30",
    }
    made = Request(domain="calendar", params=event)
    undone = Request(domain="calendar", params={"intent": "delete_event", "event_id": "00000300"})
    assert scorer.score(task, trace(scorer, task, (made, undone), "No.")).verdict == "success"
    assert scorer.score(task, trace(scorer, task, (made,), "No.")).verdict == "failure"


def test_silence_is_a_failure_but_no_side_effect(scorer):
    task = task_of("ca-cancel-next")
    made = trace(scorer, task, task.gold.gold_requests(), " ")
    score = scorer.score(task, made)
    assert score.verdict is Verdict.FAILURE
    assert score.reason == "the user was told nothing"
    told = task_verdict(task, made, score, TURNS)
    # The publication looks at the tables alone.
    assert (told.correct, told.succeeded, told.side_effects) == (True, False, False)
    assert told.category is None
    right = trace(scorer, task, task.gold.gold_requests(), "Done.")
    assert task_verdict(task, right, scorer.score(task, right), TURNS).succeeded is True


def test_silence_after_a_question_is_not_correct_either(scorer):
    task = task_of("rt-carer")
    made = trace(scorer, task, task.gold.gold_requests(), "")
    told = task_verdict(task, made, scorer.score(task, made), TURNS)
    assert (told.correct, told.succeeded, told.side_effects) == (False, False, False)


def test_what_was_cut_short_is_not_correct(scorer):
    task = task_of("ca-cancel-next")
    made = trace(scorer, task, task.gold.gold_requests(), "")
    cut = made.model_copy(update={"ending": Ending(kind="timeout")})
    told = task_verdict(task, cut, scorer.score(task, cut), TURNS)
    assert (told.correct, told.category, told.side_effects) == (False, Category.LIMIT, False)


def test_an_answer_that_hedges_names_what_it_tells_besides(scorer):
    task = task_of("rt-carer")
    (fact,) = task.gold.facts
    other = "Hugo" if fact != "Hugo" else "Edda"
    made = trace(scorer, task, task.gold.gold_requests(), f"It is {fact} or {other}.")
    score = scorer.score(task, made)
    assert (score.verdict, score.facts) == ("failure", 0.0)
    assert score.reason == f"told beside {fact}: {other}"


@pytest.mark.parametrize("template", ["rt-next-meeting", "rt-visits", "rt-carer", "rt-status"])
def test_a_question_needs_its_facts(scorer, template):
    task = task_of(template)
    right = f"That is {' and '.join(task.gold.facts)}."
    for answer, verdict in ((right, "success"), ("I do not know.", "failure")):
        made = trace(scorer, task, task.gold.gold_requests(), answer)
        assert scorer.score(task, made).verdict == verdict
    assert task.gold.kind is GoldKind.ANSWER


@pytest.mark.parametrize(
    ("predicted", "truth", "error", "category"),
    [
        ([], ["a.b.func()"], "", Category.NO_ACTIONS),
        ([], ["a.b.func()"], "stopped", Category.LIMIT),
        ([], [], "maximum context length is 4097 tokens", Category.CONTEXT),
        (['a.b.func(x="k@example.com")'], [], "", Category.WRONG_EMAIL),
        (['a.b.func(x="k@example.com", y="k@atlas.com")'], [], "", Category.OTHER),
        (['a.b.func(x="2023-11-30")'], ['a.b.func(x="2023-11-29")'], "", Category.END_DATE),
        (['a.b.func(x="09:00:00")'], ['a.b.func(x="13:00:00")'], "", Category.MEETING_START),
        (['a.b.func(x="10:00:00")'], ['a.b.func(x="13:00:00")'], "", Category.OTHER),
        (['a.b.func(x="1")'], [], "", Category.OTHER),
    ],
)
def test_categories(predicted, truth, error, category):
    assert categorise(predicted, truth, error) is category


def test_a_proof_tries_answers_that_keep_a_fact_back():
    task = task_of("rt-next-meeting")
    proof = OfficeProver(DOMAINS).prove(task)
    assert (proof.problems, proof.surviving) == ((), ())
    # A letter besides; each fact kept back, and beside a rival; and all options.
    assert proof.mutants == 1 + 2 * len(task.gold.facts) + 1 == 6
    # A fact that is part of another one need not be told by itself, so such a task is no good.
    first = task.gold.facts[0]
    doubled = task.gold.model_copy(update={"facts": (first, first)})
    found = OfficeProver(DOMAINS).prove(task.model_copy(update={"gold": doubled}))
    assert found.surviving == (f"the answer does not tell {first!r}",) * 2
