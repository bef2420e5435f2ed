import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ENTRY_POINTS = "[ossia.suites]\nreversal = reversal_suite:suite\n"
METADATA = "Metadata-Version: 2.1\nName: ossia-suite-reversal\nVersion: 0.1\n"


@pytest.fixture(scope="session")
def distribution(tmp_path_factory):
    """A folder in which a suite is installed as another distribution would be."""
    folder = tmp_path_factory.mktemp("site-packages")
    shutil.copytree(HERE / "reversal", folder, dirs_exist_ok=True)
    info = folder / "ossia_suite_reversal-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder
