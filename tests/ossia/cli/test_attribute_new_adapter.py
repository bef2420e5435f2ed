"""An adapter that somebody has just made is attributed like those that come with Ossia."""

import json

import pytest

from .test_adapter import environ, home, kept, made, place, tmp_path
from .test_attribute import failed_tasks

__all__ = ["environ", "home", "kept", "made", "place", "tmp_path"]

pytestmark = pytest.mark.framework("control")


DELEGATING = """        model, team = Model(episode), episode.team
        roles = {role.name: role for role in team.members}
        listed = "\\n".join(f"- {role.name}: {role.description}" for role in team.members)
        fields = {"member_id": {"type": "string"}, "task": {"type": "string"}}
        function = {"name": "delegate", "parameters": {"type": "object", "properties": fields}}
        messages = [
            {"role": "system", "content": f"{team.manager_role.prompt}\\n\\n{listed}"},
            {"role": "user", "content": episode.task},
        ]
        for _ in range(episode.limits.turns):
            offered = [{"type": "function", "function": function}]
            message = model.ask(team.manager, messages, tools=offered)
            messages.append(message)
            for call in message.get("tool_calls") or ():
                given = json.loads(call["function"]["arguments"])
                told = [{"role": "user", "name": team.manager, "content": given["task"]}]
                text = speak(model, roles[given["member_id"]], told)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
            if not message.get("tool_calls"):
                break
        return Answer(str(messages[-1].get("content") or ""))


"""
"""A manager with one tool, which is told the member that is to work."""


@pytest.mark.parametrize("delegating", [False, True], ids=["asked", "delegating"])
def test_a_failure_of_a_new_adapter_is_attributed(ossia, made, tmp_path, delegating):
    if delegating:
        code = made / "ossia_adapter_mine" / "adapter.py"
        before, _, rest = code.read_text("utf-8").partition("        # FRAMEWORK: make its agents")
        _, _, after = rest.partition("        return Answer(")
        code.write_text(before + DELEGATING + after[after.index("@dataclass") :], "utf-8")
        assert ossia("adapter", "install", "./mine").returncode == 0
    model = failed_tasks(tmp_path)
    done = ossia("run", "./mine", "--tasks", "tasks.jsonl", "--model", model)
    assert done.returncode == 0, done.stderr
    result = json.loads(ossia("attribute", "--json").stdout)
    (found,) = result["attributions"]
    assert (found["episode"], found["framework"]) == ("mine.wake.1", "mine")
    assert (found["status"], found["families"]) == ("attributed", [["time#1"]])
    assert found["evidence"].startswith("*time* turned 'half past seven' into 19:30; ")
    shown = ossia("blame", "mine.wake.1")
    assert "2. time#1 repaired: success" in shown.stdout, shown.stderr
