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


def test_a_new_file_is_its_owners_alone_and_an_earlier_one_stays_as_open_as_it_was(tmp_path):
    path = write_whole(tmp_path / "new", "a")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert write_whole(path, "b").stat().st_mode & 0o777 == 0o644
