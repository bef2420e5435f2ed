"""Which adapters there are, and the environment of each one."""

from ossia.adapters.errors import (
    AdapterError,
    AdapterProjectError,
    InstallError,
    UnknownAdapterError,
    UnsatisfiableError,
)
from ossia.adapters.info import AdapterInfo, lacking, read_project
from ossia.adapters.install import install, install_all
from ossia.adapters.lock import advisories, compile_lock
from ossia.adapters.new import NewAdapter, make_project, require_new_name
from ossia.adapters.registry import (
    BrokenAdapter,
    Survey,
    find_adapter,
    find_adapters,
    how_to_install,
    named_adapters,
    ossia_home,
    sdk_project,
    survey_adapters,
)
from ossia.adapters.stale import (
    KeptEnvironment,
    installed_adapters,
    remove_stale,
    stale_environments,
)
from ossia.adapters.variants import Variant

__all__ = [
    "AdapterError",
    "AdapterInfo",
    "AdapterProjectError",
    "BrokenAdapter",
    "InstallError",
    "KeptEnvironment",
    "NewAdapter",
    "Survey",
    "UnknownAdapterError",
    "UnsatisfiableError",
    "Variant",
    "advisories",
    "compile_lock",
    "find_adapter",
    "find_adapters",
    "how_to_install",
    "install",
    "install_all",
    "installed_adapters",
    "lacking",
    "make_project",
    "named_adapters",
    "ossia_home",
    "read_project",
    "remove_stale",
    "require_new_name",
    "sdk_project",
    "stale_environments",
    "survey_adapters",
]
