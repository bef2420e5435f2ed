"""The workplace of WorkBench (arXiv 2405.00823): five tools' servers and a company directory."""

from ossia_servers.workbench.office import COMPAT_2024, Compat, office_domains, office_servers
from ossia_servers.workbench.tool import Parameter, Tool, Toolkit, observation, toolkit_text

__all__ = [
    "COMPAT_2024",
    "Compat",
    "Parameter",
    "Tool",
    "Toolkit",
    "observation",
    "office_domains",
    "office_servers",
    "toolkit_text",
]
