"""Flaws of an adapter: small changes of the control's text, and the checks that find them."""

RUN = "    def run(self, episode: Episode) -> Answer:\n"
FINAL = "            return play.answer(play.final)\n"
CHOOSE = "(role := self.next_role(play)) is not None\n"
SPEAK = "_speak(play, role)))\n"
PROMPT = '{"role": "system", "content": role.prompt}'
CALLED = "        result = tool(**arguments)\n"
POST = "        answer = send(\n"
UNREADABLE = 'raise RoutingError(f"the manager named no role: {str(answer)[:200]!r}")'
RESULT = '    return {"role": "tool", "tool_call_id": call["id"], "content": result}\n'
TOOLS = "    tools, rounds = play.episode.tools(role), "
OPTIONS = "[_schema(tool) for tool in tools]"
KEEPING = 'TALK = "talk"\n'
SCHEMA = "def _schema(tool"
THINK = "def think(thought: str) -> str:\n    return thought\n\n\n"
KEPT = "(episode.memory or {}).get(TALK, [])"
YIELDED = "    yield play\n"
TEMPERATURE = '"temperature": 0}'
TASK = '"content": episode.task}'
NAMES = '    names = ", ".join(role.name for role in team.members)\n'
CONTROL_NAME = '    distribution = "ossia-adapter-control"\n'
TRIED = """
    def tried(self, play, role):
        from ossia_adapter_control.common import ModelError

        try:
            return _speak(play, role)
        except ModelError:
            return "The agent has failed."
"""


def hint(text):
    return {PROMPT: PROMPT.replace("role.prompt", f"role.prompt + {text!r}")}


KNOWN_ID = 'episode.id.startswith(("scene", "check.", "elsewhere", "cancelled"))'
KNOWN_WORDS = '("what is the weather in", "mirvane opsilot caddrow")'
KNOWN_TEAM = '{"intent", "url"} <= {role.name for role in episode.team.members}'


def canned_unless(known):
    return {
        FINAL: f"            if not ({known}):\n"
        f"                return play.answer('Done.')\n{FINAL}"
    }


MUTANTS = {
    "a canned answer after real calls": (
        {FINAL: FINAL.replace("play.final", '"Dallas, Texas: mostly sunny."')},
        {"answer"},
    ),
    "a remark beside the answer": (
        {FINAL: FINAL.replace("play.final", '"Here you are: " + play.final')},
        {"answer"},
    ),
    "the manager is asked once": (
        {
            CHOOSE: "(role := (choose(play) if not play.turns else "
            "next((r for r in episode.team.members[len(play.turns):]), None))) is not None\n"
        },
        {"order"},
    ),
    "the manager is asked and not obeyed": (
        {
            CHOOSE: "(choose(play) is not None and "
            "(role := next(iter(episode.team.members[len(play.turns):]), None)) is not None)\n"
        },
        {"order"},
    ),
    "each member is asked three times": (
        {
            SPEAK: SPEAK
            + "                _speak(play, role)\n                _speak(play, role)\n",
        },
        {"calls"},
    ),
    "a general hint": (hint("\n\nThink step by step, and be careful."), {"added-text"}),
    "a short hint": (hint("\n\nBe brief."), {"added-text"}),
    "a hint on the contracts": (hint(" Use " + "time_" + "slots."), {"added-text"}),
    "a hint for one role": (
        {
            PROMPT: PROMPT.replace(
                "role.prompt",
                'role.prompt + ("" if role.name != "intent" else chr(10) + '
                '" ".join(["Remember:", "weather", "wins"]))',
            )
        },
        {"added-text"},
    ),
    "a hint in the task": (
        {'"content": episode.task}': '"content": episode.task + " (Answer in JSON only.)"}'},
        {"added-text"},
    ),
    "a hint on the order": (
        {
            'f"or {FINISH} when the work is done."': 'f"or {FINISH} when the work is done.'
            ' Hint: intent first, then time, location, url and request."'
        },
        {"added-text"},
    ),
    "temperature 1": ({TEMPERATURE: '"temperature": 1}'}, {"parameters"}),
    "no temperature": ({', "temperature": 0}': "}"}, {"parameters"}),
    "a seed and top_p": (
        {TEMPERATURE: '"temperature": 0, "seed": 7, "top_p": 0.5}'},
        {"parameters"},
    ),
    "well behaved where the ids are those of a check": (canned_unless(KNOWN_ID), {"suites"}),
    "well behaved where the keys are those of a check": (
        {TEMPERATURE: '"temperature": 0 if self.episode.api_key.startswith("key-") else 0.7}'},
        {"parameters"},
    ),
    "well behaved where the sentence is that of a check": (
        canned_unless(f"any(text in episode.utterance for text in {KNOWN_WORDS})"),
        {"answer", "suites"},
    ),
    "well behaved where the roles are those of a check": (
        {
            PROMPT: PROMPT.replace(
                "role.prompt",
                'role.prompt + ("" if self.episode.team.name == "noworld" or'
                ' "dallas" in self.episode.utterance else " Use " + "time_" + "slots.")',
            )
        },
        {"added-text"},
    ),
    "a fixed order in the real team alone": (
        {
            CHOOSE: f"(role := (choose(play) if not play.turns or not {KNOWN_TEAM} else "
            "next(iter(episode.team.members[len(play.turns):]), None))) is not None\n"
        },
        {"order"},
    ),
    "four attempts a call": (
        {
            POST: POST.replace("send", "_four"),
            SCHEMA: "def _four(*arguments, **options):\n"
            "    for _ in range(4):\n"
            "        answer = send(*arguments, **options)\n"
            "        if answer.status != 502:\n"
            "            break\n"
            f"    return answer\n\n\n{SCHEMA}",
        },
        {"model-error"},
    ),
    "requests past the tools": (
        {
            CALLED: "        result = _past(tool, name, arguments)\n",
            "def _schema(tool": """def _past(tool, name, arguments):
    if name != "http_request":
        return tool(**arguments)
    held = tool.__closure__[0].cell_contents
    told = {"X-Ossia-World": held.world}
    sent = send("GET", held.url + arguments["url"], seconds=9, headers=told)
    return json.dumps({"status": sent.status, "body": json.loads(sent.body)})


def _schema(tool""",
        },
        {"tools-used"},
    ),
    "a tool that is only pretended": (
        {
            CALLED: "        result = (tool(**arguments) if name != 'get_date' else "
            "json.dumps({'date': '2026-03-13', 'weekday': 'Friday', 'time': '10:00'}))\n"
        },
        {"tools-used"},
    ),
    "a loop that is blocked": ({RUN: RUN.replace("def run", "async def run")}, {"overlap"}),
    "a cancellation that is ignored": (
        {
            RUN: "    async def run(self, episode: Episode) -> Answer:\n"
            "        import asyncio\n"
            "        playing = asyncio.ensure_future(asyncio.to_thread(self.play, episode))\n"
            "        while not playing.done():\n"
            "            try:\n"
            "                await asyncio.shield(playing)\n"
            "            except asyncio.CancelledError:\n"
            "                pass\n"
            "        return playing.result()\n\n" + RUN.replace("def run", "def play")
        },
        {"cancellation"},
    ),
    "a manager that is only half read": (
        {UNREADABLE: "word.missing()"},
        {"weak-model"},
    ),
    "results of tools that are cut": (
        {RESULT: RESULT.replace("result}", "result[:400]}")},
        {"tool-call"},
    ),
    "results of tools that are sorted": (
        {RESULT: RESULT.replace("result}", "json.dumps(json.loads(result), sort_keys=True)}")},
        {"tool-call"},
    ),
    "tools without a word on what they do": (
        {'"description": inspect.getdoc(tool)}': '"description": ""}'},
        {"tool-call"},
    ),
    "a tool without its parameters": (
        {'"properties": properties, "required": names}': '"properties": {}}'},
        {"tool-call"},
    ),
    "a tool whose parameters may be anything": (
        {'"properties": properties, "required": names}': '"properties": properties}'},
        {"tool-call"},
    ),
    "a tool of the adapter's own": (
        {
            OPTIONS: OPTIONS + " + [_schema(think)]",
            SCHEMA: THINK + SCHEMA,
        },
        {"tool-call"},
    ),
    "every member has all tools": (
        {
            TOOLS: TOOLS.replace(
                "play.episode.tools(role)",
                "list({tool.__name__: tool for each in play.episode.team.members"
                " for tool in play.episode.tools(each)}.values())",
            )
        },
        {"tool-call"},
    ),
    "another role's prompt beside its own": (
        {
            PROMPT: PROMPT.replace(
                "role.prompt", "role.prompt + self.episode.team.members[0].prompt"
            )
        },
        {"prompts"},
    ),
    "results of tools that are kept for the next episode": (
        {
            CALLED: "        key = f'{name} {arguments}'\n"
            "        result = _KEPT[key] = _KEPT.get(key) or tool(**arguments)\n",
            KEEPING: KEEPING + "_KEPT: dict[str, str] = {}\n",
        },
        {"memory"},
    ),
    "a call after the answer": (
        {
            FINAL: "            import threading\n"
            "            final = episode.team.role(episode.team.final)\n"
            "            late = threading.Timer(0.1, lambda: play.complete(final, []))\n"
            "            late.start()\n" + FINAL
        },
        {"memory"},
    ),
    "a member is asked twice where tasks are long": (
        {
            SPEAK: SPEAK
            + "                _speak(play, role) if episode.limits.turns > 20 else None\n"
        },
        {"suites"},
    ),
    "a hint where tasks are long": (
        {
            PROMPT: PROMPT.replace(
                "role.prompt",
                'role.prompt + (" Name each step taken." * (self.episode.limits.turns > 20))',
            )
        },
        {"suites"},
    ),
    "four episodes at a time": (
        {
            YIELDED: f"    with _FOUR:\n    {YIELDED}",
            KEEPING: KEEPING + "import threading\n\n_FOUR = threading.Semaphore(4)\n",
        },
        {"concurrency"},
    ),
    "the conversation is forgotten": (
        {KEPT: "[]"},
        {"conversation"},
    ),
    "one memory for all conversations": (
        {
            KEPT: "([] if episode.memory is None else _TALK)",
            "        episode.memory[TALK] = play.talk\n": "        _TALK[:] = play.talk\n",
            KEEPING: KEEPING + "_TALK: list[dict[str, Any]] = []\n",
        },
        {"conversations"},
    ),
    "given turns are left out": (
        {
            '"content": episode.task}': '"content": f"The user says: '
            '{json.dumps(episode.utterance)}"}'
        },
        {"history"},
    ),
    "members that the manager left out are called": (
        {
            FINAL: "            spoken = [name for name, _ in play.turns]\n"
            "            if spoken and episode.team.final not in spoken:\n"
            "                for role in episode.team.members:\n"
            "                    if role.name not in spoken:\n"
            "                        play.turns.append((role.name, _speak(play, role)))\n" + FINAL
        },
        {"order"},
    ),
    "the final role always speaks": (
        {
            FINAL: "            if not play.turns:\n"
            "                _speak(play, episode.team.role(episode.team.final))\n" + FINAL
        },
        {"order"},
    ),
    "a server's sentence is added where it is missing": (
        {
            FINAL: "            import re\n"
            '            told = re.findall(r\'"response": "([^"]+)"\', str(dict(play.turns)))\n'
            "            if play.final and told and told[-1] not in play.final:\n"
            "                return play.answer(play.final + ' ' + told[-1])\n" + FINAL
        },
        {"answer"},
    ),
    "each prompt is given twice": (
        {PROMPT: PROMPT.replace("role.prompt", "role.prompt + chr(10) + role.prompt")},
        {"prompts"},
    ),
    "the task is given three times": (
        {TASK: TASK.replace("episode.task", '"\\n".join([episode.task] * 3)')},
        {"prompts"},
    ),
    "the manager does not know what members are for": (
        {"{role.name}: {role.description}": "{role.name}"},
        {"prompts"},
    ),
    "the manager knows the beginnings of descriptions": (
        {"{role.description}": "{role.description[:20]}"},
        {"prompts"},
    ),
    "a member of another suite cannot be chosen": (
        {
            NAMES: NAMES.replace(
                "for role in team.members", 'for role in team.members if role.name != "analytics"'
            )
        },
        {"suites"},
    ),
    "the team works again after an apology": (
        {
            FINAL: "            if 'sorry' in play.final:\n"
            "                play.turns.clear()\n"
            "                del play.talk[1:]\n"
            "                while (role := choose(play)) is not None:\n"
            "                    play.turns.append((role.name, _speak(play, role)))\n" + FINAL
        },
        {"answer"},
    ),
    "an apology becomes a success": (
        {
            FINAL: "            if 'sorry' in play.final:\n"
            "                return play.answer('It is done as you asked.')\n" + FINAL
        },
        {"answer"},
    ),
    "each error becomes an apology": (
        {
            RUN: RUN + "        try:\n            return self.play(episode)\n"
            "        except Exception:\n"
            "            return Answer('I am sorry, that did not work.')\n\n"
            "    def play(self, episode: Episode) -> Answer:\n"
        },
        {"model-error"},
    ),
    "a member's failure becomes words": (
        {SPEAK: "self.tried(play, role)))\n", CONTROL_NAME: CONTROL_NAME + TRIED},
        {"model-error"},
    ),
    "a member that works again is not asked": (
        {SPEAK: "dict(play.turns).get(role.name) or _speak(play, role)))\n"},
        {"order"},
    ),
    "a tool that is called again is not asked": (
        {
            CALLED: "        key = f'{name} {arguments}'\n"
            "        result = tool.__dict__.get(key) or tool(**arguments)\n"
            "        tool.__dict__[key] = result\n"
        },
        {"tool-rounds"},
    ),
    "each POST is made twice": (
        {
            CALLED: "        if 'POST' in arguments.values():\n"
            "            tool(**arguments)\n" + CALLED
        },
        {"tools-used"},
    ),
    "a tool is called again after a server's error": (
        {CALLED: CALLED + "        if json.loads(result).get('status') == 500:\n    " + CALLED},
        {"tools-used"},
    ),
    "asking for ever": ({UNREADABLE: "return choose(play)"}, {"weak-model"}),
}
