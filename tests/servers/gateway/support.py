"""A model behind an endpoint of the tests, whose pauses are noted and not made."""

from ossia_servers.gateway import UpstreamModel, UpstreamOptions

KEY = "sk-upstream-0123456789abcdef"


class Pauses:
    """Notes the pauses instead of making them."""

    def __init__(self):
        self.made = []

    async def __call__(self, seconds):
        self.made.append(seconds)


def model_for(endpoint, *, pauses=None, key=KEY, name="openai/gpt-4o", **options):
    options = {"retries": 3, "timeout_s": 10.0, **options}
    return UpstreamModel(
        name,
        model="real-model",
        base_url=endpoint if isinstance(endpoint, str) else endpoint.url,
        api_key=key,
        options=UpstreamOptions(sleep=pauses or Pauses(), **options),
    )
