"""A file is written whole or not at all."""

import pytest

from ossia_dataset.files import write_whole


def test_what_cannot_be_written_leaves_the_earlier_file(tmp_path):
    file = tmp_path / "made.txt"
    assert write_whole(file, "first\n") == file
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "second, then half of a letter: \ud800")
    assert file.read_text("utf-8") == "first\n"
    write_whole(file, "third")
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["third"]
