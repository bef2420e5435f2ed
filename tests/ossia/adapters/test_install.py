"""Making real environments with uv; the locked distributions must be within its reach."""

import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ossia.adapters import (
    InstallError,
    install,
    install_all,
    read_project,
    remove_stale,
    sdk_project,
    stale_environments,
)
from ossia.adapters.held import exclusive, lock_file

from ...adapters.support.index import skip_or_fail

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.framework("control")


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(ROOT / "adapters" / "control", tmp_path / "control")


@pytest.fixture
def read(tmp_path, project):
    def read():
        return read_project(project, sdk=sdk_project(), home=tmp_path / "home")

    return read


def python(info, code):
    done = subprocess.run([info.python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def folders(info):
    return sorted(each.name for each in info.environment.parent.iterdir() if each.is_dir())


def change(project):
    source = project / "ossia_adapter_control" / "__init__.py"
    source.write_text(source.read_text() + "CHANGED = 1\n")


def attempt(info):
    try:
        return install(info)
    except InstallError as error:
        skip_or_fail(f"{error}: {error.output[-300:]}")


@pytest.fixture(scope="module")
def within_reach(tmp_path_factory):
    """Skip what is refused for a reason of its own where nothing can be installed at all."""
    home = tmp_path_factory.mktemp("home")
    attempt(read_project(ROOT / "adapters" / "control", sdk=sdk_project(), home=home))


def test_an_environment_is_made_once_and_anew_after_a_change(read, project):
    first = read()
    assert not first.installed
    assert attempt(first)
    assert first.installed
    assert not install(first)
    where = python(first, "import ossia_adapter_control as c; print(c.__file__)")
    assert where.startswith(str(first.environment))
    assert json.loads((first.environment / "ossia-adapter.json").read_text())["name"] == "control"

    change(project)
    second = read()
    assert not second.installed
    (stale,) = stale_environments(first.home, first.sdk)
    assert (stale.folder, stale.name, stale.project) == (first.environment, "control", project)
    assert install(second)
    assert folders(second) == [second.environment.name]
    assert not lock_file(first.environment).exists()
    assert stale_environments(first.home, first.sdk) == ()
    assert python(second, "import ossia_adapter_control as c; print(c.CHANGED)") == "1"
    assert second.version == "0.1.0"


REQUESTS = "certifi", "charset-normalizer", "idna", "requests", "urllib3"


def need_requests(project):
    """Let a project depend on something, with the lines of a lock that has it."""
    lock = (ROOT / "adapters" / "langgraph" / "requirements.lock").read_text()
    lines = re.findall(
        rf"^(?:{'|'.join(REQUESTS)})==.*?(?=^[a-z0-9])", lock, re.MULTILINE | re.DOTALL
    )
    assert len(lines) == len(REQUESTS)
    (project / "requirements.lock").write_text("".join(lines))
    file = project / "pyproject.toml"
    text = file.read_text()
    assert "dependencies = []" in text
    file.write_text(text.replace("dependencies = []", 'dependencies = ["requests>=2.28"]'))


def spoil(lock):
    lock.write_text(re.sub("sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, lock.read_text()))


@pytest.mark.usefixtures("within_reach")
def test_a_wrong_hash_is_refused(read, project):
    need_requests(project)
    spoil(project / "requirements.lock")
    info = read()
    with pytest.raises(InstallError, match="uv pip install failed") as failed:
        install(info)
    assert "hash" in failed.value.output.casefold()
    assert not info.installed


@pytest.mark.usefixtures("within_reach")
@pytest.mark.parametrize(
    ("stated", "named"), [("requests[socks]>=2.28", "pysocks"), ("requests>=9999", "9999")]
)
def test_a_lock_that_does_not_meet_the_requirements_is_refused(read, project, stated, named):
    need_requests(project)
    file = project / "pyproject.toml"
    file.write_text(file.read_text().replace("requests>=2.28", stated))
    info = read()
    with pytest.raises(InstallError, match="run `ossia adapter lock") as failed:
        install(info)
    assert named in (str(failed.value) + failed.value.output).casefold()
    assert not info.installed


def test_two_that_want_an_unfinished_environment_make_it_anew_once(read):
    info = read()
    info.environment.mkdir(parents=True)
    (info.environment / "rest").write_text("of an attempt that was killed")
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(attempt, [info, read()]))
    assert sorted(made) == [False, True]
    assert info.installed
    assert not (info.environment / "rest").exists()


@pytest.mark.usefixtures("within_reach")
def test_of_several_each_one_succeeds_or_says_why(read, tmp_path):
    good = read()
    broken = shutil.copytree(good.project, tmp_path / "broken")
    need_requests(broken)
    spoil(broken / "requirements.lock")
    text = (broken / "pyproject.toml").read_text().replace('"control"', '"broken"')
    (broken / "pyproject.toml").write_text(text)
    bad = read_project(broken, sdk=sdk_project(), home=tmp_path / "home")
    outcome = install_all([good, bad], jobs=2)
    assert outcome["control"] is None
    assert isinstance(outcome["broken"], InstallError)


HOLDER = """
import sys, time
from pathlib import Path
from ossia.adapters.held import hold
hold(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_an_environment_that_a_process_uses_survives(read, project):
    first = read()
    attempt(first)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, first.environment],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        change(project)
        second = read()
        install(second)
        assert first.installed
        assert remove_stale(second) == ()
    finally:
        # As hard as can be: nothing of its own making may be needed to let go.
        holder.kill()
        holder.communicate()
    assert remove_stale(second) == (first.environment,)
    assert not first.environment.exists()

    # Whoever asks for a worker holds it too.
    assert second.worker.python == second.python
    change(project)
    third = read()
    install(third)
    assert second.installed
    assert remove_stale(third) == ()


def test_another_project_of_the_same_name_is_left_alone(read, project, tmp_path):
    first = read()
    attempt(first)
    other = shutil.copytree(project, tmp_path / "other")
    change(other)
    second = read_project(other, sdk=sdk_project(), home=tmp_path / "home")
    install(second)
    assert len(folders(second)) == 2
    change(project)
    install(second)
    assert len(folders(second)) == 2, "its own project has to remove it"
    shutil.rmtree(project)
    install(second)
    assert folders(second) == [second.environment.name]


def test_what_was_never_finished_is_removed_unless_it_is_being_made(read):
    info = read()
    rest = info.home / "envs" / "control-0123456789abcdef"
    rest.mkdir(parents=True)
    kept = [info.home / "envs" / name for name in ("control-x", "other-0123456789abcdef")]
    for folder in kept:
        folder.mkdir()
    with exclusive(rest, wait=True):
        assert rest not in {each.folder for each in stale_environments(info.home, info.sdk)}
        assert remove_stale(info) == ()
    assert remove_stale(info) == (rest,)
    assert all(folder.exists() for folder in kept)


def test_a_project_that_cannot_be_read_keeps_its_environments(read, project):
    info = read()
    attempt(info)
    (project / "pyproject.toml").write_text("half writ")
    assert stale_environments(info.home, info.sdk) == ()
