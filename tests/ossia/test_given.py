"""What a caller from Python is told of arguments."""

import inspect

import pytest

import ossia
from ossia.given import ARGUMENTS, by_arguments


def test_each_option_is_named_by_an_argument_that_there_is():
    assert set(ARGUMENTS.values()) <= set(inspect.signature(ossia.compare).parameters)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("leave --repeats out, see --base-url=X", "leave repeats out, see base_urls=X"),
        ("a price with --price-as", "a price with `ossia compare --price-as`"),
        ("run `ossia adapter install --all`; --task", "run `ossia adapter install --all`; only"),
        ("a word--user and a--b", "a word--user and a--b"),
    ],
)
def test_a_message_names_arguments_and_leaves_commands(message, told):
    assert by_arguments(message) == told
    assert by_arguments(told) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"repeats": 3}, "^repeats 3 has no effect"),
        ({"prompts": "nope"}, "^prompts: the suite"),
        ({"models": "my/own", "base_urls": "nobody=http://127.0.0.1:1/v1"}, "base_urls"),
    ],
)
def test_a_comparison_that_cannot_be_says_so_by_its_arguments(tmp_path, given, told):
    with pytest.raises(ossia.UserError, match=told) as caught:
        ossia.compare(["control"], home=tmp_path, limit=1, **given)
    assert " --" not in str(caught.value)
