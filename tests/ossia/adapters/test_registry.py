import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia.adapters import (
    AdapterProjectError,
    UnknownAdapterError,
    find_adapter,
    find_adapters,
    how_to_install,
    lacking,
    ossia_home,
    read_project,
    sdk_project,
    survey_adapters,
)
from ossia.adapters.info import MARKER
from ossia.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
PYPROJECT = """
[project]
name = "ossia-adapter-mine"

[tool.ossia]
name = "mine"
distribution = "my-framework"
entry = "ossia_adapter_mine:ADAPTER"

[tool.ossia.environment]
TELEMETRY = "off"
"""
STATUS = """
[tool.ossia.status]
newest = "2.0"
checked = 2026-11-24
state = "archived"
"""
DEFAULT = """
[[tool.ossia.defaults]]
what = "Client(max_retries)"
variants = ["other"]
theirs = "2"
ours = "0"
why = "the gateway retries"

[tool.ossia.environment]
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "mine"
    (folder / "ossia_adapter_mine").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "requirements.lock").write_text("")
    (folder / "ossia_adapter_mine" / "__init__.py").write_text("ADAPTER = 1\n")
    return folder


def test_the_adapters_of_the_product_are_found(tmp_path):
    found = {info.name: info for info in find_adapters(tmp_path)}
    assert {"agentlite", "autogen", "camel", "control", "langgraph"} <= found.keys()
    for name, info in found.items():
        assert info.project == ROOT / "adapters" / name
        assert info.lock.is_file()
        assert not info.installed
        assert info.environment.parent == tmp_path / "envs"


def test_every_lock_has_hashes_and_names_no_index_and_no_path(tmp_path):
    for info in find_adapters(tmp_path):
        text = info.lock.read_text()
        pinned = re.findall(r"^([a-z0-9][\w.-]*)==", text, re.MULTILINE)
        # The control has no framework, and the SDK needs nothing.
        assert bool(pinned) == (info.name != "control")
        assert text.count("--hash=sha256:") >= len(pinned)
        assert "://" not in text
        assert not re.search(r"^(-|\.|/)|@ ", text, re.MULTILINE), info.name
        content = tomllib.loads((info.project / "pyproject.toml").read_text())
        assert content["project"]["name"] == info.package


def test_an_adapter_is_found_by_name_or_folder(tmp_path, project, monkeypatch):
    assert find_adapter("control", tmp_path).distribution == "ossia-adapter-control"
    info = find_adapter(str(project), tmp_path)
    assert (info.name, info.distribution, info.package) == (
        "mine",
        "my-framework",
        "ossia-adapter-mine",
    )
    assert dict(info.worker.switches) == {"TELEMETRY": "off"}
    assert info.worker.entry == "ossia_adapter_mine:ADAPTER"
    monkeypatch.chdir(project)
    assert find_adapter(".", tmp_path) == info


def test_the_command_that_installs_names_adapters_and_folders(tmp_path, project, monkeypatch):
    known = [find_adapter(name, tmp_path) for name in ("control", "camel")]
    own = find_adapter(f"{project}/", tmp_path)
    assert how_to_install(known) == "ossia adapter install control camel"
    monkeypatch.chdir(project.parent)
    assert how_to_install([known[0], own]) == f"ossia adapter install control ./{project.name}"
    monkeypatch.chdir(project)
    assert how_to_install([own]) == "ossia adapter install ."
    monkeypatch.chdir(project / "ossia_adapter_mine")
    assert how_to_install([own]) == f"ossia adapter install {project.resolve()}"
    assert how_to_install(find_adapters(tmp_path)) == "ossia adapter install --all"


def test_what_does_not_exist_is_named(tmp_path):
    with pytest.raises(UnknownAdapterError, match=r"no adapter 'nothing'; there are: .*control"):
        find_adapter("nothing", tmp_path)
    with pytest.raises(UnknownAdapterError, match="no folder"):
        find_adapter(str(tmp_path / "nothing"), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tool.ossia", "tool.other", "needs a project name and a table"),
        ('"mine"', '"Mine!"', "name: needs lower-case letters and digits"),
        ('entry = "ossia_adapter_mine:ADAPTER"', 'entry = "nonsense"', "entry: "),
        ("TELEMETRY", "tele-metry", "environment.tele-metry"),
        ('TELEMETRY = "off"', "TELEMETRY = 1", "environment.TELEMETRY"),
        ('distribution = "my-framework"', "", "distribution: Field required"),
        ("[project]", "project = 3\n[other]", "needs a project name"),
        ("[tool.ossia]", "[tool.ossia", "cannot be read"),
        ("[tool.ossia.environment]", "[tool.ossia.gold]", "gold: Extra inputs"),
        ("[tool.ossia.environment]", "[tool.ossia.status]", "status.newest: Field required"),
        ("[tool.ossia.environment]", DEFAULT, "there is no variant other"),
    ],
)
def test_a_wrong_project_is_refused_in_words(tmp_path, project, old, new, message):
    assert old in PYPROJECT
    (project / "pyproject.toml").write_text(PYPROJECT.replace(old, new))
    with pytest.raises(AdapterProjectError, match=message):
        find_adapter(str(project), tmp_path)


def test_the_documented_copy_for_another_version_is_named_alike_everywhere(tmp_path):
    text = (ROOT / "docs" / "adapters.md").read_text("utf-8")
    copying = text.split("## Two versions of one framework")[1].split("```sh\n")[1]
    (tmp_path / "adapters").symlink_to(ROOT / "adapters")
    copying = copying.split("cd ..")[0]
    subprocess.run(["bash", "-e", "-c", copying], cwd=tmp_path, check=True)
    copied = tmp_path / "autogen-074"
    code = (copied / "ossia_adapter_autogen" / "team.py").read_text("utf-8")
    declared = tomllib.loads((copied / "pyproject.toml").read_text("utf-8"))
    assert f'name = "{declared["tool"]["ossia"]["name"]}"' in code
    assert "autogen-agentchat==0.7.4" in declared["project"]["dependencies"]


def test_a_project_without_files_is_refused(tmp_path, project):
    (project / "requirements.lock").unlink()
    with pytest.raises(AdapterProjectError, match=r"has no requirements\.lock"):
        find_adapter(str(project), tmp_path)
    (project / "pyproject.toml").unlink()
    with pytest.raises(AdapterProjectError, match="cannot be read"):
        find_adapter(str(project), tmp_path)


@given(content=st.binary())
def test_no_file_raises_anything_but_a_project_error(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("any")
    (folder / "pyproject.toml").write_bytes(content)
    (folder / "requirements.lock").write_text("")
    with pytest.raises(AdapterProjectError):
        read_project(folder, sdk=sdk_project(), home=folder)


def test_the_digest_follows_sources_and_lock_only(tmp_path, project):
    def environment(sdk=None):
        return read_project(project, sdk=sdk or sdk_project(), home=tmp_path).environment

    first = environment()
    (project / "pyproject.toml").write_text(PYPROJECT + STATUS)
    told = read_project(project, sdk=sdk_project(), home=tmp_path)
    assert (told.status.text, told.environment) == ("newest 2.0 on 2026-11-24, archived", first)
    cache = project / "ossia_adapter_mine" / "__pycache__"
    cache.mkdir()
    (cache / "x.pyc").write_bytes(b"x")
    (project / ".mypy_cache").mkdir()
    (project / ".mypy_cache" / "x").write_text("x")
    (project / "README.md").write_text("x")
    assert environment() == first
    (project / "requirements.lock").write_text("# other\n")
    second = environment()
    (project / "ossia_adapter_mine" / "__init__.py").write_text("ADAPTER = 2\n")
    third = environment()
    sdk = shutil.copytree(sdk_project(), tmp_path / "sdk")
    assert environment(sdk) == third
    (sdk / "ossia_adapter" / "types.py").write_text("")
    assert len({first, second, third, environment(sdk)}) == 4


def make_plugin(folder, name, value):
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[ossia.adapters]\n{name} = {value}\n")


def test_an_installed_plug_in_is_found_and_not_imported(tmp_path, project, monkeypatch):
    site = tmp_path / "site"
    make_plugin(site, "mine", "mine_project")
    shutil.copytree(project, site / "mine_project")
    (site / "mine_project" / "__init__.py").write_text("raise RuntimeError\n")
    monkeypatch.syspath_prepend(site)
    assert find_adapter("mine", tmp_path).project == site / "mine_project"
    assert "mine_project" not in sys.modules


@pytest.fixture
def warned(caplog):
    """What was logged; each sentence is logged once in a process, so the tests' names differ."""
    return lambda: [record.getMessage() for record in caplog.records]


def builtin_names(infos):
    return {info.name for info in infos} & {"agentlite", "autogen", "camel", "control", "langgraph"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("broken1", "no_such_package"),
        ("broken2", "no_such_package.inner"),
        ("broken3", "json.decoder"),
        ("broken4", "../etc"),
        ("broken5", "json.no_such_folder"),
    ],
)
def test_a_broken_plug_in_stands_aside(tmp_path, monkeypatch, warned, name, value):
    make_plugin(tmp_path / "site", name, value)
    monkeypatch.syspath_prepend(tmp_path / "site")
    survey = survey_adapters(tmp_path)
    (broken,) = survey.broken
    assert broken.name == name
    assert "the plug-in names no package" in broken.reason
    assert len(builtin_names(find_adapters(tmp_path))) == 5
    assert find_adapter("control", tmp_path).name == "control"
    find_adapters(tmp_path)
    assert [text for text in warned() if name in text] == [
        f"the adapter {name} is left out: {broken.reason}"
    ]
    with pytest.raises(AdapterProjectError, match=f"the adapter {name} cannot be used"):
        find_adapter(name, tmp_path)


def test_a_plug_in_whose_package_raises_is_still_only_located(tmp_path, project, monkeypatch):
    outer = tmp_path / "site" / "outer_package"
    make_plugin(tmp_path / "site", "mine", "outer_package.project")
    shutil.copytree(project, outer / "project")
    (outer / "__init__.py").write_text("raise RuntimeError\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert find_adapter("mine", tmp_path).project == outer / "project"
    assert survey_adapters(tmp_path).broken == ()
    (outer / "project" / "pyproject.toml").write_text("nonsense")
    (broken,) = survey_adapters(tmp_path).broken
    assert "cannot be read" in broken.reason


def test_a_plug_in_never_takes_the_name_of_an_adapter(tmp_path, monkeypatch, warned):
    site = tmp_path / "site"
    make_plugin(site, "control", "control_project")
    shutil.copytree(ROOT / "adapters" / "control", site / "control_project")
    (site / "control_project" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(site)
    assert find_adapter("control", tmp_path).project == ROOT / "adapters" / "control"
    (broken,) = survey_adapters(tmp_path).broken
    told = "Ossia and control 1.0 both provide an adapter control: the one from Ossia is used"
    assert broken.reason == told
    assert [text for text in warned() if "control" in text] == [told]


def test_of_two_plug_ins_with_one_name_the_first_is_used(tmp_path, project, monkeypatch, warned):
    # The last is found first.
    for folder in ("a", "b"):
        site = tmp_path / folder
        make_plugin(site, f"{folder}_dist", f"{folder}_project")
        shutil.copytree(project, site / f"{folder}_project")
        monkeypatch.syspath_prepend(site)
    name = read_project(project, sdk=sdk_project(), home=tmp_path).name
    assert find_adapter(name, tmp_path).project.name == "a_project"
    told = (
        f"a_dist 1.0 and b_dist 1.0 both provide an adapter {name}: the one from a_dist 1.0 is used"
    )
    assert told in warned()


def test_the_version_is_the_locked_one_before_an_installation(tmp_path, project):
    assert find_adapter("autogen", tmp_path).version == "0.7.5"
    (project / "requirements.lock").write_text("my_framework==1.2rc1 ; python_version > '3'\n")
    assert find_adapter(str(project), tmp_path).version == "1.2rc1"
    (project / "requirements.lock").write_text("other==1.2\n")
    assert find_adapter(str(project), tmp_path).version is None


def test_an_environment_for_other_contents_is_out_of_date(tmp_path, project):
    def made():
        info = find_adapter(str(project), tmp_path)
        info.python.parent.mkdir(parents=True)
        info.python.touch()
        (info.environment / MARKER).write_text("{}")
        return find_adapter(str(project), tmp_path)

    other = find_adapter("control", tmp_path)
    assert find_adapter(str(project), tmp_path).state == "not installed"
    info = made()
    assert info.state == "installed"
    assert lacking([info]) is None
    (project / "requirements.lock").write_text("other==1.2\n")
    changed = find_adapter(str(project), tmp_path)
    assert changed.state == "out of date"
    assert lacking([other, changed]) == "not installed: control; out of date: mine"


def test_a_folder_that_is_taken_for_a_name_is_pointed_out(tmp_path, project, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownAdapterError, match=r"the folder here is \./mine"):
        find_adapter("mine", tmp_path)


def test_the_home_is_a_variable_or_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ossia_home({}) == tmp_path / ".ossia"
    assert ossia_home({"OSSIA_HOME": ""}) == tmp_path / ".ossia"
    assert ossia_home({"OSSIA_HOME": "/x/y"}) == Path("/x/y")


def test_a_current_folder_that_is_gone_is_told(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UserError, match="the current folder no longer exists"):
        ossia_home({})
    assert ossia_home({"OSSIA_HOME": str(tmp_path)}) == tmp_path


def test_a_home_that_is_a_file_is_told(tmp_path):
    (tmp_path / "home").write_text("mine")
    with pytest.raises(UserError, match=f"^OSSIA_HOME is not a folder: {tmp_path}/home$"):
        ossia_home({"OSSIA_HOME": str(tmp_path / "home")})
