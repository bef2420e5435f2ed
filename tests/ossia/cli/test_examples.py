"""`ossia model examples`: chats that TRL's and other trainers read, one a line."""

import json

import pytest

FILES = ("train.jsonl", "validation.jsonl")


def rows(folder, name):
    lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def said(row):
    return row["messages"][1]["content"]


def test_the_training_tasks_are_written_as_chats_and_a_share_is_held_out(ossia, tmp_path):
    done = ossia("model", "examples", "--out", "chats")
    assert done.returncode == 0, done.stderr
    learnt, kept = rows(tmp_path / "chats", "train"), rows(tmp_path / "chats", "validation")
    assert f"{len(learnt)} examples to learn from, {len(kept)} held out" in done.stdout
    assert len(kept) == round(0.1 * (len(learnt) + len(kept)))
    for row in (*learnt, *kept):
        assert list(row) == ["messages"]
        assert [message["role"] for message in row["messages"]] == ["system", "user", "assistant"]
        assert set(json.loads(row["messages"][2]["content"])) == {"domain", "intent", "slots"}
    assert not {said(row) for row in learnt} & {said(row) for row in kept}

    first = [(tmp_path / "chats" / name).read_bytes() for name in FILES]
    assert ossia("model", "examples", "--out", "again").returncode == 0
    assert [(tmp_path / "again" / name).read_bytes() for name in FILES] == first
    other = ossia("model", "examples", "--out", "chats", "--seed", "4", "--held-out", "0")
    assert other.returncode == 0
    assert len(rows(tmp_path / "chats", "train")) == len(learnt) + len(kept)
    assert not (tmp_path / "chats" / "validation.jsonl").exists()


def test_prompts_are_worded_as_a_stored_runs_frameworks_do(ossia, tmp_path):
    done = ossia("compare", "-f", "control", "--limit", "1")
    assert done.returncode == 0, done.stderr
    for name, more in (("plain", ()), ("worded", ("--prompts-of", "assistant"))):
        done = ossia("model", "examples", "--out", name, *more)
        assert done.returncode == 0, done.stderr
    # The control adapter adds nothing.
    assert rows(tmp_path / "worded", "train") == rows(tmp_path / "plain", "train")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--data", "test"), "are test tasks"),
        (("--data", "nowhere"), "nowhere"),
        (("--held-out", "1"), "--held-out must be a share"),
        (("--held-out", "nan"), "--held-out must be a share"),
        (("--prompts-of", "nobody"), "has no runs yet"),
        (("--suite", "worfbench", "--data", "test"), "284 of the tasks are test tasks"),
        (("--suite", "workbench"), "has no examples to learn from"),
    ],
)
def test_bad_input_is_one_line_and_code_2(ossia, tmp_path, arguments, sentence):
    done = ossia("model", "examples", "--out", "chats", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert sentence in done.stderr
    assert not (tmp_path / "chats").exists()


def test_a_file_in_the_folders_place_is_left_alone(ossia, tmp_path):
    (tmp_path / "chats").write_text("dear anna")
    done = ossia("model", "examples", "--out", "chats")
    assert (done.returncode, "chats is not a folder" in done.stderr) == (2, True)
    assert (tmp_path / "chats").read_text() == "dear anna"


def test_a_planner_learns_the_prompt_it_is_asked_and_the_gold_plan(ossia, tmp_path):
    done = ossia("model", "examples", "--suite", "worfbench", "--out", "plans", "--held-out", "0")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "plans", "train")
    assert len(found) >= 500
    for row in found:
        system, user, answer = (message["content"] for message in row["messages"])
        assert system.startswith("You plan how") and system.count("Edge: ") == 3
        assert user.startswith('The user says: "Task: ')
        assert answer.startswith("Node:\n1: ")


def test_each_member_of_a_planning_team_learns_what_it_is_asked_in_its_turn(ossia, tmp_path):
    done = ossia(
        "model", "examples", "--suite", "worfbench-team", "--out", "team", "--held-out", "0"
    )
    assert done.returncode == 0, done.stderr
    found = [row["messages"] for row in rows(tmp_path / "team", "train")]
    assert len(found) >= 3000
    broken = 0
    for decomposer, linker, critic in zip(found[::3], found[1::3], found[2::3], strict=True):
        task = decomposer[1]
        (nodes, plan), right = (critic[2], critic[3]), critic[4]
        assert decomposer[2]["content"] == nodes["content"]
        assert "Edge:" not in nodes["content"]
        assert linker[1:3] == [task, nodes]
        assert linker[3]["content"] == right["content"]
        assert right["content"].startswith(f"{nodes['content']}\nEdge: ")
        assert critic[1] == task
        broken += plan["content"] != right["content"]
    # Who only sees right plans learns to repeat them.
    assert 0.4 < broken / (len(found) / 3) < 0.6
    assert len({messages[0]["content"] for messages in found}) == 3
