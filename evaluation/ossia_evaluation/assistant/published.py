"""What Auto-SLURP publishes of failures by role (arXiv 2504.18373, Table 3)."""

from __future__ import annotations

from typing import Final

from ossia_evaluation.attribution.columns import Published

TABLE_3: Final = Published(
    source="Auto-SLURP's Table 3 (arXiv 2504.18373; other models, tasks and servers)",
    shares={
        "camel": {"intent": 54, "time": 18, "url": 14, "manager": 9, "function call": 18},
        "langgraph": {"intent": 34, "time": 12, "url": 13, "manager": 53},
        "autogen": {"intent": 68, "time": 9, "url": 43, "manager": 13},
        "agentlite": {"intent": 69, "time": 19, "location": 7, "url": 19},
    },
)
