"""The team as a plain loop, without a framework: the control of a comparison."""

from ossia_adapter_control.adapter import ADAPTER, ControlAdapter
from ossia_adapter_control.chat import ModelError
from ossia_adapter_control.manager import RoutingError

__all__ = ["ADAPTER", "ControlAdapter", "ModelError", "RoutingError"]
