"""The attributor's own fixtures: a real team, real servers and faults put in at the gateway."""

from tests.ossia.attribution.conftest import bench, control

__all__ = ["bench", "control"]
