"""The template of new adapters; the lock file needs an index within uv's reach."""

import os
import stat
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia.adapters import (
    AdapterProjectError,
    NewAdapter,
    UnsatisfiableError,
    make_project,
    read_project,
    sdk_project,
)
from ossia.adapters import new as new_module

from ...adapters.support.index import skip_or_fail


def without_index(monkeypatch, tmp_path):
    """Let uv reach nothing, whatever the tester's configuration is."""
    for name in [name for name in os.environ if name.startswith("UV_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))


def test_uv_that_is_told_to_stay_offline_is_no_verdict(tmp_path, monkeypatch):
    without_index(monkeypatch, tmp_path)
    monkeypatch.setenv("UV_OFFLINE", "1")
    problem = make_project(NewAdapter("mine", "requests==2.32.0"), tmp_path / "mine")
    assert "requirements.lock could not be created" in str(problem)


def test_without_an_index_the_project_is_whole_but_for_its_lock(tmp_path, monkeypatch):
    without_index(monkeypatch, tmp_path)
    folder = tmp_path / "mine"
    problem = make_project(NewAdapter("mine", "some-framework[extra]==1.2"), folder)
    assert "requirements.lock could not be created" in str(problem)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == [
        "README.md",
        "ossia_adapter_mine",
        "ossia_adapter_mine/__init__.py",
        "ossia_adapter_mine/adapter.py",
        "ossia_adapter_mine/py.typed",
        "pyproject.toml",
    ]
    assert stat.S_IMODE(folder.stat().st_mode) & 0o500 == 0o500
    content = tomllib.loads((folder / "pyproject.toml").read_text())
    assert content["project"]["dependencies"] == ["some-framework[extra]==1.2", "requests>=2.28"]
    (folder / "requirements.lock").write_text("")
    info = read_project(folder, sdk=sdk_project(), home=tmp_path)
    assert (info.name, info.distribution) == ("mine", "some-framework")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    "name",
    ["", "Mine", "my adapter", "-mine", "mine-", "a--b", "../x", "mine\n", "x" * 41, "1x", "é"],
)
def test_a_bad_name_is_refused(name):
    with pytest.raises(AdapterProjectError, match="is not a valid adapter name"):
        NewAdapter(name)


@pytest.mark.parametrize(
    "requirement",
    ["", "a>=1", "a==1.*", "a ==1", 'a"', "a[", "a\n", "a @ file:///x", "a==1; python_version<'4'"],
)
def test_a_bad_requirement_is_refused(requirement):
    with pytest.raises(AdapterProjectError, match="is not a distribution"):
        NewAdapter("mine", requirement)


@pytest.mark.parametrize("requirement", ["idna", "agno[openai]"])
def test_a_framework_without_a_version_is_refused(requirement):
    with pytest.raises(AdapterProjectError, match="names no version"):
        NewAdapter("mine", requirement)


@given(st.text(), st.none() | st.text())
def test_whatever_is_accepted_gives_a_project_that_can_be_read(name, requirement):
    try:
        new = NewAdapter(name, requirement)
    except AdapterProjectError:
        return
    assert new.module.isidentifier()
    assert new.class_name.isidentifier()


@given(
    name=st.from_regex(r"[a-z][a-z0-9]{0,5}([-_][a-z0-9]{1,5}){0,3}", fullmatch=True),
    requirement=st.none()
    | st.from_regex(r"[A-Za-z0-9]{1,8}(\[[a-z]{1,4}\])?==[0-9]+\.[0-9]+", fullmatch=True),
)
def test_the_template_is_valid_whatever_the_names(tmp_path_factory, name, requirement):
    project = tmp_path_factory.mktemp("any") / "project"
    new = NewAdapter(name, requirement)
    new_module._render(new, "folder", project)
    (project / "requirements.lock").write_text("")
    info = read_project(project, sdk=sdk_project(), home=project)
    assert (info.name, info.distribution) == (name, new.distribution)
    for path in (project / new.module).glob("*.py"):
        compile(path.read_text(), str(path), "exec")
    module, _, attribute = info.entry.partition(":")
    assert f"\n{attribute} = " in (project / module / "adapter.py").read_text()


def test_what_exists_is_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    for name in ("file", "link", "empty"):
        with pytest.raises(AdapterProjectError, match="already exists"):
            make_project(NewAdapter("mine"), tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(AdapterProjectError, match="there is no folder"):
        make_project(NewAdapter("mine"), tmp_path / "no" / "such")


def test_a_framework_that_does_not_exist_leaves_nothing(tmp_path):
    new = NewAdapter("mine", "requests==0.0.0.1")
    try:
        problem = make_project(new, tmp_path / "mine")
    except UnsatisfiableError as error:
        assert "requests==0.0.0.1" in str(error)
        assert list(tmp_path.iterdir()) == []
    else:
        skip_or_fail(str(problem))
