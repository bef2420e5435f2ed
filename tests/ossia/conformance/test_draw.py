"""What a worker sees of a check is drawn: nothing tells it from a run, or from another check."""

import asyncio
import json
import re
from functools import cache

import pytest

from ossia.conformance.draw import Draw
from ossia.conformance.mask import Mask
from ossia.conformance.places import scenes_suite
from ossia.conformance.scenes import Scenes, scene_part, scene_team
from ossia.conformance.suites import drawn_tasks
from ossia.runner.opaque import OpaqueNames

from ...adapters.support.environments import installed

FORMS = {
    "id": re.compile(r"[\w-]{16}"),
    "world": re.compile(r"[\w-]{32}"),
    "api_key": re.compile(r"ossia-[\w-]{43}"),
}


def test_names_are_random_and_of_one_form_in_runs_and_checks():
    names = [OpaqueNames.new(), OpaqueNames.new(), Draw().names("a"), Draw("7").names("a")]
    for key, form in FORMS.items():
        told = [getattr(each, "episode" if key == "id" else key) for each in names]
        assert len(set(told)) == len(names)
        assert all(form.fullmatch(each) for each in told), told


def test_one_seed_draws_the_same_and_another_something_else():
    def drawn(seed):
        draw = Draw(seed)
        return draw.names("a"), draw.words("mask", 40), draw.sentences("said", ["time", "url"])

    assert drawn("7") == drawn("7")
    assert all(one != other for one, other in zip(drawn("7"), drawn("8"), strict=True))
    assert Draw().seed != Draw().seed
    assert Draw("7").names("a") != Draw("7").names("b")


@pytest.mark.parametrize("seed", [str(number) for number in range(20)])
def test_no_drawn_word_is_in_another_or_means_a_thing(seed):
    words = Draw(seed).words("mask", 60)
    assert not [(one, two) for one in words for two in words if one != two and one in two]
    assert all(word.isidentifier() and word.islower() and len(word) > 5 for word in words)


@cache
def control():
    return installed("control")


def scenes_of(seed):
    return Scenes(control(), None, draw=Draw(seed))


def test_another_check_has_other_teams_tasks_and_sentences():
    def seen(seed):
        scenes = scenes_of(seed)
        mask = scenes.mask
        tasks = [
            task.id
            for name in ("assistant", "workbench")
            for task in drawn_tasks(name, scenes.draw)
        ]
        return mask.utterance, mask.team.name, [role.name for role in mask.team.roles], tasks

    assert seen("7") == seen("7")
    assert all(one != other for one, other in zip(seen("7"), seen("8"), strict=True))
    happy = {scenes_of(str(seed)).task.id for seed in range(100)}
    assert happy == set(scenes_suite().scenes)


def test_a_mask_takes_back_what_it_puts_on():
    task = scenes_of("7").task
    team = scene_team(task)
    for seed in map(str, range(20)):
        mask = Mask(team, task.utterance, Draw(seed))
        for role in team.roles:
            assert mask.real_name(mask.name(role.name)) == role.name
            assert mask.unmask(mask.mask(f"next: {role.name}")) == f"next: {role.name}"
            key = json.dumps({f"is_{role.name}_satisfied": True})
            assert mask.mask(key) == key


@pytest.mark.framework("control")
def test_a_worker_is_told_no_name_of_a_scene():
    async def main():
        async with scenes_of("7") as scenes:
            stage = await scenes.stage()
            return stage.open(scene_part(scenes.task), episode=scenes.next_id())

    wire = asyncio.run(main())
    assert all(form.fullmatch(wire[key]) for key, form in FORMS.items())
    assert "scene" not in json.dumps(wire).casefold()
