"""The embedded model: answers for every role of the assistant team without any network."""

from ossia_servers.assistant.offline.model import OfflineModel
from ossia_servers.assistant.offline.understanding.frames import Frame

__all__ = ["Frame", "OfflineModel"]
