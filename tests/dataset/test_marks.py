import pytest

from ossia_dataset.marks import MarksError, replace_between_marks

MARKS = {"begin": "<!-- begin -->", "end": "<!-- end -->"}


def test_what_is_made_stands_between_the_marks():
    once = replace_between_marks("a\n<!-- begin -->\nold\n<!-- end -->\nb\n", "new", **MARKS)
    assert once == "a\n<!-- begin -->\nnew\n<!-- end -->\nb\n"
    assert replace_between_marks(once, "new", **MARKS) == once


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!-- begin -->",
        "<!-- end -->",
        "<!-- end --> <!-- begin -->",
        "<!-- begin --> <!-- end --> <!-- end -->",
    ],
)
def test_a_text_without_the_marks_once_is_refused(text):
    with pytest.raises(MarksError, match="once each, in this order"):
        replace_between_marks(text, "new", **MARKS)
