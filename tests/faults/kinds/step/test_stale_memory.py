"""The kind `stale_memory`."""

from __future__ import annotations

from squall.faults.kinds.step.stale_memory import KIND

TRUE = {"order": "7", "total": 40, "note": "to be paid back"}


async def recall(env, steps):
    memory = env.recall(steps[0])
    return None if memory is None else (memory.value, memory.version, env.version(steps[0]))


def test_it_happens_before_anything_is_asked():
    assert KIND.phase == "before"


def test_what_is_remembered_is_of_an_older_version_and_not_true(stepped):
    value, version, now = stepped('kind = "stale_memory"\nstep = 0', recall)
    assert version < now
    assert value.keys() == TRUE.keys()
    assert value != TRUE
    assert sum(value[name] != TRUE[name] for name in TRUE) == 1


def test_the_rule_may_say_what_is_remembered(stepped):
    value, _, _ = stepped('kind = "stale_memory"\nstep = 0\nvalue = { total = 39 }', recall)
    assert value == {"total": 39}


def test_without_it_nothing_is_remembered(stepped):
    assert stepped('kind = "stale_memory"\nstep = 1', recall) is None


def test_it_is_remembered_once(stepped):
    async def thrice(env, steps):
        return [await recall(env, steps) is not None for _ in range(3)]

    assert stepped('kind = "stale_memory"\nstep = 0', thrice) == [True, False, False]
    assert stepped('kind = "stale_memory"\nstep = 0\nrepeat = 2', thrice) == [True, True, False]
    assert stepped('kind = "stale_memory"\nstep = 0\noccurrence = 2', thrice) == [False, True, False]


def test_the_step_itself_tells_the_truth(stepped):
    async def both(env, steps):
        await recall(env, steps)
        return await env.call(steps[0])

    assert stepped('kind = "stale_memory"\nstep = 0', both) == TRUE


def test_who_never_looks_into_the_memory_has_not_met_it(stepped):
    async def call(env, steps):
        for step in steps:
            await env.call(step)
        return "done"

    stepped('kind = "stale_memory"\nstep = 0', call, status="not_fired")
