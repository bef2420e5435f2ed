"""The gateway: an OpenAI-compatible endpoint between frameworks and models.

It learns the episode from the API key and the role from the model's name, keeps each episode's
budget, retries what may pass, and records every exchange.
"""

from ossia_servers.gateway.asking import Ask, Asker, Message, Unanswered
from ossia_servers.gateway.cache import AnswerCache
from ossia_servers.gateway.canonical import canonical_request, request_key
from ossia_servers.gateway.chat import fault_body
from ossia_servers.gateway.inprocess import Answerer, InProcessModel
from ossia_servers.gateway.models import (
    ClosingModel,
    Completion,
    EndpointClosed,
    Model,
    ModelCall,
    ModelFailure,
    RequestRefused,
    RoleModels,
    TapeMiss,
    completion_of,
)
from ossia_servers.gateway.opening import PROVIDERS, Offline, Provider, open_model, upstream_name
from ossia_servers.gateway.pace import Paces
from ossia_servers.gateway.parameters import Parameter, known_parameters, read_parameter
from ossia_servers.gateway.prices import PRICES_OF, is_priced, price_usd
from ossia_servers.gateway.purse import Purse, SpendingLimit
from ossia_servers.gateway.records import (
    RECORD_VERSION,
    Budget,
    BudgetPart,
    Clock,
    Exchange,
    FailedAttempt,
    GatewayRecord,
    Served,
    Status,
    Timing,
    Usage,
)
from ossia_servers.gateway.scripted import Rule, Rules, ScriptedModel, ToolUse
from ossia_servers.gateway.service import ROLES, Gateway
from ossia_servers.gateway.specification import (
    ModelSpec,
    Specification,
    names_upstream,
    read_specification,
)
from ossia_servers.gateway.tape import TAPE_VERSION, Recorded, ReplayModel, Tape, TapeEntry
from ossia_servers.gateway.upstream import UpstreamModel, UpstreamOptions, jittered

__all__ = [
    "PRICES_OF",
    "PROVIDERS",
    "RECORD_VERSION",
    "ROLES",
    "TAPE_VERSION",
    "AnswerCache",
    "Answerer",
    "Ask",
    "Asker",
    "Budget",
    "BudgetPart",
    "Clock",
    "ClosingModel",
    "Completion",
    "EndpointClosed",
    "Exchange",
    "FailedAttempt",
    "Gateway",
    "GatewayRecord",
    "InProcessModel",
    "Message",
    "Model",
    "ModelCall",
    "ModelFailure",
    "ModelSpec",
    "Offline",
    "Paces",
    "Parameter",
    "Provider",
    "Purse",
    "Recorded",
    "ReplayModel",
    "RequestRefused",
    "RoleModels",
    "Rule",
    "Rules",
    "ScriptedModel",
    "Served",
    "Specification",
    "SpendingLimit",
    "Status",
    "Tape",
    "TapeEntry",
    "TapeMiss",
    "Timing",
    "ToolUse",
    "Unanswered",
    "UpstreamModel",
    "UpstreamOptions",
    "Usage",
    "canonical_request",
    "completion_of",
    "fault_body",
    "is_priced",
    "jittered",
    "known_parameters",
    "names_upstream",
    "open_model",
    "price_usd",
    "read_parameter",
    "read_specification",
    "request_key",
    "upstream_name",
]
