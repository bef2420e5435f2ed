"""One domain in the published design: a Flask process of its own that checks and stores nothing.

It runs in an environment with Flask alone, by the development server with one thread for each
request, as such servers are started with `app.run`:

    PYTHON flask_domain.py DECLARATION.json PORT
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

# Flask is in an environment of its own, where no type checker looks.
from flask import Flask, jsonify, request  # type: ignore[import-not-found]

_MOMENTS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d|(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?|every \w+"),
    "time": re.compile(r"\d\d:\d\d|(\d\d:\d\d)?\.\.(\d\d:\d\d)?"),
}


def build(declaration: dict[str, Any]) -> Flask:
    """Build the application of one domain.

    Args:
        declaration: `name`, `intents` (a list) and `fields` (name to kind).
    """
    app = Flask(__name__)
    intents = set(declaration["intents"])
    kinds: dict[str, str] = declaration["fields"]

    def serve() -> Any:
        params = {**request.args.to_dict(), **(request.get_json(silent=True) or {})}
        intent = params.pop("intent", None)
        if intent not in intents:
            return _refused(f"The intent {intent} is not supported.")
        for name, value in params.items():
            if name not in kinds:
                return _refused(f"The parameter {name} is not supported.")
            moment = _MOMENTS.get(kinds[name])
            if moment is not None and not moment.fullmatch(str(value)):
                return _refused(f"The parameter {name} has a wrong format.")
        told = f"{intent} is done."
        data = {"response": told, "query": params, "result": None}
        return jsonify({"code": "SUCCESS", "msg": "ok", "data": data})

    app.add_url_rule(f"/{declaration['name']}", "serve", serve, methods=["GET", "POST"])
    return app


def _refused(message: str) -> tuple[Any, int]:
    return jsonify({"code": "BAD_REQUEST", "msg": message, "data": None}), 400


if __name__ == "__main__":
    build(json.loads(Path(sys.argv[1]).read_text("utf-8"))).run(port=int(sys.argv[2]))
