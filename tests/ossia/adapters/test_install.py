"""Making real environments with uv; the locked distributions must be within its reach."""

import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ossia.adapters import InstallError, install, install_all, read_project, sdk_project

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


def attempt(info):
    try:
        return install(info)
    except InstallError as error:
        pytest.skip(str(error))


def test_an_environment_is_made_once_and_anew_after_a_change(read, project):
    first = read()
    assert not first.installed
    assert attempt(first)
    assert first.installed
    assert not install(first)
    where = python(first, "import ossia_adapter_control as c; print(c.__file__)")
    assert where.startswith(str(first.environment))
    assert json.loads((first.environment / "ossia-adapter.json").read_text())["name"] == "control"

    source = project / "ossia_adapter_control" / "__init__.py"
    source.write_text(source.read_text() + "CHANGED = 1\n")
    second = read()
    assert not second.installed
    assert install(second)
    assert python(second, "import ossia_adapter_control as c; print(c.CHANGED)") == "1"
    assert first.installed


def test_an_unfinished_environment_is_made_anew(read):
    info = read()
    info.environment.mkdir(parents=True)
    (info.environment / "rest").write_text("of an attempt that was killed")
    assert attempt(info)
    assert info.installed
    assert not (info.environment / "rest").exists()


def spoil(lock):
    lock.write_text(re.sub("sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, lock.read_text()))


def test_a_wrong_hash_is_refused(read, project):
    attempt(read())
    spoil(project / "requirements.lock")
    info = read()
    with pytest.raises(InstallError, match="uv pip install failed") as failed:
        install(info)
    assert "hash" in failed.value.output.casefold()
    assert not info.installed


def test_two_that_want_one_environment_make_it_once(read):
    info = read()
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(attempt, [info, read()]))
    assert sorted(made) == [False, True]


def test_of_several_each_one_succeeds_or_says_why(read, tmp_path):
    good = read()
    attempt(good)
    broken = shutil.copytree(good.project, tmp_path / "broken")
    spoil(broken / "requirements.lock")
    text = (broken / "pyproject.toml").read_text().replace('"control"', '"broken"')
    (broken / "pyproject.toml").write_text(text)
    bad = read_project(broken, sdk=sdk_project(), home=tmp_path / "home")
    outcome = install_all([good, bad], jobs=2)
    assert outcome["control"] is None
    assert isinstance(outcome["broken"], InstallError)
