"""The services that a run needs: gateway and domain servers, on loopback ports of their own."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ossia_servers.gateway import Gateway, Model, fault_body
from ossia_servers.stress.services import ServiceFaults
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain


class MachineClock:
    """The machine's clock, for budgets, latencies and paces only; never for what an agent sees."""

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        return time.monotonic()

    def now(self) -> float:
        """Return seconds since 1970, to compare with what another process noted."""
        return time.time()


@dataclass(frozen=True)
class Services:
    """Running services of one run."""

    domains: Sequence[Domain]
    worlds: WorldStore
    gateway: Gateway
    gateway_url: str
    """Base URL of the gateway, without `/v1`."""
    servers_url: str
    faults: ServiceFaults | None = None
    """Before the domain servers, where the run has a plan of faults."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The only addresses that a worker may connect to, as `host:port`."""
        return tuple(urlsplit(url).netloc for url in (self.gateway_url, self.servers_url))


@asynccontextmanager
async def open_services(
    domains: Sequence[Domain],
    model: Model,
    *,
    worlds_path: Path | None = None,
    price_model: str | None = None,
    stressed: bool = False,
) -> AsyncIterator[Services]:
    """Start gateway and domain servers in the running loop, and stop them at the end.

    Args:
        domains: the domain servers to mount.
        model: what answers behind the gateway.
        worlds_path: database file of the worlds; None keeps them in memory.
        price_model: price tokens as this model's.
        stressed: whether faults may strike what the domain servers answer.
    """
    from ossia_servers.http.app import build_app
    from ossia_servers.http.serving import serve
    from ossia_servers.http.token import demand_admin_token, new_token

    worlds = WorldStore(domains, worlds_path)
    # Worlds of a run are managed from within this process, so nobody is told the token.
    app = build_app(domains, worlds)
    faults = ServiceFaults(app, worlds, domains) if stressed else None
    servers = demand_admin_token(faults or app, new_token())
    gateway = Gateway(model, clock=MachineClock(), price_model=price_model)
    try:
        async with (
            serve(gateway.app, told=fault_body) as gateway_url,
            serve(servers) as servers_url,
        ):
            yield Services(domains, worlds, gateway, gateway_url, servers_url, faults)
    finally:
        await gateway.aclose()
        worlds.close()
