"""The control of a comparison: the team without a framework."""

from ossia_adapter_control.common import ModelError, RoutingError
from ossia_adapter_control.router import ADAPTER, ControlAdapter

__all__ = ["ADAPTER", "ControlAdapter", "ModelError", "RoutingError"]
