"""Variants of an adapter: what declares one, what it is called, and what names stand for."""

import pytest

from ossia.adapters import (
    AdapterProjectError,
    UnknownAdapterError,
    find_adapter,
    find_adapters,
    how_to_install,
    lacking,
    named_adapters,
    read_project,
    sdk_project,
)

PROJECT = """
[project]
name = "ossia-adapter-mine"

[tool.ossia]
name = "mine"
title = "My Frame"
distribution = "my-framework"
"""
VARIANT = """
[[tool.ossia.variants]]
name = "{name}"
idiom = "{idiom}"
title = "{title}"
entry = "ossia_adapter_mine.{name}:ADAPTER"
page = "https://frame.example/{name}"
about = "What it is."
"""
CHAT = VARIANT.format(name="chat", idiom="router", title="Chat")
TOOLS = VARIANT.format(name="tools", idiom="tools", title="AgentTool")


@pytest.fixture
def mine(tmp_path):
    """Make a project with a text after its own table, and return its folder."""

    def made(text=CHAT + TOOLS, folder="mine"):
        project = tmp_path / folder
        project.mkdir(exist_ok=True)
        (project / "pyproject.toml").write_text(PROJECT + text)
        (project / "requirements.lock").write_text("")
        return project

    return made


def read(project):
    return read_project(project, sdk=sdk_project(), home=project / "home")


def test_the_first_variant_is_the_default_and_keeps_the_adapters_name(mine):
    info = read(mine())
    assert (info.key, info.label) == ("mine", "My Frame Chat")
    assert info.worker.entry == "ossia_adapter_mine.chat:ADAPTER"
    assert info.with_variant("chat") == info
    tools = info.with_variant("tools")
    assert (tools.key, tools.label, tools.name) == ("mine:tools", "My Frame AgentTool", "mine")
    assert tools.worker.entry == "ossia_adapter_mine.tools:ADAPTER"
    assert (tools.environment, tools.digest) == (info.environment, info.digest)


def test_without_variants_an_adapter_has_one_entry_and_no_variant(mine):
    info = read(mine('entry = "ossia_adapter_mine:ADAPTER"\n'))
    assert (info.key, info.label, info.variant) == ("mine", "My Frame", None)
    with pytest.raises(UnknownAdapterError, match=r"has no variant 'tools'; it has none$"):
        info.with_variant("tools")
    assert named_adapters(f"{info.project}:all", info.home) == (read(info.project),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs an entry, or variants that each have one"),
        ('entry = "x:Y"\n' + CHAT, "needs an entry, or variants that each have one"),
        (CHAT + CHAT, "the variant chat is declared twice"),
        (CHAT.replace('"router"', '"swarm"'), "variants.0.idiom: Input should be 'router'"),
        (
            CHAT.replace('"chat"', '"all"'),
            "variants.0.name: 'all' is reserved: it stands for all variants",
        ),
        (CHAT.replace('"chat"', '"a b"'), "variants.0.name: String should match"),
        (CHAT.replace('"Chat"', '"[red]Chat"'), "variants.0.title: String should match"),
        (CHAT.replace('"Chat"', '"Chat\\u202e"'), "variants.0.title: String should match"),
        (CHAT.replace('"Chat"', '"x234567890123456789x"'), "is longer than 28 characters"),
        (CHAT.replace("https://", "file://"), "variants.0.page: String should match"),
        (CHAT.replace('about = "What it is."\n', ""), "variants.0.about: Field required"),
        (CHAT + "gold = 1\n", "variants.0.gold: Extra inputs"),
    ],
)
def test_what_is_declared_wrongly_is_told_in_one_line(mine, text, message):
    with pytest.raises(AdapterProjectError) as caught:
        read(mine(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Value error" not in str(caught.value)


def test_no_adapter_is_called_all(mine):
    project = mine()
    text = (project / "pyproject.toml").read_text()
    (project / "pyproject.toml").write_text(text.replace('"mine"', '"all"'))
    with pytest.raises(
        AdapterProjectError, match="name: 'all' is reserved: it stands for all variants"
    ):
        read(project)


def test_a_folder_may_hold_a_colon_and_a_variant_may_follow(mine, tmp_path):
    project = mine(folder="a:tools")
    assert find_adapter(str(project), tmp_path).key == "mine"
    assert find_adapter(f"{project}:tools", tmp_path).key == "mine:tools"
    with pytest.raises(UnknownAdapterError, match=r"there is no folder .*/b$"):
        find_adapter(f"{tmp_path}/b:tools", tmp_path)


def test_names_stand_for_variants_of_one_adapter_or_of_all(tmp_path):
    default = find_adapters(tmp_path)
    assert named_adapters("all", tmp_path) == default
    (tools,) = named_adapters("control:tools", tmp_path)
    of_control = named_adapters("control:all", tmp_path)
    assert [each.key for each in of_control][:1] == ["control"]
    assert tools in of_control
    every = named_adapters("all:all", tmp_path)
    assert all(each in every for each in (*of_control, *default))
    assert [each.key for each in every if each.name == "control"] == [i.key for i in of_control]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("control:gold", "no variant 'gold'; there are router, tools, handoffs, hardened$"),
        ("control:", "no variant ''; there are"),
        ("all:tools", "'all:tools' is not valid; use all:all for every variant"),
        ("controll:tools", "there is no adapter 'controll'; did you mean control[?]"),
        (":tools", r"there is no adapter ''; there are: [\w, -]+$"),
        ("control:tools:tools", "there is no adapter 'control:tools'"),
    ],
)
def test_an_unknown_variant_is_told_with_those_there_are(tmp_path, name, message):
    with pytest.raises(UnknownAdapterError, match=message):
        named_adapters(name, tmp_path)


def test_variants_are_installed_together(tmp_path):
    infos = named_adapters("control:all", tmp_path)
    assert len(infos) > 1
    assert lacking(infos) == "not installed: control"
    assert how_to_install(infos) == "ossia adapter install control"
    assert how_to_install(named_adapters("all:all", tmp_path)) == "ossia adapter install --all"
