"""The published measures equal what is recorded of the published code."""

import json
from collections import Counter

import pytest

from ossia_evaluation.flowbench.measures.files import FlowBenchError
from ossia_evaluation.flowbench.measures.oracle import check_case, check_oracle
from tests.evaluation.flowbench.measures.support import ORACLE, call, cases, gold, line, needs_data


@needs_data
def test_every_recorded_case_is_equal():
    results = list(check_oracle(ORACLE))
    assert [result for result in results if result.outcome != "equal"] == []
    assert Counter(result.case.kind for result in results) == {
        "turn": 56,
        "equal_actions": 26,
        "session_eval": 17,
        "session_loop": 15,
        "session_metrics": 2,
    }


def changed(value):
    """Another value of the same type."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, str):
        return f"{value}!"
    return [*value, 1] if isinstance(value, list) else value + 1


def leaves(value, path=()):
    """The paths of all that is recorded."""
    if isinstance(value, dict) and value:
        return [leaf for name in value for leaf in leaves(value[name], (*path, name))]
    return [path] if not isinstance(value, dict) else []


@needs_data
def test_whatever_is_recorded_is_compared():
    looked_at = 0
    for case in cases():
        for part in {"out", "as_shipped", "with_names_bound"} & case.keys():
            rows = case[part] if isinstance(case[part], list) else [case[part]]
            for at, row in enumerate(rows):
                paths = leaves(row) if isinstance(row, dict) else [()]
                for path in paths:
                    other = json.loads(json.dumps(case))
                    inside = other[part][at] if isinstance(case[part], list) else other[part]
                    if path:
                        for name in path[:-1]:
                            inside = inside[name]
                        inside[path[-1]] = changed(inside[path[-1]])
                    else:
                        other[part] = not other[part]
                    result = check_case(json.dumps(other).encode(), "x")
                    assert result.outcome != "equal", (case["case"], path)
                    looked_at += 1
    assert looked_at > 1000


TURN = {
    "kind": "turn",
    "case": "by hand",
    "samples": [line(gold("book", {"n": 3}), call("book", {"n": 3}))],
    "out": {
        "counters": {
            "s": {
                "all_function": 1,
                "all_function_pred": 1,
                "right_function": 1,
                "right_api": 1,
                "all_params": 1,
                "all_params_pred": 1,
                "right_params": 1,
            }
        },
        "call_pre": 1.0,
        "call_rec": 1.0,
        "param_pre": 1.0,
        "param_rec": 1.0,
        "parsed_actions": ["book"],
        "parsed_inputs": ['{"n": 3}'],
        "right_api": ["1"],
        "right_apiname": ["1"],
        "crash": None,
        "judge_calls": [],
        "call_f1_derived": 1.0,
        "param_f1_derived": 1.0,
    },
}


def test_a_case_by_hand():
    assert check_case(json.dumps(TURN).encode(), "x").outcome == "equal"


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"call_pre": 0.5}, "call_pre: 1.0, recorded is 0.5"),
        ({"call_pre": 1}, "call_pre: 1.0, recorded is 1"),
        ({"crash": "ValueError"}, 'crash: null, recorded is "ValueError"'),
        ({"more": 1}, "more: nothing, recorded is 1"),
        ({"judge_calls": [{"user": "q", "reply": "yes"}]}, "judge_calls: []"),
    ],
)
def test_a_difference_is_told(part, said):
    case = TURN | {"out": TURN["out"] | part}
    result = check_case(json.dumps(case).encode(), "x")
    assert result.outcome == "different" and said in result.reason


SESSION = {
    "kind": "session_eval",
    "case": "by hand",
    "dialog": "user:\nhi",
    "gt_actions_string": "",
    "judge_replies": [],
    "as_shipped": {},
    "with_names_bound": {},
}
ROW = {
    "success_gpt": "1",
    "progress_gpt": 1.0,
    "right_api_num": 1,
    "all_api_num_gt": 1,
    "all_api_num_pre": 0,
}


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({}, "kind"),
        ({"kind": "other"}, "kind"),
        ([], "object"),
        ({"kind": 1, "case": "x"}, "kind"),
        (TURN | {"samples": [{}]}, "samples.0.id"),
        (TURN | {"samples": [TURN["samples"][0] | {"messages": []}]}, "messages"),
        (TURN | {"samples": [TURN["samples"][0] | {"predict": None}]}, "predict"),
        (TURN | {"samples": [TURN["samples"][0] | {"predict": "a" * 100_001}]}, "100000"),
        (TURN | {"out": {"judge_calls": [1]}}, "judge_calls"),
        (TURN | {"out": TURN["out"] | {"judge_calls": "x"}}, "judge_calls"),
        (
            TURN | {"samples": [line(gold("book", {"note": "x"}), call("book", {"note": "y"}))]},
            "asked more often than 0 times",
        ),
        (SESSION, "asked more often than 0 times"),
        ({"kind": "session_loop", "case": "another", "out": {}}, "no script has its name"),
        ({"kind": "session_metrics", "case": "x", "files": {"a": [1]}, "out": []}, "files.a.0"),
    ],
)
def test_a_malformed_case_is_refused_in_one_line(case, said):
    result = check_case(json.dumps(case).encode(), "line 7")
    assert result.outcome == "refused" and said in result.reason and "\n" not in result.reason


@pytest.mark.parametrize("bad", [b"{", b"\xff", b'{"kind": "turn", "case": "\\ud800"}', b"NaN"])
def test_what_is_no_case_is_refused(bad):
    assert check_case(bad, "line 1").outcome == "refused"


def test_calls_of_none_are_an_error_of_the_published_code():
    case = {"kind": "session_metrics", "case": "x", "files": {"a": [ROW]}, "out": []}
    result = check_case(json.dumps(case).encode(), "x")
    assert result.outcome == "different" and "ZeroDivisionError" in result.reason
    huge = ROW | {"right_api_num": 10**400, "all_api_num_pre": 1}
    result = check_case(json.dumps(case | {"files": {"a": [huge]}}).encode(), "x")
    assert result.outcome == "different" and "OverflowError" in result.reason


def test_a_case_that_is_there_twice_is_refused(tmp_path):
    file = tmp_path / "o"
    file.write_text(f"{json.dumps(TURN)}\n\n{json.dumps(TURN)}\n", "utf-8")
    assert [result.outcome for result in check_oracle(file)] == ["equal", "refused"]
    for path, said in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(FlowBenchError, match=said):
            list(check_oracle(path))
    file.write_text("\n\n")
    with pytest.raises(FlowBenchError, match="is empty"):
        list(check_oracle(file))


def test_a_line_of_ten_megabytes_is_refused():
    case = TURN | {"samples": [TURN["samples"][0] | {"predict": "Action: " * 1_300_000}]}
    assert check_case(json.dumps(case).encode(), "x").outcome == "refused"
