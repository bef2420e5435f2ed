"""The gateway: an OpenAI-compatible endpoint between frameworks and models.

It learns the episode from the API key and the role from the model's name, keeps each episode's
budget, retries what may pass, and records every exchange.
"""

from ossia_servers.gateway.canonical import canonical_request, request_key
from ossia_servers.gateway.inprocess import Answerer, InProcessModel
from ossia_servers.gateway.models import (
    ClosingModel,
    Completion,
    Model,
    ModelCall,
    ModelFailure,
    RequestRefused,
    RoleModels,
    TapeMiss,
    completion_of,
)
from ossia_servers.gateway.opening import PROVIDERS, Provider, open_model
from ossia_servers.gateway.prices import PRICES_OF, is_priced, price_usd
from ossia_servers.gateway.records import (
    RECORD_VERSION,
    Budget,
    BudgetPart,
    Clock,
    Exchange,
    GatewayRecord,
    Status,
    Timing,
    Usage,
)
from ossia_servers.gateway.scripted import Rule, Rules, ScriptedModel, ToolUse
from ossia_servers.gateway.service import ROLES, Gateway
from ossia_servers.gateway.specification import ModelSpec, Specification, read_specification
from ossia_servers.gateway.tape import TAPE_VERSION, Recorded, ReplayModel, Tape, TapeEntry
from ossia_servers.gateway.upstream import UpstreamModel, UpstreamOptions

__all__ = [
    "PRICES_OF",
    "PROVIDERS",
    "RECORD_VERSION",
    "ROLES",
    "TAPE_VERSION",
    "Answerer",
    "Budget",
    "BudgetPart",
    "Clock",
    "ClosingModel",
    "Completion",
    "Exchange",
    "Gateway",
    "GatewayRecord",
    "InProcessModel",
    "Model",
    "ModelCall",
    "ModelFailure",
    "ModelSpec",
    "Provider",
    "Recorded",
    "ReplayModel",
    "RequestRefused",
    "RoleModels",
    "Rule",
    "Rules",
    "ScriptedModel",
    "Specification",
    "Status",
    "Tape",
    "TapeEntry",
    "TapeMiss",
    "Timing",
    "ToolUse",
    "UpstreamModel",
    "UpstreamOptions",
    "Usage",
    "canonical_request",
    "completion_of",
    "is_priced",
    "open_model",
    "price_usd",
    "read_specification",
    "request_key",
]
