"""A placebo changes bytes and no meaning."""

import json

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.attribution.model_errors import reworded


@given(st.dictionaries(st.text(), st.text() | st.dictionaries(st.text(), st.text())))
def test_a_placebo_says_the_same_in_other_bytes(value):
    text = json.dumps(value)
    assert json.loads(reworded(text)) == value
    assert reworded("It is done.").startswith("It is done.")
