"""A file is written whole or not at all."""

import resource

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


def test_a_disk_that_has_no_room_names_the_file_and_leaves_nothing_beside_it(tmp_path):
    file = write_whole(tmp_path / "made.txt", "first")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError) as caught:
            write_whole(file, "x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.filename == str(file)
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["first"]
