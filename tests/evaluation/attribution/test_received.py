"""The moments of a conversation's steps."""

from ossia_evaluation.attribution import Received, TalkTurns, role_in


def request(role, *texts):
    return {
        "model": f"ossia-{role}",
        "messages": [{"role": "user", "content": text} for text in texts],
    }


def test_what_a_role_says_in_one_turn_of_the_users_is_one_step():
    turns = TalkTurns(("caller", "dialogue"))
    asked = ("manager", "caller", "manager", "caller", "dialogue")
    turns.begin("quote")
    first = [Received.of(role, request(role, "go"), turns).turn for role in asked]
    assert [(turn.situation, turn.call) for turn in first] == [
        ("manager@quote", 0),
        ("caller@quote", 0),
        ("manager@quote", 1),
        ("caller@quote", 1),
        ("dialogue@quote", 0),
    ]
    assert first[2].done == ("caller",)
    turns.begin("quote#2")
    again = Received.of("caller", request("caller", "go"), turns).turn
    assert (again.situation, again.index, again.call, again.done) == ("caller@quote#2", 3, 0, ())
    assert role_in(again.situation) == "caller"
