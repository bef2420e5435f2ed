import pytest

from ossia_servers.assistant.offline import OfflineModel


@pytest.fixture(scope="session")
def model():
    return OfflineModel.load()
