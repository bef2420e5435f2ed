"""Signs of a model's faults by the step that shows them."""

from ossia_evaluation.attribution import Received, RecordedStep, Recording
from ossia_evaluation.attribution.received import Turns
from ossia_evaluation.attribution.recording import recorded_step
from ossia_evaluation.attribution.signed import signed_steps
from ossia_servers.gateway.records import Exchange, GatewayRecord, Timing
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace

REQUEST = {"model": "ossia-caller", "messages": [{"role": "user", "content": "Book room 12."}]}
CUT = {"role": "assistant", "content": "I shall now"}
LEFT = RecordedStep(
    0, "user@ask", "user", (), ("",), ({"role": "assistant", "content": "nothing"},)
)


def test_a_users_step_that_comes_first_has_received_nothing():
    exchange = Exchange(
        seq=0,
        role="caller",
        model="m",
        request=REQUEST,
        forced={},
        response=CUT,
        finish_reason="length",
        usage=None,
        price_usd=None,
        status="ok",
        error=None,
        attempts=1,
        streamed=False,
        timing=Timing(started_s=0, latency_s=0.01),
    )
    trace = Trace(
        episode=EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1),
        ending=Ending(kind="answered"),
        answer="",
        gateway=GatewayRecord(episode="e", exchanges=(exchange,)),
        timing=EpisodeTiming(wall_s=1, cpu_s=None),
    )
    answer = trace.gateway.exchanges[0].response
    assert answer is not None
    step = recorded_step([(Received.of("caller", REQUEST, Turns(("caller",))), answer)])
    found = signed_steps(trace, Recording((LEFT, step), {}))
    assert {name: sign.kind for name, sign in found.items()} == {step.situation: "truncated"}
    assert signed_steps(trace, Recording((LEFT,), {})) == {}
