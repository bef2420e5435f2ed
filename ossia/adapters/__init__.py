"""Which adapters there are, and the environment of each one."""

from ossia.adapters.errors import (
    AdapterError,
    AdapterProjectError,
    InstallError,
    UnknownAdapterError,
)
from ossia.adapters.info import AdapterInfo, read_project
from ossia.adapters.install import install, install_all
from ossia.adapters.registry import find_adapter, find_adapters, ossia_home, sdk_project

__all__ = [
    "AdapterError",
    "AdapterInfo",
    "AdapterProjectError",
    "InstallError",
    "UnknownAdapterError",
    "find_adapter",
    "find_adapters",
    "install",
    "install_all",
    "ossia_home",
    "read_project",
    "sdk_project",
]
