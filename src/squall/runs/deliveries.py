"""The events of a run's world: the plan says when each is delivered, and the trace that it was."""

from __future__ import annotations

from squall.interpose import Interposer
from squall.interpose.courier import Courier
from squall.trace import Recorder
from squall.trace.kinds import Delivery
from squall.worlds import Event, World


def attend(world: World, interposer: Interposer, recorder: Recorder | None) -> None:
    """From now on events are delivered as the run's plan decides, and recorded where anything is."""
    dispatch = world.journal.dispatch
    if not dispatch.targets:
        return
    dispatch.courier = Courier(interposer, dispatch.targets)

    def record(event: Event) -> None:
        if recorder is not None:
            recorder.record(
                Delivery(
                    event=event.name,
                    id=event.id,
                    target=dispatch.targets[event.name].name,
                    emitted=event.emitted,
                    late=event.t > event.emitted,
                    call=event.call.id if event.call else None,
                )
            )

    dispatch.on_delivery.append(record)
