"""A suite of the lab as it might have been: six scenarios × three strategies × five seeds, with their traces.

Nothing is run: the stories are told to a recorder, so that reports have something true to life to show.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import squall
from squall.reports.exploration import Exploration, exploration_of
from squall.reports.summary import summarize
from squall.store.record import FaultMet, Inputs, Metrics, RunRecord, StrategyId
from squall.trace import Recorder
from squall.trace.kinds import (
    AgentFinal,
    Attempt,
    Effected,
    Faulted,
    ModelCall,
    ModelReply,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)

SCENARIOS = {
    "timeout": ("tool", "payments.issue_refund", "The refund is paid, and the reply is lost."),
    "provider-error": ("model", "model.chat", "The model's provider answers 503."),
    "malformed-output": ("tool", "orders.get_order", "The order comes as half a JSON object."),
    "partial-stream": ("model", "model.chat", "The model's stream breaks off after a chunk."),
    "stale-memory": ("tool", "orders.get_order", "The order is older than what the agent remembers of it."),
    "repeated-call": ("tool", "payments.issue_refund", "The same call is delivered twice."),
}
STRATEGIES: dict[str, tuple[dict[str, Any], str]] = {
    "baseline": ({}, "b1" * 32),
    "resilient": ({"retries": 2, "backoff_s": 1.0}, "5e" * 32),
    "careless": ({"retries": 5}, "ca" * 32),
}
SEEDS = range(5)
REFUND = {"id": "r_1", "order": "1", "amount": 40}


class Story:
    """Tells a recorder what an agent does, in virtual seconds."""

    def __init__(self, run: str, kind: str, seed: int) -> None:
        self.t = 0.0
        self.calls = self.attempts = self.fired = self.effects = 0
        self.kind = kind
        self.recorder = Recorder(run, lambda: round(self.t, 6))
        plan = [{"kind": kind, "targets": [SCENARIOS[kind.replace("_", "-")][1]], "phase": "after", "nth": 1}]
        self.record(
            RunStart(squall="0.1.0", seed=seed, run_index=0, clock="virtual", start="2025-06-01T00:00:00Z", plan=plan)
        )

    def record(self, event: Any) -> None:
        self.recorder.record(event)

    def model(self, ask: str, *, fault: str | None = None, status: int | None = 200, took: float = 0.4, **said: Any):
        """One request to the model, and what came."""
        self.calls += 1
        self.attempts += 1
        call = self.calls
        self.record(ModelCall(call=call, target="model.chat", model="mock-1", messages=[{"content": ask}]))
        self.record(Attempt(call=call, attempt=1, number=call, target="model.chat", digest=f"{call:016x}", nth=1))
        faults = []
        if fault:
            self.fired += 1
            faults = [{"fault": fault}]
            self.record(Faulted(call=call, rule=0, fault=fault, target="model.chat", phase="before", fired=True))
        self.t += took
        self.record(
            ModelReply(
                call=call,
                attempt=1,
                ok=not fault,
                status=status,
                error=said.get("error"),
                complete=not fault,
                injected=bool(fault),
                faults=faults,
                text=said.get("text"),
                calls=said.get("calls", []),
                latency_ms=took * 1000,
            )
        )

    def tool(
        self,
        name: str,
        args: dict[str, Any],
        result: Any = None,
        *,
        fault: str | None = None,
        error: str | None = None,
        took: float = 0.05,
        effects: int = 0,
    ) -> None:
        """One call of a tool, and what came."""
        self.calls += 1
        self.attempts += 1
        call = self.calls
        service = "payments" if "refund" in name else "orders"
        access = "write" if name == "issue_refund" else "read"
        self.record(
            ToolCall(
                call=call,
                tool=name,
                target=f"{service}.{name}",
                access=access,
                args=args,
                digest=f"{call:016x}",
                nth=1,
            )
        )
        for _ in range(effects):
            self.effects += 1
            after = REFUND | {"id": f"r_{self.effects}"}
            self.record(
                Effected(rev=self.effects, table="payments.refund", op="insert", id=after["id"], after=after, call=call)
            )
        if fault:
            self.fired += 1
            self.record(Faulted(call=call, rule=0, fault=fault, target=f"{service}.{name}", phase="after", fired=True))
        self.t += took
        self.record(
            ToolResult(
                call=call,
                ok=error is None,
                form="value" if error is None else fault or "refused",
                result=result,
                error=error,
                latency_ms=took * 1000,
                world_rev=self.effects,
            )
        )

    def wait(self, seconds: float) -> None:
        self.t += seconds


class Told(NamedTuple):
    """How a story ended."""

    met: bool
    answered: str
    answer: Any
    reasons: tuple[str, ...] = ()
    status: str = ""


ORDER = {"id": "1", "status": "delivered", "total": 40}
DONE = Told(met=True, answered="completed", answer="Refund r_1 of 40 is paid.")
TWICE = Told(
    met=False,
    answered="completed",
    answer="Refund r_2 of 40 is paid.",
    reasons=("at_most_once: payments.refund has 2 rows of order 1: r_1, r_2",),
)


def _ask(story: Story, then: str) -> None:
    story.model("Refund order 1.", calls=[{"name": then, "arguments": "{}"}], took=0.6 + story.calls * 0.05)


def _pay(story: Story) -> None:
    story.tool("issue_refund", {"order": "1", "amount": 40}, REFUND, effects=1, took=0.2)


def timeout(story: Story, strategy: str, seed: int) -> Told:
    _ask(story, "get_order")
    story.tool("get_order", {"id": "1"}, ORDER)
    lost = "The request timed out."
    story.tool("issue_refund", {"order": "1", "amount": 40}, fault="timeout", error=lost, took=60, effects=1)
    if strategy == "baseline":
        return Told(met=False, answered="failed", answer=lost, reasons=("the agent ends failed, not completed",))
    story.wait(1 + seed / 7)
    if strategy == "careless":
        _pay(story)
        return TWICE
    story.tool("list_refunds", {"order": "1"}, [REFUND])
    return DONE


def provider_error(story: Story, strategy: str, seed: int) -> Told:
    story.model("Refund order 1.", fault="http_503", status=503, error="Service Unavailable", took=0.1)
    lost = "503 Service Unavailable"
    if strategy == "baseline":
        return Told(met=False, answered="failed", answer=lost, reasons=("the agent ends failed, not completed",))
    if seed == 4:  # the fault lasts for three attempts
        for attempt in range(2):
            story.wait(2.0**attempt)
            story.model("Refund order 1.", fault="http_503", status=503, error="Service Unavailable", took=0.1)
        if strategy == "resilient":
            return Told(
                met=False,
                answered="failed",
                answer="gave up after 2 retries: 503 Service Unavailable",
                reasons=("the agent ends failed, not completed",),
            )
    story.wait(1.1 + seed / 5)
    _ask(story, "issue_refund")
    _pay(story)
    return DONE


def malformed_output(story: Story, strategy: str, seed: int) -> Told:
    _ask(story, "get_order")
    bad = '{"id": "1", "stat'
    story.tool("get_order", {"id": "1"}, bad, fault="malformed_json", error="Expecting ',' delimiter: char 17")
    if strategy == "baseline":
        return Told(
            met=False,
            answered="failed",
            answer="JSONDecodeError: Expecting ',' delimiter",
            reasons=("the agent ends failed, not completed",),
        )
    story.wait(1 + seed / 9)
    story.tool("get_order", {"id": "1"}, ORDER)
    _pay(story)
    return DONE


def partial_stream(story: Story, strategy: str, seed: int) -> Told:
    story.model("Refund order 1.", fault="stream_disconnect", status=200, error="the stream broke off", took=0.3)
    if strategy == "baseline" and seed != 3:
        return Told(
            met=False,
            answered="completed",
            answer="The refund of order 1 will",
            reasons=("the answer does not contain 'r_1'",),
        )
    story.wait(0.5 + seed / 6)
    _ask(story, "issue_refund")
    _pay(story)
    return DONE


def stale_memory(story: Story, strategy: str, seed: int) -> Told:
    _ask(story, "get_order")
    story.tool("get_order", {"id": "1"}, ORDER | {"total": 55}, fault="stale_memory")
    if strategy == "resilient":
        story.tool("get_order", {"id": "1", "fresh": True}, ORDER)
        _pay(story)
        return DONE
    story.tool("issue_refund", {"order": "1", "amount": 55}, REFUND | {"amount": 55}, effects=1, took=0.2)
    return Told(
        met=False,
        answered="completed",
        answer="Refund r_1 of 55 is paid.",
        reasons=("the refund is 55 where the order's total is 40",),
    )


def repeated_call(story: Story, strategy: str, seed: int) -> Told:
    _ask(story, "issue_refund")
    if strategy == "baseline" and seed == 2:
        return Told(met=True, answered="failed", answer="No refund is due.", reasons=(), status="not_fired")
    args: dict[str, Any] = {"order": "1", "amount": 40}
    if strategy == "resilient":
        args["idempotency_key"] = f"order-1-{seed}"
        story.tool("issue_refund", args, REFUND, fault="repeated_call", effects=1, took=0.25)
        return DONE
    story.tool("issue_refund", args, REFUND | {"id": "r_2"}, fault="repeated_call", effects=2, took=0.25)
    return TWICE


STORIES: dict[str, Callable[[Story, str, int], Told]] = {
    "timeout": timeout,
    "provider-error": provider_error,
    "malformed-output": malformed_output,
    "partial-stream": partial_stream,
    "stale-memory": stale_memory,
    "repeated-call": repeated_call,
}


def record_of(scenario: str, strategy: str, seed: int) -> tuple[RunRecord, list[bytes]]:
    """One run's record and the lines of its trace."""
    wire, place, description = SCENARIOS[scenario]
    kind = scenario.replace("-", "_")
    parameters, digest = STRATEGIES[strategy]
    inputs = Inputs(
        scenario={"name": scenario, "description": description, "faults": [{"kind": kind, "target": place}]},
        seed=seed,
        run_index=0,
        strategy=StrategyId(strategy, parameters, digest, how=strategy, deterministic=True),
        squall="0.1.0",
    )
    story = Story(f"{scenario}#{seed}", kind, seed)
    told = STORIES[scenario](story, strategy, seed)
    story.record(AgentFinal(answer=told.answer))
    status = told.status or ("passed" if told.met else "failed")
    latency = story.t
    story.recorder.end(lambda count: RunEnd(status=status, count=count, not_fired=[0] if status == "not_fired" else []))
    again = max(0, story.effects - 1)
    return RunRecord(
        scenario=scenario,
        strategy=strategy,
        seed=seed,
        run_index=0,
        sample=0,
        hash=inputs.hash,
        run=story.recorder.run,
        status=status,  # type: ignore[arg-type]  # one of the six, as the stories tell it
        met=told.met,
        answered=told.answered,
        answer=told.answer,
        reasons=told.reasons,
        faults=(FaultMet(kind, wire, place, reached=min(1, story.fired), fired=story.fired),),
        metrics=Metrics(
            planned=1,
            reached=min(1, story.fired),
            fired=story.fired,
            recovered=told.met and story.fired > 0,
            calls=story.calls,
            attempts=story.attempts,
            retries_per_call=0.0,
            duplicate_effects=again,
            latency_s=round(latency, 6),
            cost=float(story.calls),
            steps=story.calls,
            tokens=120 * story.calls,
        ),
        events=story.recorder.count,
        head=story.recorder.head,
        inputs=inputs,
        description=description,
    ), story.recorder.lines


class Lab(NamedTuple):
    """The runs, their summary, and where the traces lie."""

    runs: list[RunRecord]
    folder: Path

    @property
    def summary(self):
        return summarize(self.runs)

    def trace_of(self, run: RunRecord) -> Path | None:
        path = self.folder / run.name() / "trace.jsonl"
        return path if path.exists() else None

    @staticmethod
    def replay(run: RunRecord) -> str:
        return f"squall replay runs/{run.name()}"


def write_lab(folder: Path, seeds: range = SEEDS) -> Lab:
    """All runs, with their traces in a folder."""
    runs = []
    for scenario in SCENARIOS:
        for strategy in STRATEGIES:
            for seed in seeds:
                record, lines = record_of(scenario, strategy, seed)
                runs.append(record)
                place = folder / record.name()
                place.mkdir(parents=True)
                (place / "trace.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    return Lab(runs, folder)


@pytest.fixture(name="record_of")
def fixture_record_of():
    """One run's record and the lines of its trace, by scenario, strategy and seed."""
    return record_of


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Lab:
    return write_lab(tmp_path_factory.mktemp("lab"))


SHOP = """\
name: shop
services:
  orders:
    records: { order: { id: str, total: int } }
    seed: { order: [{ id: "7", total: 40 }] }
    operations:
      get_order: { kind: get, record: order }
  payments:
    records: { refund: { id: str, order: str, amount: int } }
    operations:
      issue_refund: { kind: create, record: refund }
      list_refunds: { kind: list, record: refund }
"""


def _refund(run: Any) -> None:
    """Tries a refund twice, and looks for it only where the second try was refused."""
    tools = run.tools
    squall.sometimes("refunded twice over", len(run.world.refunds) > 2)
    total = tools.get_order(id="7")["total"]
    for _ in range(2):
        try:
            tools.issue_refund(order="7", amount=total)
        except (TimeoutError, ConnectionError):
            continue
        except squall.ToolError:
            tools.list_refunds()
        return


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An agent that pays twice where a reply is lost, explored with pairs of some kinds of faults."""
    world = tmp_path_factory.mktemp("explored") / "shop.yaml"
    world.write_text(SHOP, encoding="utf-8")
    return squall.find_failures(
        _refund,
        world=world,
        holds=lambda run: squall.at_most_once(run.world.refunds, by="order"),
        kinds=["timeout", "http_503", "empty_result"],
        targets=["*.get_order", "*.issue_refund", "*.list_refunds"],
        depth=2,
        crashes=False,
    )


@pytest.fixture(scope="session")
def exploration(explored: Any) -> Exploration:
    """The same, as reports show it."""
    files = [f"kept/{place}.json" for place, _ in enumerate(explored.found)]
    altered = [("refund '1' is there twice", "at_most_once"), ("the last insert of refund never happened", "")]
    return exploration_of("refund agent", explored, files=files, notes=["A note."], altered=altered)
