"""The finding in words: right, and readable, for whatever a comparison holds."""

import pytest

from ossia_evaluation.compare import Title, compare

from .test_compare import row


def told(rows, *, planned=None, models=("m",), **more):
    result = compare(
        rows,
        run="by-hand",
        frameworks=dict.fromkeys(("control", "camel", "langgraph"), ""),
        roles=(),
        planned=len(rows) if planned is None else planned,
        facts={},
        models=models,
        **more,
    )
    return result.finding


def team(name, wins, of, *, verdict="failure", **more):
    """A framework that succeeds on the first tasks."""
    return [
        row(name, f"alarm-{n:03}", "success" if n < wins else verdict, **more) for n in range(of)
    ]


CHEAP = {"prompt_tokens": 90, "cpu_s": 0.01, "wall_s": 1.0}


def test_no_task_differs_and_costs_do():
    rows = [
        *team("control", 300, 363, **CHEAP),
        *team("camel", 300, 363, **{**CHEAP, "prompt_tokens": 370, "tokens_estimated": True}),
        *team("langgraph", 300, 363, **{**CHEAP, "cpu_s": 0.067}),
    ]
    assert told(rows) == (
        "No framework differs in success on 363 tasks"
        " (largest difference 0.00, 95 % [-0.01, 0.01])."
        " camel needs 3.8 x the tokens (estimated) of control;"
        " langgraph needs 6.7 x the CPU time of control.",
    )


def test_what_is_equal_by_construction_is_no_success():
    rows = [*team("control", 300, 363), *team("camel", 300, 363)]
    (sentence,) = told(rows, alike=["m"])
    assert sentence.startswith(
        "Answers lost: none. The model gives every framework the same answers, so success on 363"
        " tasks is equal by construction (0.83)."
    )
    lost = [*team("control", 300, 363), *team("camel", 200, 363)]
    assert told(lost, alike=["m"])[0].startswith("Success differs significantly on 363 tasks")
    assert told(team("control", 300, 363), alike=["m"])[0].startswith("control succeeds in 300 of")


def test_costs_are_compared_within_an_idiom_alone():
    dear = {**CHEAP, "prompt_tokens": 390}
    rows = [
        *team("control", 20, 20, **CHEAP),
        *team("control:tools", 20, 20, **{**CHEAP, "prompt_tokens": 190}),
        *team("camel", 20, 20, **dear),
        *team("langgraph", 20, 20, **dear),
        *team("mine", 20, 20, **dear),
    ]
    idioms = {"control": "router", "control:tools": "tools", "camel": "planner"}
    titles = {name: Title(text=name, idiom=idiom) for name, idiom in idioms.items()}
    titles |= {"langgraph": Title(text="LangGraph subagents", idiom="tools")}
    (sentence,) = told(rows, titles=titles)
    assert sentence.endswith(
        " In the idiom tools, LangGraph subagents needs 2.0 x the tokens of control:tools."
        " mine needs 4.0 x the tokens of control."
    ), "the planner stands alone, and who tells no idiom is held against the reference by name"


def test_costs_that_are_alike_are_told_as_such():
    rows = [*team("control", 20, 20, **CHEAP), *team("camel", 20, 20, **CHEAP)]
    assert told(rows)[0].endswith(
        " The tokens and CPU time of control and camel differ by less than a fifth."
    )
    idioms = {name: Title(text=name, idiom="router") for name in ("control", "camel")}
    idioms["mine"] = Title(text="mine", idiom="tools")
    told_by_idiom = told([*rows, *team("mine", 20, 20, **CHEAP)], titles=idioms)[0]
    assert told_by_idiom.endswith(
        " In the idiom router, the tokens and CPU time of control and camel differ by less than a"
        " fifth."
    )


def test_the_better_side_comes_first_where_frameworks_differ():
    rows = [*team("control", 20, 40), *team("camel", 39, 40), *team("langgraph", 20, 40)]
    (sentence,) = told(rows)
    assert sentence.startswith(
        "Success differs significantly in 2 of 3 pairs on 40 tasks: camel over control by 0.47,"
    )
    assert "; camel over langgraph by 0.47, 95 % [0.29, 0.62], adjusted p < 0.001." in sentence


def test_a_difference_that_may_be_chance_is_not_called_one():
    rows = [*team("control", 2, 12), *team("camel", 4, 12)]
    (sentence,) = told(rows)
    assert sentence.startswith(
        "No difference in success is significant on 12 tasks (largest: camel over control by 0.17,"
    )
    assert "adjusted p = 0.5)." in sentence


def test_differences_either_way_are_told():
    other = [row("camel", f"alarm-{n:03}", "success" if n >= 6 else "failure") for n in range(12)]
    (sentence,) = told([*team("control", 6, 12), *other])
    assert "the largest is 0.00," in sentence
    assert "although up to 12 episodes of a pair differ" in sentence


def test_one_framework_has_its_success():
    (sentence,) = told(team("control", 9, 12))
    assert sentence == "control succeeds in 9 of 12 episodes (0.75, 95 % [0.47, 0.91])."
    twice = [*team("control", 9, 12), *team("control", 9, 12, repeat=2)]
    assert told(twice)[0].startswith("control succeeds in 18 of 24 episodes on 12 tasks (0.75, 95")


def test_repeats_are_told_with_the_tasks():
    rows = [
        r for n in (1, 2, 3) for f in ("control", "camel") for r in team(f, n, 5, repeat=n, **CHEAP)
    ]
    assert told(rows)[0].startswith(
        "No framework differs in success on 5 tasks (3 repeats each) (largest difference 0.00,"
    )


def test_models_are_told_one_by_one_and_against_each_other():
    rows = [
        *(team("control", 2, 40, model="a")),
        *(team("camel", 2, 40, model="a")),
        *(team("control", 30, 40, model="b")),
        *(team("camel", 30, 40, model="b")),
    ]
    first, second, between = told(rows, models=("a", "b"))
    assert first.startswith("With m1 (a): No framework differs in success on 40 tasks")
    assert second.startswith("With m2 (b): No framework differs in success on 40 tasks")
    assert between.startswith("Between models: Success differs significantly in 2 of 2 pairs")
    assert "m2 over m1 in control by 0.70" in between


def test_models_in_one_framework_are_compared_in_costs_too():
    rows = [
        *team("camel", 12, 20, model="a", **CHEAP),
        *team("camel", 12, 20, model="b", **{**CHEAP, "prompt_tokens": 190}),
    ]
    found = told(rows, models=("a", "b"))
    assert found[0].startswith("With m1 (a): camel succeeds in 12 of 20 episodes")
    assert found[-2].startswith("Between models: No model differs in success on 20 tasks")
    assert found[-1] == "Between models: m2 needs 2.0 x the tokens of m1."


def test_costs_of_few_episodes_are_no_finding():
    dear = {**CHEAP, "cpu_s": 0.15}
    for valid, is_told in ((19, False), (20, True)):
        rows = [*team("control", 40, 40, **CHEAP), *team("camel", valid, valid, **dear)]
        assert ("camel needs 15.0 x the CPU time of control." in told(rows)[0]) is is_told
        invalid = team("camel", valid, 40, verdict="invalid", **dear)
        assert ("needs" in told([*team("control", 40, 40, **CHEAP), *invalid])[0]) is is_told
    few = [*team("camel", 4, 4, model="a", **CHEAP), *team("camel", 4, 4, model="b", **dear)]
    assert not any("needs" in sentence for sentence in told(few, models=("a", "b")))


def test_without_token_counts_no_tokens_are_compared():
    bare = {"prompt_tokens": 0, "completion_tokens": 0, "cpu_s": None}
    rows = [*team("control", 12, 20, **bare, wall_s=1.0), *team("camel", 12, 20, **bare)]
    assert "tokens" not in told(rows)[0]


def test_latency_which_hangs_on_the_load_is_no_finding():
    rows = [*team("control", 12, 20, wall_s=0.1), *team("camel", 12, 20, wall_s=9.0)]
    assert "latency" not in told(rows)[0]


def test_a_price_is_compared_where_both_are_known():
    rows = [
        *team("control", 12, 20, **CHEAP, price=0.1),
        *team("camel", 12, 20, **CHEAP, price=0.4),
    ]
    assert "camel needs 4.0 x the cost in USD of control." in told(rows)[0]


def test_control_is_the_reference_unless_it_is_the_dearest():
    dear = {**CHEAP, "prompt_tokens": 490}
    rows = [*team("control", 12, 20, **dear), *team("camel", 12, 20, **CHEAP)]
    assert "control needs 5.0 x the tokens of camel." in told(rows)[0]


def test_invalid_episodes_are_told_and_as_failures_where_uneven():
    rows = [*team("control", 6, 8), *team("camel", 6, 8, verdict="invalid")]
    assert told(rows)[-1] == (
        "2 of 16 episodes are invalid, not equally many of each; with these as failures,"
        " success is 0.75 for control (0 invalid), 0.75 for camel (2 invalid)."
    )
    rows = [*team("control", 6, 7, verdict="invalid"), *team("camel", 6, 7, verdict="invalid")]
    assert told(rows)[-1] == (
        "2 of 14 episodes are invalid, 1 in each line of the tables, and excluded from all rates."
    )


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "No episode is finished."),
        (team("control", 0, 2, verdict="invalid"), "No episode is valid, so nothing can be"),
    ],
)
def test_where_nothing_can_be_compared_that_is_said(rows, sentence):
    assert told(rows, planned=5)[0].startswith(sentence)


def test_frameworks_without_a_task_in_common_are_not_compared():
    rows = [row("control", "alarm-1", "success"), row("camel", "alarm-2", "success")]
    assert told(rows)[0].startswith("No two frameworks have a valid episode of the same task.")


def test_tasks_that_not_all_have_are_told_and_in_no_multiple_of_a_cost():
    dear = {**CHEAP, "prompt_tokens": 190}
    rows = [*team("control", 20, 25, **CHEAP), *team("camel", 20, 20, **dear)]
    # As where money ran out: the last tasks, and far dearer ones, are of one framework alone.
    rows += [row("control", f"late-{n}", "success", prompt_tokens=9_990) for n in range(2)]
    found = told(rows, planned=60)
    assert "control needs" not in found[0]
    assert "camel needs 2.0 x the tokens of control" in found[0]
    assert "on 20 tasks" in found[0]
    assert found[2] == (
        "7 tasks are not in every line of the tables (alarm-020, alarm-021, alarm-022, alarm-023,"
        " alarm-024 and 2 more): pairs are compared on the tasks that both have, costs on those"
        " that all have."
    )
    assert len(told(rows[:25])) == 1, "a framework alone lacks nothing"


def test_an_unfinished_run_is_said_to_be():
    assert "Only 4 of 9 episodes are finished." in told(team("control", 4, 4), planned=9)


def test_words_of_the_endpoint_steer_no_terminal():
    hostile = "HTTP 400: \x1b[31mred\n\u202e" + "long " * 90
    rows = team("control", 4, 6, refusal=hostile)
    (last,) = [s for s in told(rows) if "refused requests in 2 failed episodes" in s]
    assert last.isprintable()
    assert "of control (HTTP 400: [31mred long long" in last
    assert len(last) < 250
