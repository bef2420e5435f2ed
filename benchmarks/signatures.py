"""Which defaults of its framework an adapter's sources pass something else for.

It runs in the adapter's own environment and needs nothing but that:

    PYTHON signatures.py PACKAGE

It prints a JSON list of `Callable(parameter)`, once for each parameter with a default that a call
in the package names. What goes in by `**` or by position is not seen.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def passed(package: str) -> list[str]:
    """Return the parameters with defaults that calls in a package name.

    Args:
        package: The adapter's package.
    """
    found: set[str] = set()
    folder = importlib.import_module(package)
    for each in pkgutil.iter_modules(folder.__path__):
        module = importlib.import_module(f"{package}.{each.name}")
        tree = ast.parse(inspect.getsource(module))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            found.update(_named(module, call, package))
    return sorted(found)


def _named(module: ModuleType, call: ast.Call, package: str) -> Iterator[str]:
    called = _resolved(module, call.func)
    origin = str(getattr(called, "__module__", "") or "").partition(".")[0]
    own = {package, "ossia_adapter", "builtins"} | set(sys.stdlib_module_names)
    if called is None or not origin or origin in own:
        return
    try:
        parameters = inspect.signature(called).parameters
    except (TypeError, ValueError):
        return
    for keyword in call.keywords:
        one = parameters.get(keyword.arg or "")
        if one is not None and one.default is not inspect.Parameter.empty:
            yield f"{called.__qualname__}({one.name})"


def _resolved(module: ModuleType, func: ast.expr) -> Any:
    if isinstance(func, ast.Name):
        return getattr(module, func.id, None)
    if isinstance(func, ast.Attribute):
        return getattr(_resolved(module, func.value), func.attr, None)
    return None


if __name__ == "__main__":
    print(json.dumps(passed(sys.argv[1])))
