"""The offline planner: it reads the task and the list of actions, and writes a plan of any text."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.gateway import ModelCall
from ossia_servers.wire.names import user_says
from ossia_servers.worfbench import OfflinePlanner
from ossia_servers.worfbench.plan import plan_of
from ossia_workflows.graph import findings
from ossia_workflows.worfbench import TeamKind

TEA = "Task: How do I make tea?\nThe actions you can take, in these words:\n"


def steps(task):
    return [node.task for node in plan_of(task).nodes]


def test_actions_that_hang_together_with_the_request_are_steps_in_an_order():
    listed = ["Pour the boiled water over the tea.", "Boil water in a pot.", "Sell a car."]
    assert steps(TEA + "\n".join(f"- {one}" for one in listed)) == [listed[1], listed[0]]
    published = "Task: How to Boil Tea\nThe action list you can take: "
    assert steps(f"{published}{listed}") == [listed[1], listed[0]]


@pytest.mark.parametrize(
    ("task", "found"),
    [
        (
            "Task: How many cows in May?\nThe tables that you can use: cows(id, month)\nThe actions"
            " you can take, each with its words in brackets:\n- Filter[words] - rows\n"
            "- Count[words] - how many",
            ["Filter[cows in May]", "Count[these cows]"],
        ),
        (
            "Task: What is the capital of the country that won?\nThe actions you can take, each"
            " with its words in brackets:\n- Lookup[words] - a fact\n- Compare[words] - which",
            ["Lookup[won]", "Lookup[country]", "Lookup[capital]"],
        ),
        (
            'Task: Play "Salt" and then set an alarm at 7\nIt is Friday, 10:00.\n'
            "The actions you can take:\n- alarm.set(time: when) - sets an alarm\n"
            "- music.play(song: which) - plays a song",
            ['music.play(song="Salt")', 'alarm.set(time="7")'],
        ),
        ("Wash it, then dry it", ["Wash it", "dry it"]),
        ("", ["Do what is asked."]),
    ],
)
def test_a_request_is_cut_into_steps(task, found):
    assert steps(task) == found


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=300), listed=st.lists(st.text(max_size=40), max_size=12))
def test_any_text_gets_a_plan_that_can_be_carried_out(text, listed):
    actions = "\n".join(f"- {one}" for one in listed)
    assert findings(plan_of(f"Task: {text}\nThe actions you can take:\n{actions}")) == ()


def test_the_plan_rests_on_the_prompt_alone_and_long_ones_are_cut():
    planner = OfflinePlanner(TeamKind.PLANNER)

    def said(episode, text):
        asked = {"model": "ossia-planner", "messages": [{"role": "user", "content": text}]}
        call = ModelCall(role="planner", request=asked, episode=episode)
        return asyncio.run(planner.complete(call)).message["content"]

    task = user_says(f"{TEA}- Boil the tea.")
    assert said("one", task) == said("another", task)
    assert said("one", task) == "Node:\n1: Boil the tea.\nEdge: (START,1) (1,END)"
    assert said("one", user_says("and then go " * 50_000)).count("\n") <= 42
