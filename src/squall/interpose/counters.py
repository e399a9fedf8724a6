"""How often a model has been asked: counted per endpoint, model and scope, and forgotten again.

Bounded, since a provider may serve for days: counters that nobody uses go after an hour, and where very many are in use
a new scope has to wait until some are released. Which requests were equal is remembered of the latest ones; of all
counters together too, where those that have been used just now go before. Knows no request and no fault.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from squall.call import BadRequest

MOST = 2048  # counters: no scope begins where there are as many
MOST_AT_ALL = 4 * MOST  # those of scopes that had begun before are no more either
IDLE = 3600.0  # seconds
MOST_EQUAL = 4096  # different requests that a counter tells apart, the latest
MOST_OPEN = 16  # equal requests whose next tries are told apart
MOST_IN_ALL = 32_768  # different requests that all counters together tell apart: a dozen megabytes
LEFT = 28_672  # of these, where room was made

ANSWERED, UNDER_WAY, FAILED = 0, 1, 2  # from the least to the most likely to be tried again


class Lane(NamedTuple):
    """What is counted together: one endpoint and model, in one scope."""

    scope: str
    endpoint: str
    model: str

    @property
    def name(self) -> str:
        """Endpoint and model in one word."""
        return f"{self.endpoint}:{self.model}"


class Call:
    """One logical call: its number in the run, how many equal ones came before, and how often it has been tried.

    `state` is that of its latest try. `ANSWERED`: it got a whole answer with a good status, so that another try is not
    expected; it is where it `FAILED`; while it is `UNDER_WAY` its client has not given it up yet.
    """

    __slots__ = ("nth", "number", "state", "tries")

    def __init__(self, number: int, nth: int, tries: int) -> None:
        self.number, self.nth, self.tries = number, nth, tries
        self.state = UNDER_WAY


class Room:
    """How many different requests all counters together tell apart."""

    __slots__ = ("taken",)

    def __init__(self) -> None:
        self.taken = 0


class Counter:
    """The requests of one lane."""

    def __init__(self, room: Room) -> None:
        self.requests = 0
        self.used = 0.0
        self._room = room
        self._equal: OrderedDict[str, list[Call]] = OrderedDict()

    def tried(self, digest: str, retries: int, numbered: Callable[[], int]) -> tuple[Call, bool]:
        """The call that a request belongs to, and whether it is a new one.

        `retries` is how many tries the client says it has made before: the request belongs to the latest equal call
        that has had just so many, rather to one whose latest try has failed than to one that still waits for an answer,
        and to one that has it last of all. Where there is none, or none was said, it is a call of its own.
        """
        equal = self._equal.get(digest)
        if equal is None:
            equal = self._equal[digest] = []
            self._room.taken += 1
        else:
            self._equal.move_to_end(digest)
        if retries:
            meant = [call for call in equal if call.tries == retries]
            call = max(meant, key=lambda call: (call.state, call.nth), default=None)
            if call is not None:
                call.tries, call.state = retries + 1, UNDER_WAY
                return call, False
        call = Call(numbered(), (equal[-1].nth if equal else 0) + 1, retries + 1)
        equal.append(call)
        del equal[:-MOST_OPEN]
        if len(self._equal) > MOST_EQUAL:
            self._equal.popitem(last=False)
            self._room.taken -= 1
        return call, True

    def forget(self) -> None:
        """Tell no requests apart that have been here; how many there were is still known."""
        self._room.taken -= len(self._equal)
        self._equal.clear()


class Counters:
    """All of them. `forget` is called with each lane that is dropped."""

    def __init__(self, forget: Callable[[Lane], None]) -> None:
        self._counters: dict[Lane, Counter] = {}
        self._room = Room()
        self._forget = forget

    def __len__(self) -> int:
        return len(self._counters)

    def of(self, lane: Lane, now: float) -> Counter:
        """The counter of a lane, used at `now`. Raises `BadRequest` where there is no room for a new one."""
        counter = self._counters.get(lane)
        if counter is None:
            if len(self._counters) >= MOST:
                self._drop_idle(now)
            if len(self._counters) >= MOST and not self._goes_on(lane.scope):
                raise BadRequest(
                    f"{MOST:,} counters are in use, so that scope {lane.scope!r} can have none: release scopes with "
                    "DELETE /_mock/scopes/ID",
                    code="too_many_scopes",
                )
            counter = self._counters[lane] = Counter(self._room)
        elif now - counter.used > IDLE:
            self._drop(lane)
            counter = self._counters[lane] = Counter(self._room)
        counter.used = now
        if self._room.taken >= MOST_IN_ALL:
            self._make_room()
        return counter

    def release(self, scope: str, now: float) -> int:
        """Forget a scope; how many counters it had at `now`."""
        self._drop_idle(now)
        lanes = [lane for lane in self._counters if lane.scope == scope]
        for lane in lanes:
            self._drop(lane)
        return len(lanes)

    def _goes_on(self, scope: str) -> bool:
        """Whether a scope that has counters already may have one more although there are very many."""
        return len(self._counters) < MOST_AT_ALL and any(lane.scope == scope for lane in self._counters)

    def _drop_idle(self, now: float) -> None:
        for lane in [lane for lane, counter in self._counters.items() if now - counter.used > IDLE]:
            self._drop(lane)

    def _make_room(self) -> None:
        """Forget requests, of the counters first that nobody has used for longest."""
        for counter in sorted(self._counters.values(), key=lambda counter: counter.used):
            if self._room.taken <= LEFT:
                return
            counter.forget()

    def _drop(self, lane: Lane) -> None:
        self._counters.pop(lane).forget()
        self._forget(lane)
