"""Faults: known wrong outputs of roles, made from right ones.

A fault acts on what a role says in the wire form of the contracts, before a framework's envelope is
put around it. Who injects it (a noisy model, the gateway) decides when; this package decides what.
"""

from ossia_servers.assistant.offline.faults.catalogue import Catalogue, DomainEntry
from ossia_servers.assistant.offline.faults.kinds import FaultType, Form, fault_types
from ossia_servers.assistant.offline.faults.make import FaultMaker
from ossia_servers.assistant.offline.faults.scene import Scene

__all__ = [
    "Catalogue",
    "DomainEntry",
    "FaultMaker",
    "FaultType",
    "Form",
    "Scene",
    "fault_types",
]
