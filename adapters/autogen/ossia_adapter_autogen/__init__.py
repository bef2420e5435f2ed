"""The team as AutoGen's SelectorGroupChat."""

from ossia_adapter_autogen.adapter import ADAPTER, AutoGenAdapter

__all__ = ["ADAPTER", "AutoGenAdapter"]
