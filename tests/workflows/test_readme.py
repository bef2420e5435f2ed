"""The README's examples run and give what it says."""

import re
from pathlib import Path

from ossia_workflows import load_team
from ossia_workflows.assistant import role_output

TEXT = (Path(__file__).parents[2] / "workflows" / "README.md").read_text("utf-8")


def test_the_examples_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    for block in blocks:
        exec(block, {})
    call, told = blocks[1].strip().split("\n")[-2:]
    assert repr(eval(call, {"role_output": role_output})) == told.removeprefix("# ")


def test_the_table_names_the_roles_and_their_tools() -> None:
    told = dict(re.findall(r"^\| `(\w+)` \| .* \| ?`?(\w*)`? ?\|$", TEXT, re.MULTILINE))
    team = load_team("assistant", {"catalogue": "-", "home": "-"})
    assert told == {role.name: ", ".join(role.tools) for role in team.roles}
