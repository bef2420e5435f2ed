"""Where a tuned model may be written; needs nothing of the extra `finetune`."""

import pytest

from ossia.errors import UserError
from ossia.finetune.store import require_free


def test_only_a_free_place_in_a_folder_that_is_there_will_do(tmp_path):
    require_free(tmp_path / "tuned", force=False)
    with pytest.raises(UserError, match=r"there is no folder .*nowhere$"):
        require_free(tmp_path / "nowhere" / "tuned", force=True)
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UserError, match=r"there is no folder .*file$"):
        require_free(tmp_path / "file" / "tuned", force=True)
    with pytest.raises(UserError, match="holds no tuned model"):
        require_free(tmp_path / "file", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
