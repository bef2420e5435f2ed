"""The team in CAMEL: a workforce, and an agent that has the members as tools."""

import sys
from types import ModuleType

# CAMEL imports all its toolkits, and this one makes /tmp/earth_science as it is imported, which a
# confined worker may not. No role has a toolkit, so an empty one stands in for it.
_toolkit = ModuleType("camel.toolkits.earth_science_toolkit")
_toolkit.__dict__["EarthScienceToolkit"] = object
sys.modules[_toolkit.__name__] = _toolkit
