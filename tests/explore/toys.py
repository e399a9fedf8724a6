"""Simulated agents in a few lines each, with one bug planted in each of them, and their repaired twins.

A run of one is a pure function of the schedule. Everything an agent sees goes through a `Rig`, which knows where faults
can happen; a `Toy` says what must hold in the end.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from squall.decide import Point
from squall.explore import Choice, Observed, Schedule, Search, Seen, Trial

TOOL = (("timeout", "after"), ("http_500", "before"), ("empty_result", "before"), ("malformed_json", "before"))
MODEL = (("http_500", "before"), ("empty_content", "after"))
RETRIES = 1  # that a model's client makes by itself, so that the agent does not see them


class Weather(Exception):
    """What an agent sees of a fault."""


class Endless(BaseException):
    """An agent made more calls than a run may have."""


class Rig:
    """One run: the world, what the agent has heard, and the faults that are to happen."""

    def __init__(self, schedule: Schedule, *, limit: int = 40, known: bool = True) -> None:
        self.world: defaultdict[str, list[Any]] = defaultdict(list)
        self.heard: list[Any] = []
        self.seen: list[Seen] = []
        self.fired: list[Choice] = []
        self.marks: dict[str, bool] = {}
        self._planned = {choice.point: choice for choice in schedule}
        self._equal: Counter[tuple[str, str]] = Counter()
        self._limit, self._known = limit, known

    def ask(self, text: str) -> str | None:
        """A model's answer; None where it has nothing to say."""
        digest, nth = self._call("model.chat", {"said": self.heard, "text": text})
        for attempt in range(1, RETRIES + 2):
            choice = self._arrive(Point("model", "", "model.chat", digest, nth, attempt), "", MODEL)
            if choice is None or choice.kind == "empty_content":
                answer = "yes" if choice is None else None
                self._hear("model", answer)
                return answer
        self._hear("model", "down")
        raise Weather("down")

    def read(
        self, name: str, of: Callable[[Mapping[str, list[Any]]], Any] = lambda _: {"ok": True}, **args: Any
    ) -> Any:
        """What a tool answers that changes nothing."""
        return self._tool(name, "read", of, args)

    def write(self, name: str, table: str, row: Any = 7, *, key: Any = None, remove: bool = False, **args: Any) -> Any:
        """A tool that adds a row, unless one with the same key is there, or removes one."""

        def work(world: Mapping[str, list[Any]]) -> Any:
            rows = world[table]
            if remove:
                rows[:] = [each for each in rows if each[0] != row]
            elif key is None or (row, key) not in rows:
                rows.append((row, key))
            return {"ok": True}

        return self._tool(name, "write", work, {"row": row, "key": key, **args})

    def sometimes(self, name: str, condition: bool) -> None:
        """A mark that should be true in some run."""
        self.marks[name] = self.marks.get(name, False) or condition

    def _tool(self, name: str, access: Any, work: Callable[[Mapping[str, list[Any]]], Any], args: Any) -> Any:
        digest, nth = self._call(f"shop.{name}", args)
        choice = self._arrive(Point("tool", "", f"shop.{name}", digest, nth), access, TOOL)
        reply = work(self.world) if choice is None or choice.phase == "after" else None
        if choice is None:
            return self._hear(name, reply)
        if choice.kind == "empty_result":
            return self._hear(name, None)
        self._hear(name, choice.kind)
        raise Weather(choice.kind)

    def _call(self, target: str, args: Any) -> tuple[str, int]:
        digest = short(args)
        self._equal[target, digest] += 1
        return digest, self._equal[target, digest]

    def _arrive(self, point: Point, access: Any, kinds: tuple[tuple[str, str], ...]) -> Choice | None:
        if len(self.seen) == self._limit:
            raise Endless
        choices = tuple(Choice(point, kind, phase) for kind, phase in kinds)
        state = short((self.heard, dict(self.world))) if self._known else ""
        self.seen.append(Seen(point, len(self.seen), access, choices, state))
        choice = self._planned.get(point)
        if choice is not None:
            self.fired.append(choice)
        return choice

    def _hear(self, who: str, what: Any) -> Any:
        self.heard.append((who, repr(what)))
        return what


class Toy(NamedTuple):
    """An agent, what must not be, how many faults its bug needs, and its twin without the bug."""

    name: str
    agent: Callable[[Rig], Any]
    wrong: Callable[[Mapping[str, list[Any]], Any], str]
    faults: int
    repaired: Callable[[Rig], Any]


def run(toy: Toy, schedule: Schedule = (), *, repaired: bool = False, known: bool = True) -> Observed:
    """One run of a toy."""
    return played(toy, schedule, repaired=repaired, known=known)[0]


def played(toy: Toy, schedule: Schedule, *, repaired: bool = False, known: bool = True) -> tuple[Observed, str]:
    """One run of a toy, and a digest of all that came of it."""
    rig = Rig(schedule, known=known)
    said: Any = None
    status: Any = "passed" if len(schedule) == 0 else "not_fired"
    failure = ""
    try:
        said = (toy.repaired if repaired else toy.agent)(rig)
    except Endless:
        status, failure = "hung", "hung"
    except Exception as error:
        status, failure = "crashed", f"crashed: {type(error).__name__}"
    else:
        failure = toy.wrong(rig.world, said)
        if failure:
            status = "failed"
        elif len(rig.fired) == len(schedule):
            status = "passed"
    observed = Observed(
        status,
        failure,
        message=f"{failure}: {said}" if failure else "",
        seen=tuple(rig.seen),
        fired=tuple(rig.fired),
        marks=frozenset(name for name, true in rig.marks.items() if true),
        asked=frozenset(rig.marks),
        tokens=10 * sum(1 for who, _ in rig.heard if who == "model"),
    )
    return observed, short((rig.heard, dict(rig.world), said, status, failure))


def drive(
    search: Search, play: Callable[[Schedule], Observed], *, workers: int = 1, chance: random.Random | None = None
) -> list[tuple[Trial, Observed]]:
    """Run a search to its end with so many runs under way, which end in any order. In the order of the trials."""
    told: list[tuple[Trial, Observed]] = []
    under_way: list[Trial] = []
    while True:
        under_way += search.ask(workers - len(under_way))
        if not under_way:
            assert search.done
            return sorted(told, key=lambda pair: pair[0].id)
        trial = under_way.pop(chance.randrange(len(under_way)) if chance else 0)
        observed = play(trial.schedule)
        search.tell(trial.id, observed)
        told.append((trial, observed))


def short(value: Any) -> str:
    """A digest."""
    return hashlib.blake2b(repr(value).encode(), digest_size=8).hexdigest()


def tries(number: int, call: Callable[[], Any]) -> Any:
    """The first real answer of so many tries, None where there is none."""
    for _ in range(number):
        try:
            if (reply := call()) is not None:
                return reply
        except Weather:
            pass
    return None


# ------------------------------------------------------------------------------------------------------- the agents


def refund(*, looks: Callable[[Rig], bool | None]) -> Callable[[Rig], str]:
    """Refunds an order: asks, reads three records, files a return and pays back, trying twice.

    `looks` tells before a second try whether the money has gone out: None where that cannot be known.
    """

    def agent(rig: Rig) -> str:
        if tries(2, lambda: rig.ask("plan")) is None:
            return "escalated"
        for name in ("get_order", "get_customer", "check_policy"):
            if tries(2, lambda name=name: rig.read(name, order=7)) is None:  # type: ignore[misc]  # bound now
                return "escalated"
        if tries(2, lambda: rig.ask("decide")) is None:
            return "escalated"
        if tries(1, lambda: rig.write("create_return", "returns")) is None:
            return "escalated"
        for _ in range(2):
            if tries(1, lambda: rig.write("issue_refund", "refunds")) is not None:
                break
            there = looks(rig)
            rig.sometimes("refund retried", there is False)
            if there is None:
                return "escalated"
            if there:
                break
        else:
            return "escalated"
        tries(1, lambda: rig.write("send_email", "emails"))
        tries(1, lambda: rig.ask("summary"))
        return "done"

    return agent


def never_looks(rig: Rig) -> bool | None:
    return False


def trusts_what_it_reads(rig: Rig) -> bool | None:
    try:
        return 7 in (rig.read("list_refunds", lambda world: [row for row, _ in world["refunds"]]) or ())
    except Weather:
        return None


def knows_an_empty_answer(rig: Rig) -> bool | None:
    try:
        answer = rig.read("list_refunds", lambda world: {"rows": [row for row, _ in world["refunds"]]})
    except Weather:
        return None
    return None if answer is None else 7 in answer["rows"]


def paid_twice(world: Mapping[str, list[Any]], said: Any) -> str:
    return "at_most_once: refunds" if len(world["refunds"]) > 1 else ""


def says_done_when_not(rig: Rig) -> str:
    tries(1, lambda: rig.write("send_email", "emails"))
    return "done"


def says_what_it_knows(rig: Rig) -> str:
    return "done" if tries(2, lambda: rig.write("send_email", "emails")) else "not done"


def claimed(world: Mapping[str, list[Any]], said: Any) -> str:
    return "claimed_not_done" if said == "done" and not world["emails"] else ""


def takes_a_reply_for_granted(rig: Rig) -> Any:
    try:
        return rig.read("get_order", order=7)["ok"]
    except Weather:
        return "sorry"


def looks_at_a_reply(rig: Rig) -> Any:
    try:
        return (rig.read("get_order", order=7) or {}).get("ok")
    except Weather:
        return "sorry"


def nothing_wrong(world: Mapping[str, list[Any]], said: Any) -> str:
    return ""


def polls_for_ever(rig: Rig) -> str:
    tries(1, lambda: rig.write("start_job", "jobs"))
    while not tries(1, lambda: rig.read("find_job", lambda world: list(world["jobs"]) or None)):
        pass
    return "done"


def polls_five_times(rig: Rig) -> str:
    tries(1, lambda: rig.write("start_job", "jobs"))
    return "done" if tries(5, lambda: rig.read("find_job", lambda world: list(world["jobs"]) or None)) else "late"


def sells(*, releases: int) -> Callable[[Rig], str]:
    def agent(rig: Rig) -> str:
        if tries(1, lambda: rig.write("reserve", "reserved", key="once")) is None:
            tries(releases, lambda: rig.write("release", "reserved", remove=True))
            return "no"
        if tries(1, lambda: rig.read("get_card")) is not None:
            return "sold"
        tries(releases, lambda: rig.write("release", "reserved", remove=True))
        return "no"

    return agent


def left_reserved(world: Mapping[str, list[Any]], said: Any) -> str:
    return "reserved for nobody" if said == "no" and world["reserved"] else ""


def moves_money(*, attempts: int) -> Callable[[Rig], str]:
    def agent(rig: Rig) -> str:
        if tries(3, lambda: rig.write("debit", "out", key="d")) is None:
            return "no"
        tries(attempts, lambda: rig.write("credit", "in", key="c"))
        return "moved"

    return agent


def money_lost(world: Mapping[str, list[Any]], said: Any) -> str:
    return "conserved: money" if len(world["out"]) != len(world["in"]) else ""


def orders(*, without: int | None) -> Callable[[Rig], str]:
    def agent(rig: Rig) -> str:
        price = tries(1, lambda: rig.read("get_price", lambda _: 30)) or without
        if price is None:
            return "no price"
        tries(1, lambda: rig.write("place_order", "orders", price))
        return "ordered"

    return agent


def for_nothing(world: Mapping[str, list[Any]], said: Any) -> str:
    return "an order for nothing" if any(price == 0 for price, _ in world["orders"]) else ""


def needs_a_yes(*, without: str | None) -> Callable[[Rig], str]:
    """A model's client tries twice by itself: only a fault at both attempts leaves the agent without an answer."""

    def agent(rig: Rig) -> str:
        try:
            answer = rig.ask("may I?") or "no"
        except Weather:
            answer = without or "no"
        if answer == "yes":
            tries(1, lambda: rig.write("delete_account", "deleted", answer if without is None else rig.heard[-1][1]))
        return answer

    return agent


def not_allowed(world: Mapping[str, list[Any]], said: Any) -> str:
    return "deleted without a yes" if any("down" in str(answer) for answer, _ in world["deleted"]) else ""


def pays(*, fresh: bool) -> Callable[[Rig], str]:
    def agent(rig: Rig) -> str:
        keys = itertools.count()
        paid = tries(3, lambda: rig.write("pay", "payments", key=next(keys) if fresh else "k"))
        return "paid" if paid else "unknown"

    return agent


def charged_twice(world: Mapping[str, list[Any]], said: Any) -> str:
    return "at_most_once: payments" if len(world["payments"]) > 1 else ""


def falls_back(*, looks: bool) -> Callable[[Rig], str]:
    def agent(rig: Rig) -> str:
        if tries(1, lambda: rig.write("transfer", "payments", 5)):
            return "paid"
        if looks:
            found = tries(1, lambda: rig.read("list_payments", lambda world: {"rows": list(world["payments"])}))
            if found is None or found["rows"]:
                return "unknown"
        tries(1, lambda: rig.write("transfer_by_hand", "payments", 5))
        return "paid by hand"

    return agent


def gives_up(*, says: str) -> Callable[[Rig], str]:
    def agent(rig: Rig) -> str:
        return "done" if tries(2, lambda: rig.write("send_email", "emails", key="one")) else says

    return agent


def counts(*, partial: bool) -> Callable[[Rig], Any]:
    def agent(rig: Rig) -> Any:
        first = tries(2, lambda: rig.read("list_page", lambda _: [1, 2], page=1))
        second = tries(1, lambda: rig.read("list_page", lambda _: [3], page=2))
        if first is None or (second is None and not partial):
            return None
        return len(first) + len(second or [])

    return agent


def miscounted(world: Mapping[str, list[Any]], said: Any) -> str:
    return "a wrong sum" if said not in (None, 3) else ""


def escalates(*, key: str | None) -> Callable[[Rig], str]:
    """A ticket is opened only when the order cannot be read: its calls exist in no run without a fault."""

    def agent(rig: Rig) -> str:
        if tries(1, lambda: rig.read("get_order", order=7)):
            return "fine"
        tries(2, lambda: rig.write("open_ticket", "tickets", key=key))
        return "escalated"

    return agent


def two_tickets(world: Mapping[str, list[Any]], said: Any) -> str:
    return "at_most_once: tickets" if len(world["tickets"]) > 1 else ""


def closes(*, checks: bool) -> Callable[[Rig], str]:
    """Writes that nobody asked for: an empty list of orders is taken for leave to close the account."""

    def agent(rig: Rig) -> str:
        try:
            orders = rig.read("open_orders", lambda _: [1])
        except Weather:
            return "unknown"
        if orders or (checks and orders is None):
            return "kept"
        tries(1, lambda: rig.write("close_account", "closed"))
        return "closed"

    return agent


def closed_wrongly(world: Mapping[str, list[Any]], said: Any) -> str:
    return "closed with open orders" if world["closed"] else ""


DOUBLE_REFUND = Toy(
    "a refund tried again blindly", refund(looks=never_looks), paid_twice, 1, refund(looks=trusts_what_it_reads)
)
TRUSTED_EMPTY = Toy(
    "an empty list trusted", refund(looks=trusts_what_it_reads), paid_twice, 2, refund(looks=knows_an_empty_answer)
)
TOYS = (
    DOUBLE_REFUND._replace(repaired=refund(looks=knows_an_empty_answer)),
    TRUSTED_EMPTY,
    Toy("a failure reported as done", says_done_when_not, claimed, 1, says_what_it_knows),
    Toy("a reply taken for granted", takes_a_reply_for_granted, nothing_wrong, 1, looks_at_a_reply),
    Toy("a job polled for ever", polls_for_ever, nothing_wrong, 1, polls_five_times),
    Toy("a release tried once", sells(releases=1), left_reserved, 2, sells(releases=3)),
    Toy("a credit tried once", moves_money(attempts=1), money_lost, 1, moves_money(attempts=3)),
    Toy("a price of nothing", orders(without=0), for_nothing, 1, orders(without=None)),
    Toy("silence taken for a yes", needs_a_yes(without="yes"), not_allowed, 2, needs_a_yes(without=None)),
    Toy("a fresh key for each try", pays(fresh=True), charged_twice, 1, pays(fresh=False)),
    Toy("another way without a look", falls_back(looks=False), charged_twice, 1, falls_back(looks=True)),
    Toy("two failures reported as done", gives_up(says="done"), claimed, 2, gives_up(says="not done")),
    Toy("half of the pages", counts(partial=True), miscounted, 1, counts(partial=False)),
    Toy("a ticket opened twice", escalates(key=None), two_tickets, 2, escalates(key="t")),
    Toy("an empty list taken for leave", closes(checks=False), closed_wrongly, 1, closes(checks=True)),
)


# --------------------------------------------------------------------------------------------------- wild agents


def wild(seed: int, schedule: Schedule, *, states: bool = True) -> tuple[Observed, str]:
    """An agent whose every step depends on nothing but what it has heard, and on that in ways nobody would write.

    `hidden` faults are tried again below it, `loud` ones it hears of, and with `lost` ones the world changes too.
    """

    def pick(what: str, among: int) -> int:
        return int(short((seed, what, heard)), 16) % among

    heard: tuple[str, ...] = ()
    world: tuple[str, ...] = ()
    planned = {choice.point: choice for choice in schedule}
    equal: Counter[str] = Counter()
    seen: list[Seen] = []
    fired: list[Choice] = []
    for _ in range(5):
        target, access = (("shop.read", "read"), ("shop.write", "write"), ("shop.other", "write"))[pick("target", 3)]
        equal[target] += 1
        for attempt in range(1, 4):
            point = Point("tool", "", target, "d", equal[target], attempt)
            kinds = (("hidden", "before"), ("loud", "before"), ("lost", "after"))
            choices = tuple(Choice(point, kind, phase) for kind, phase in kinds)
            seen.append(Seen(point, len(seen), access, choices, short((heard, world)) if states else ""))  # type: ignore[arg-type]  # a word of two
            choice = planned.get(point)
            if choice is not None:
                fired.append(choice)
            if choice is None or choice.kind != "hidden":
                break
        kind = choice.kind if choice else "ok"
        if kind in {"ok", "lost"} and access == "write":
            world += (target,)
        heard += (f"{target} {kind}",)
        if pick("end", 5) == 0:
            break
    failure = f"rule {pick('which', 2)}" if pick(f"bad {len(world)}", 9) == 0 and schedule else ""
    status: Any = "failed" if failure else "passed" if len(fired) == len(schedule) else "not_fired"
    return (
        Observed(status, failure, seen=tuple(seen), fired=tuple(fired), tokens=len(heard)),
        short((heard, world, failure)),
    )
