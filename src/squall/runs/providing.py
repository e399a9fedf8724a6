"""A model provider for other processes, served until somebody ends it. On wall time.

Knows what the provider's wire offers, and no command line: what people are told goes to `say`.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from squall.call import MODEL_TARGETS
from squall.clock import WallClock
from squall.documents import Document, load
from squall.errors import Problem, UsageError, counted
from squall.faults import CALM, Plan, parse_plan
from squall.interpose import ModelInterposer
from squall.models import Scenarios, builtin, load_brain, load_scenarios
from squall.runs.builtin import with_builtin
from squall.runs.limits import unless_stated
from squall.runs.models_weather import plan_of
from squall.runs.serving import SIGNALS
from squall.store import ExchangeRecord
from squall.wire.http.server import HttpServer
from squall.wire.provider import Provider
from squall.wire.sockets import is_local, reserve, url_of

Say = Callable[[str], None]


class Provided(NamedTuple):
    """What is asked for: what the model says, what goes wrong, where it is served, and what is written down."""

    script: Path | None = None
    scenarios: Path | None = None
    faults: Path | None = None
    record: Path | None = None
    host: str = "127.0.0.1"
    port: int = 18080
    allow_remote: bool = False
    seed: int = 0
    run_index: int = 0
    require_key: bool = False
    strict_models: bool = False
    plain_embeddings: bool = False
    sentinels: tuple[str, ...] = ()


def provide(what: Provided, say: Say) -> int:
    """Serve until a signal comes.

    The exit status of the process: 1 where requests had no answer, or where a limit was reached that the plan states.
    """
    if not is_local(what.host) and not what.allow_remote:
        message = f"{what.host!r} may be reached from other machines"
        raise UsageError(Problem(message, hint="Add --allow-remote if that is what you want."))
    clock = WallClock()
    provider, plan = _provider(what, clock)
    record = ExchangeRecord(what.record) if what.record else None
    if record is not None:
        provider.side.on_finished.append(record.finished)
        provider.on_refused.append(record.refused)
        provider.on_unasked.append(record.unasked)
    try:
        sock = reserve(what.host, what.port)
        with clock.in_charge():
            why = asyncio.run(_until_the_end(provider, what, sock, clock, say))
    finally:
        if record is not None:
            record.close()
    number = provider.side.attempts
    say(f"{why}; {counted(number, 'request')}")
    reached = provider.side.limit_reached or clock.limit_reached
    if reached:
        say(f"error: {reached}")
    for failure in provider.failures:
        say(f"error: {failure}")
    if more := provider.failed - len(provider.failures):
        say(f"error: and {more} more requests had no answer")
    for rule in plan.rules.faults:
        if rule.counted and not provider.side.fired[rule.id]:
            say(f"not fired: {plan.sentence(rule.id)}")
    if not provider.failures:
        for brain in provider.brains:
            for sentence in brain.unused():
                say(sentence)
    return 1 if provider.failures or reached else 0


def _provider(what: Provided, clock: WallClock) -> tuple[Provider, Plan]:
    scenarios = None if what.scenarios is None else load_scenarios(what.scenarios)
    plan = _plan(None if what.faults is None else load(what.faults), scenarios)
    limits = unless_stated(plan.limits)
    clock.wall_cap, clock.limit = plan.wall_cap, limits.seconds
    side = ModelInterposer(
        clock, plan=with_builtin(plan), limits=limits, seed=what.seed, run_index=what.run_index, keep=False
    )
    named = builtin.models((*what.sentinels, *(() if scenarios is None else scenarios.sentinels)))
    if scenarios is not None:
        named.update(scenarios.models)
    provider = Provider(
        side, brain=builtin.CHAT, named=named, strict_models=what.strict_models, require_key=what.require_key
    )
    provider.plain_embeddings = what.plain_embeddings
    if what.script is not None:
        provider.use(load_brain(what.script))
    return provider, plan


def _plan(faults: Document | None, scenarios: Scenarios | None) -> Plan:
    """What goes wrong by both files."""
    plan = CALM if faults is None else parse_plan(faults, tuple(MODEL_TARGETS.values()))
    if scenarios is None:
        return plan
    more = plan_of(scenarios)
    return more if plan is CALM else plan.extended(more)


async def _until_the_end(provider: Provider, what: Provided, sock: socket.socket, clock: WallClock, say: Say) -> str:
    loop, asked = asyncio.get_running_loop(), asyncio.Event()
    why = ["ended"]

    def end(name: str) -> None:
        why[0] = f"ended by {name}"
        asked.set()

    for number in SIGNALS:
        with suppress(NotImplementedError):  # Windows: Ctrl-C raises KeyboardInterrupt instead
            loop.add_signal_handler(number, end, signal.Signals(number).name)
    http = HttpServer(provider.answer, provider.refuse, clock)
    async with http.on(sock):
        url = url_of(sock, "")
        which = f"(seed {what.seed}, run {what.run_index})"
        say(f"squall: a model provider {which}, {_weather(what)}, at {url} (Ctrl-C ends it)")
        say(f"  OPENAI_BASE_URL={url}/v1  ANTHROPIC_BASE_URL={url}")
        await asked.wait()
    return why[0]


def _weather(what: Provided) -> str:
    """By which files things go wrong."""
    files = (("faults", what.faults), ("scenarios", what.scenarios))
    told = " and ".join(f"the {kind} of {file}" for kind, file in files if file)
    return f"with {told}" if told else "without faults"
