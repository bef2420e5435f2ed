"""Metrics, baselines and prediction files of Who&When, and our traces as such logs."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_dataset.who_and_when import Collection, Log, Message, read_log, write_log
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.attribution import Attribution, Cause, Status
from ossia_evaluation.grade import Fault
from ossia_evaluation.whowhen import (
    Baseline,
    LabelAgreement,
    NamedCause,
    Prediction,
    Predictions,
    answered_steps,
    as_log,
    baselines,
    cause_by_rules,
    cause_of,
    collection_figures,
    figures,
    parse_predictions,
    score_predictions,
)

from .support import CHAT, WAKE, WAKE_URL, Play, gold_play


def log(name, speakers, agent, step, collection=Collection.HAND):
    history = tuple(Message(speaker=speaker, content="...") for speaker in speakers)
    return Log(
        collection=collection,
        name=name,
        question="?",
        history=history,
        mistake_agent=agent,
        mistake_step=step,
    )


TERMINAL = log("1.json", ["A_Expert", "Computer_terminal", "B_Expert", "B_Expert"], "B_Expert", 2)
LONG = log(
    "2.json",
    ["human", "Orchestrator (thought)", "Orchestrator (-> Web)", "Web", "Orchestrator (thought)"],
    "Web",
    3,
)
LOGS = [TERMINAL, LONG]


def by_baseline(logs):
    return {line.baseline: (line.agent, line.step) for line in baselines(logs)}


def named(play, faults):
    trace = play.trace()
    blamed = partial(AssistantContracts(()).blamed, WAKE, trace)
    return cause_by_rules(answered_steps(trace), faults, blamed)


class TestBaselines:
    def test_values_are_expected_exactly(self):
        found = by_baseline(LOGS)
        # Two model agents in each log; four and five steps.
        assert found[Baseline.RANDOM] == (1 / 2, pytest.approx((1 / 4 + 1 / 5) / 2))
        # Three speakers in each: the terminal and the person count as well.
        assert found[Baseline.RANDOM_SPEAKER][0] == pytest.approx(1 / 3)
        # The orchestrator speaks under two spellings: four in the second log.
        assert found[Baseline.RAW_SPEAKER] == (
            pytest.approx((1 / 3 + 1 / 4) / 2),
            found[Baseline.RANDOM][1],
        )
        assert found[Baseline.FIRST] == (0, 0)
        assert found[Baseline.LAST] == (1 / 2, 0)

    def test_the_most_frequent_agent_is_no_terminal_and_no_person(self):
        # In the first log B_Expert, at its first step; in the second the orchestrator.
        assert by_baseline(LOGS)[Baseline.MOST_FREQUENT] == (1 / 2, 1 / 2)
        chatty = log("3.json", ["human", "A", "human", "B", "human"], "A", 1)
        assert by_baseline([chatty])[Baseline.MOST_FREQUENT] == (1, 1)

    def test_of_several_most_frequent_agents_the_first_to_speak_counts(self):
        tied = log("3.json", ["B", "A", "A", "B"], "B", 0)
        assert by_baseline([tied])[Baseline.MOST_FREQUENT] == (1, 1)

    def test_a_label_that_nothing_can_hit(self):
        beyond = log("3.json", ["A", "B"], "C", 7)
        assert set(by_baseline([beyond]).values()) == {(0, 0)}
        people = log("4.json", ["human"], "human", 0)
        assert by_baseline([people])[Baseline.MOST_FREQUENT] == (0, 0)

    def test_no_logs_no_hits(self):
        assert figures(Baseline.RANDOM, []).step == 0

    def test_labels_and_speakers(self):
        odd = log("3.json", ["A", "B"], "B", 0)
        assert LabelAgreement.of_logs([*LOGS, odd]) == LabelAgreement(count=2, of=3)

    def test_collections_are_told_apart(self):
        other = TERMINAL.model_copy(update={"collection": Collection.ALGORITHM})
        found = collection_figures([LONG, other])
        assert [(one.collection, one.logs) for one in found] == [
            (Collection.ALGORITHM, 1),
            (Collection.HAND, 1),
        ]


FILE = """\
--- Starting Analysis ---
Prediction for 1.json:
Agent Name: B_Expert
Step Number: 12
Reason for Mistake: Agent Name: nobody.

==================================================
Prediction for 2.json:
1. agent name:   Web
2. STEP NUMBER: 3
Prediction for 9.json:
Agent Name: Web
Prediction for 10.json: Agent Name: Web, Step Number: 0
"""


class TestPredictionFiles:
    def test_blocks_between_other_lines(self):
        found = parse_predictions(FILE)
        assert found.found == (
            Prediction(log="1.json", agent="B_Expert", step="12"),
            Prediction(log="2.json", agent="Web", step="3"),
            Prediction(log="10.json", agent="Web", step="0"),
        )
        assert found.unreadable == ("9.json",)

    def test_the_last_block_that_can_be_read_counts(self):
        block = "Prediction for 1.json:\nAgent Name: {}\nStep Number: {}\n"
        found = parse_predictions(
            block.format("A", 1) + block.format("B", 2) + block.format("", "")
        )
        assert found.found == (Prediction(log="1.json", agent="B", step="2"),)
        assert (found.unreadable, found.repeated) == ((), 1)

    def test_a_name_is_one_word_as_published(self):
        text = "Prediction for 1.json:\nAgent Name: Orchestrator (thought)\nStep Number: 3."
        assert parse_predictions(text).found[0].agent == "Orchestrator"

    def test_a_step_of_absurd_length_is_no_step(self):
        text = f"Prediction for 1.json:\nAgent Name: A\nStep Number: {'9' * 6000}"
        assert score_predictions([TERMINAL], parse_predictions(text)).step.count == 0

    @given(st.text())
    def test_any_text_can_be_read(self, text):
        found = parse_predictions(f"Prediction for 1.json:{text}")
        names = [one.log for one in found.found] + list(found.unreadable)
        assert "1.json" in names
        assert len(set(names)) == len(names)

    names = st.integers(0, 200).map("{}.json".format)
    words = st.from_regex(r"[A-Za-z_]{1,12}", fullmatch=True)
    rows = st.dictionaries(names, st.tuples(words, st.integers(0, 10**6)))

    @given(rows, st.sampled_from(["\n", "\r\n", " and ", "\n- "]))
    def test_what_is_written_is_read(self, rows, between):
        text = "".join(
            between.join((f"Prediction for {n}:", f"Agent Name: {a}", f"Step Number: {s}", ""))
            for n, (a, s) in rows.items()
        )
        found = parse_predictions(text)
        assert {one.log: (one.agent, one.number) for one in found.found} == rows


class TestMetrics:
    def score(self, *rows, logs=LOGS):
        found = tuple(Prediction(log=n, agent=a, step=s) for n, a, s in rows)
        return score_predictions(logs, Predictions(found=found))

    def test_exact_and_substring(self):
        score = self.score(("1.json", "B_Expert_2", "12"), ("2.json", "Web", "3"))
        assert (score.agent.count, score.agent_substring.count) == (1, 2)
        assert (score.step.count, score.step_substring.count) == (1, 2)
        assert score.both.count == 1
        assert (score.step.of, score.step.value) == (2, 0.5)

    def test_the_label_is_looked_for_in_the_prediction_and_not_the_other_way(self):
        late = log("1.json", ["A"] * 13, "A_Expert", 12)
        score = self.score(("1.json", "A", "1"), logs=[late])
        assert score.step_substring.count == score.agent_substring.count == 0

    def test_near_steps(self):
        score = self.score(("1.json", "x", "4"), ("2.json", "x", "8"))
        assert [score.step_near[far].count for far in (1, 2, 3, 4, 5)] == [0, 1, 1, 1, 2]

    def test_a_log_without_a_prediction_is_a_miss(self):
        found = parse_predictions(FILE)
        more = [*LOGS, log("9.json", ["A"], "A", 0), log("8.json", ["A"], "A", 0)]
        score = score_predictions(more, found)
        assert (score.logs, score.predicted, score.agent.of) == (4, 2, 4)
        assert score.without_prediction == ("8.json",)
        assert score.unreadable == ("9.json",)
        assert score.without_log == ("10.json",)

    def test_a_label_in_brackets_is_the_agent(self):
        one = log("1.json", ["O (thought)"], "O (thought)", 0)
        assert self.score(("1.json", "O", "0"), logs=[one]).agent.count == 1

    def test_two_logs_of_one_name_are_refused(self):
        with pytest.raises(ValueError, match="same name"):
            self.score(logs=[TERMINAL, TERMINAL])


def cause(step, role, responsibility=1.0, **changes):
    fields = {
        "step": step,
        "situation": f"{role}#1",
        "role": role,
        "responsibility": responsibility,
        "necessary": responsibility == 1,
        "sufficient": True,
        "said": "this",
        "meant": "that",
        "fault": "said this",
        "remedy": "with that",
    }
    known = Cause.model_fields
    return Cause(**{name: v for name, v in (fields | changes).items() if name in known})


def attribution(*causes, decisive=None):
    return Attribution(
        episode="e",
        task=WAKE.id,
        framework="hand",
        domain="alarm",
        intent="alarm_set",
        status=Status.ATTRIBUTED,
        reason="missing",
        causes=causes,
        decisive=decisive,
    )


LATE = "/alarm?intent=alarm_set&time=19%3A30&date=2026-03-14"


def late_alarm():
    play = gold_play(WAKE, until="time").time(time="19:30", date="2026-03-14")
    return play.url(LATE).request(LATE).response("Your alarm is set.").manager("finish")


class TestExport:
    def test_the_decisive_step_is_the_label(self):
        found = attribution(cause(5, "url"), cause(3, "time"), decisive="time#1")
        assert cause_of(found) == NamedCause("time", 3, "time said this", "intervention")

    def test_without_a_decisive_step_the_most_responsible_one_is(self):
        found = attribution(
            cause(1, "intent", 1 / 3), cause(5, "url", 0.5), cause(7, "request", 0.5)
        )
        assert cause_of(found).step == 5

    def test_a_cause_that_only_a_replay_has_is_no_label(self):
        assert cause_of(attribution(cause(-1, "url"))) is None
        assert cause_of(attribution()) is None

    def test_the_rules_name_the_step_that_they_judge(self):
        play = late_alarm()
        score = play.score()
        found = named(play, score.faults)
        assert (found.role, found.step, found.source) == ("time", 3, "rules")
        assert found.reason == "time gave time=19:30, expected 07:30"

    def test_the_manager_is_named_where_it_called_the_wrong_role(self):
        play = gold_play(WAKE, until="time").url(WAKE_URL).request(WAKE_URL).response()
        fault = Fault(role="manager", reason="called url, expected time")
        assert named(play, [fault]).step == 2

    def test_a_manager_that_stopped_is_named_at_its_last_step(self):
        play = gold_play(WAKE, until="url").manager("finish")
        fault = Fault(role="manager", reason="stopped, expected url")
        assert named(play, [fault]).step == 4

    def test_of_several_roles_the_earliest_is_named(self):
        faults = [Fault(role="function call", reason="x"), Fault(role="url", reason="y")]
        assert named(late_alarm(), faults).role == "url"
        assert named(late_alarm(), faults[:1]).role == "request"

    def test_the_framework_is_no_agent(self):
        faults = [Fault(role="framework", reason="ended in timeout")]
        assert named(late_alarm(), faults) is None

    def test_an_episode_is_read_back_as_it_was_written(self, tmp_path):
        play = late_alarm()
        named = NamedCause("time", 3, "time said this", "intervention")
        log = as_log(WAKE, play.trace(), named)
        again, oddities = read_log(write_log(tmp_path, log))
        assert (again, oddities) == (log, ())
        assert again.speaker_at_label == again.mistake_agent == "time"
        assert again.question == WAKE.utterance
        assert again.ground_truth == WAKE_URL
        assert again.agents == ("manager", "intent", "time", "url", "request", "response")
        assert again.name == "e.json"

    def test_a_step_shows_what_it_called_and_what_came_of_it(self):
        play = Play(CHAT).manager("time").call("time", None, tool=("get_date", {}))
        play.call("time", '{"time_slots": {}}', after_tool=True)
        (_, message) = as_log(CHAT, play.trace(), NamedCause("time", 1, "", "rules")).history
        assert message.content == 'get_date({})\n-> ...\n{"time_slots": {}}'

    def test_steps_are_counted_without_calls_that_got_no_answer(self):
        play = Play(WAKE).manager("intent").call("intent", None, status="bad_request")
        play.intent("alarm", "alarm_query")
        log = as_log(WAKE, play.trace(), NamedCause("intent", 2, "", "rules"))
        assert [message.agent for message in log.history] == ["manager", "manager", "intent"]

    def test_a_cause_that_the_trace_does_not_have_is_refused(self):
        for named in (NamedCause("time", 1, "", "rules"), NamedCause("time", 99, "", "rules")):
            with pytest.raises(ValueError, match="has no step"):
                as_log(WAKE, late_alarm().trace(), named)
