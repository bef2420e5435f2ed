"""The offline model as a model behind the gateway."""

from __future__ import annotations

from ossia_servers.assistant.offline.model import OfflineModel
from ossia_servers.assistant.offline.noise import noise_of
from ossia_servers.gateway.inprocess import InProcessModel
from ossia_servers.gateway.models import Model
from ossia_servers.gateway.specification import ModelSpec


def open_offline(spec: ModelSpec) -> Model:
    """Return the offline model as a specification asks for it.

    Args:
        spec: Names its file, if it is not the package's own, its policy, and how much it errs.

    Raises:
        ArtefactError: If the model file is damaged.
        OSError: If it cannot be read.
    """
    model = OfflineModel.load(spec.path, spec.policy)
    if spec.noise:
        model = model.with_hook(noise_of(spec.noise, spec.seed))
    return InProcessModel(model, name=str(spec))
