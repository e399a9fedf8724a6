"""The fake model provider of a run, asked by official SDKs in each of the ways there are."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import contextmanager
from typing import Any

import anthropic
import httpx
import openai
import pytest

from squall.call import Reply
from squall.errors import LimitReached, SquallError, UsageError
from squall.models import call, expect, rule, say
from squall.runs.ending import BrainBug
from squall.runs.environment import Environment

HI: list[Any] = [{"role": "user", "content": "hi"}]
LOST = [*HI, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "and now?"}]


def environment(*rules, **options):
    return Environment(faults=list(rules) or None, **options)


@contextmanager
def begun(*rules, **options):
    """A run that is closed in the end and not judged, as pytest's fixtures do."""
    run = environment(*rules, **options)
    try:
        yield run.__enter__()
    finally:
        run.close()


def first(number, kind="http_503", **more):
    return {"target": "model.chat", "kind": kind, "first": number, **more}


def sync(messages=HI, *, retries=2, **more):
    with openai.OpenAI(max_retries=retries) as client:
        return client.chat.completions.create(model="m", messages=messages, **more)


async def aio(messages=HI, *, retries=2, **more):
    async with openai.AsyncOpenAI(max_retries=retries) as client:
        return await client.chat.completions.create(model="m", messages=messages, **more)


def in_a_loop(messages=HI, **more):
    return asyncio.run(aio(messages, **more))


def in_a_thread(messages=HI, **more):
    """In real time, as any other process would ask."""
    came: list[Any] = []

    def work():
        try:
            came.append(sync(messages, **more))
        except Exception as error:  # told to whoever waits
            came.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    if isinstance(came[0], Exception):
        raise came[0]
    return came[0]


VIRTUAL = pytest.mark.parametrize("ask", [sync, in_a_loop])
EVERY_WAY = pytest.mark.parametrize("ask", [sync, in_a_loop, in_a_thread])


def text(completion):
    return completion.choices[0].message.content


@EVERY_WAY
def test_unmodified_clients_find_the_model(ask):
    with environment() as run:
        run.model.script(say("hello"))
        assert text(ask()) == "hello"
        assert [each.endpoint for each in run.model.requests] == ["chat"]
        assert run.model.attempts[0].ok
        assert run.finish().status == "passed"


@VIRTUAL
def test_an_sdks_retries_pass_in_virtual_time_and_are_counted(ask):
    with environment(first(2)) as run:
        run.model.script(say("hello"))
        assert text(ask()) == "hello"
        assert [(each.call, each.attempt, each.status) for each in run.model.attempts] == [
            (1, 1, 503),
            (1, 2, 503),
            (1, 3, 200),
        ]
        assert run.clock.elapsed() > 0.5
        assert run.finish().status == "passed"
        assert run.trace.line() == "model.chat!http_503 ×2 → model.chat"
        assert [len(each.attempts) for each in run.trace.model_calls()] == [3]


@VIRTUAL
def test_a_deadline_is_the_clients_own_and_costs_no_wall_time(ask):
    with environment(first(1, "timeout")) as run:
        run.model.script(say("hello"))
        with pytest.raises(openai.APITimeoutError):
            ask(retries=0)
        assert run.clock.elapsed() == pytest.approx(600, abs=1)
        attempt = run.model.attempts[0]
        assert (attempt.status, attempt.disconnected, attempt.injected) == (None, True, False)


@EVERY_WAY
def test_a_request_that_nothing_matches_fails_the_run_though_the_agent_swallows_it(ask):
    with pytest.raises(SquallError, match="turn 1 of 1, say 'hello', has been said already"), environment() as run:
        run.model.script(say("hello"))
        with pytest.raises(openai.BadRequestError, match="no turn of the script is left"):
            ask(LOST)
    assert run.result.status == "failed"
    assert len(run.result.errors) == 1


def test_a_failure_is_told_once_however_often_the_agent_tries():
    with begun() as run:
        run.model.script(say("hello"))
        for _ in range(3):
            with pytest.raises(openai.BadRequestError):
                sync(LOST)
        result = run.finish()
    assert (result.status, len(result.errors)) == ("failed", 1)


def test_a_run_that_had_no_answer_has_failed_whatever_the_agent_raised():
    with begun() as run:
        run.model.script(say("hello"))
        with pytest.raises(openai.BadRequestError) as refused:
            sync(LOST)
        assert run.finish(refused.value).status == "failed"


@EVERY_WAY
def test_a_bug_in_the_brain_names_its_line_and_fails_the_run(ask):
    def brain(_request):
        return {"there": 1}["missing"]

    with begun() as run:
        run.model.brain(brain)
        with pytest.raises(openai.InternalServerError):
            ask(retries=1)
        result = run.finish()
    (error,) = result.errors
    assert isinstance(error, BrainBug)
    assert isinstance(error.__cause__, KeyError)
    assert str(error).startswith("the model's brain raised KeyError: 'missing' (test_model.py:")
    assert str(error).endswith(" in brain)")
    assert (result.status, len(run.model.attempts)) == ("failed", 2)


@EVERY_WAY
def test_pytest_fail_in_a_brain_fails_the_run(ask):
    def brain(_request):
        pytest.fail("not this way")

    with begun() as run:
        run.model.brain(brain)
        with pytest.raises(openai.InternalServerError):
            ask(retries=0)
        result = run.finish()
    assert (result.status, [str(each) for each in result.errors]) == ("failed", ["not this way"])


@EVERY_WAY
def test_an_async_brain_may_wait_itself(ask):
    async def brain(_request):
        await asyncio.sleep(0.01)
        return Reply("slowly")

    with environment() as run:
        run.model.brain(brain)
        assert text(ask()) == "slowly"
        assert run.finish().status == "passed"


def test_many_conversations_at_once_each_get_their_own():
    async def main():
        async with openai.AsyncOpenAI() as client:
            asked = [
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": str(number)}])
                for number in range(40)
            ]
            return [text(each) for each in await asyncio.gather(*asked)]

    with environment({"target": "model.chat", "kind": "http_503", "probability": 0.3}) as run:
        run.model.brain(lambda request: request.messages[-1].text)
        assert asyncio.run(main()) == [str(number) for number in range(40)]
        assert run.finish().status == "passed"
        assert len(run.model.attempts) > 40


def test_the_same_seed_gives_the_same_faults_concurrent_or_not():
    def faults(seed, *, together):
        async def main():
            async with openai.AsyncOpenAI() as client:

                async def one(number):
                    messages: Any = [{"role": "user", "content": str(number)}]
                    await client.chat.completions.create(model="m", messages=messages)

                if together:
                    await asyncio.gather(*map(one, range(20)))
                else:
                    for number in range(20):
                        await one(number)

        with environment({"target": "model.chat", "kind": "http_503", "probability": 0.2}, seed=seed) as run:
            run.model.script(say("hello"))
            asyncio.run(main())
            return {
                (each.request.messages[-1].text, each.attempt, tuple(happened.rule.kind for happened in each.happened))
                for each in run.model.attempts
            }

    assert faults(3, together=True) == faults(3, together=False)
    assert faults(3, together=True) != faults(4, together=True)


@EVERY_WAY
def test_a_large_reply_is_complete_for_whoever_reads_it(ask):
    with environment() as run:
        run.model.script(say("word " * 60_000))
        assert len(text(ask())) == 300_000
        assert (run.model.attempts[0].complete, run.model.attempts[0].disconnected) == (True, False)


# limits


@VIRTUAL
def test_too_many_requests_end_the_run_and_the_agent(ask):
    with (
        pytest.raises(LimitReached, match="the run made more than 3 requests to models"),
        environment(limits={"calls": 3}) as run,
    ):
        run.model.script(say("hello"))
        while True:
            ask()
    assert run.result.status == "hung"
    assert len(run.model.attempts) == 4


def test_an_agent_that_swallows_everything_is_ended_in_a_loop():
    swallowed: list[Exception] = []

    async def main():
        while True:
            try:
                await aio(retries=0)
            except Exception as error:
                swallowed.append(error)

    with pytest.raises(LimitReached, match="more than 3 requests"), environment(limits={"calls": 3}) as run:
        run.model.script(say("hello"))
        asyncio.run(main())
    assert run.result.status == "hung"


@VIRTUAL
def test_silence_for_ever_ends_at_the_runs_limit(ask):
    silent = environment(first(1, "timeout", forever=True), limits={"seconds": 3000})
    with pytest.raises(LimitReached), silent as run:
        run.model.script(say("hello"))
        ask(retries=0, timeout=None)
    assert run.result.status == "hung"
    assert run.clock.elapsed() == pytest.approx(3000, abs=0.01)


# rules that are added


def test_rules_that_are_added_go_on_counting_where_they_were():
    with environment(first(1)) as run:
        run.model.script(say("hello"))
        sync()
        run.model.faults([first(1, "latency", seconds=5)])
        sync()
        run.model.faults({"model.chat": [{"kind": "http_429", "first": 1}]})
        sync()
        assert [[each.rule.kind for each in attempt.happened] for attempt in run.model.attempts] == [
            ["http_503"],
            [],
            ["latency"],
            ["http_429"],
            [],
        ]
        assert run.model.fired == {0: 1, 1: 1, 2: 1}
        assert (run.finish().status, run.result.fired) == ("passed", 3)
    assert run.trace.not_fired() == []


def test_an_added_rule_that_does_not_fire_is_told():
    with environment() as run:
        run.model.script(say("hello"))
        run.model.faults([{"target": "model.chat", "kind": "http_503", "nth": 2}])
        sync()
        result = run.finish()
    assert result.status == "not_fired"
    assert result.not_fired[0].endswith("model.chat was asked once, and the rule waits for the 2nd")
    assert [each["kind"] for each in run.trace.not_fired()] == ["http_503"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"model.chats": [{"kind": "http_503"}]}, "model.chat"),
        ([{"target": "model.chat", "kind": "http_5003"}], "http_5003"),
        ("nowhere.yaml", "nowhere.yaml"),
    ],
)
def test_a_broken_plan_is_told_at_once(wrong, words):
    with environment() as run, pytest.raises(UsageError, match=words):
        run.model.faults(wrong)


# what was never said


@pytest.mark.parametrize(("rules", "told"), [((), True), ((first(1),), False)])
def test_turns_that_were_never_used_are_told_unless_a_fault_may_be_why(rules, told):
    with environment(*rules) as run:
        run.model.script(say("hello"), say("never"))
        sync()
        result = run.finish()
    assert result.status == "passed"
    assert ("turn 2 of 2, say 'never', was never used" in result.notes) == told


def test_a_failed_run_tells_nothing_of_turns():
    with environment() as run:
        run.model.script(say("hello"), say("never"))
        assert run.finish(AssertionError()).notes == ()


def test_a_run_that_never_asked_tells_of_every_turn_and_one_without_a_script_of_none():
    with environment() as run:
        run.model.script(say("hello"))
        assert len(run.finish().notes) == 1
    with environment() as run:
        assert run.model.requests == []
        assert run.finish().notes == ()


# brains


def test_scripts_rules_and_files_answer(tmp_path):
    path = tmp_path / "script.toml"
    path.write_text('[[turn]]\nsay = "from a file"\n', encoding="utf-8")
    with environment() as run:
        run.model.rules(rule(user="goodbye", then=say("bye")), rule(then=say("hello")))
        assert text(sync()) == "hello"
        assert text(sync([{"role": "user", "content": "goodbye"}])) == "bye"
        run.model.load(path)
        assert text(sync()) == "from a file"
        run.model.script(call("look"), expect(tool="look"), say("seen"))
        tools: Any = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
        assert sync(tools=tools).choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize(
    "use",
    [
        lambda model, texts: model.script(say("hello"), sentinels=texts),
        lambda model, texts: model.rules(rule(then=say("hello")), sentinels=texts),
        lambda model, texts: model.brain(lambda _request: "hello", sentinels=texts),
    ],
    ids=["script", "rules", "brain"],
)
def test_sentinels_stand_guard_whatever_answers(use):
    with pytest.raises(SquallError, match="the sentinel '4111 1111' stands in messages"), environment() as run:
        use(run.model, ["4111 1111"])
        assert text(sync()) == "hello"
        with pytest.raises(openai.BadRequestError):
            sync([{"role": "user", "content": "my card is 4111 1111"}])


def test_strict_history_may_be_turned_off():
    broken: Any = [*HI, {"role": "tool", "tool_call_id": "nobody", "content": "x"}]
    with environment() as run:
        run.model.script(say("hello"))
        assert run.model.strict_history
        with pytest.raises(openai.BadRequestError):
            sync(broken)
        assert run.model.attempts == []
        run.model.strict_history = False
        assert text(sync(broken)) == "hello"


# where it is


def test_the_addresses_are_those_in_the_environment_while_the_run_lasts():
    before = dict(os.environ)
    with environment() as run:
        assert run.model.openai_base_url == os.environ["OPENAI_BASE_URL"]
        assert run.model.anthropic_base_url == os.environ["ANTHROPIC_BASE_URL"]
        assert run.model.openai_base_url == f"{run.model.anthropic_base_url}/v1"
        assert run.model.anthropic_base_url.startswith("http://127.0.0.1:")
    assert dict(os.environ) == before


def test_both_providers_are_at_one_address():
    with environment() as run:
        run.model.script(say("hello"))
        client = anthropic.Anthropic()
        said = client.messages.create(model="m", max_tokens=50, messages=HI).content[0]
        assert said.type == "text"
        assert said.text == "hello"
        assert [each.endpoint for each in run.model.requests] == ["messages"]


def test_a_request_to_anybody_else_fails_the_run_though_it_is_swallowed():
    with begun() as run:
        run.model.script(say("hello"))
        with pytest.raises(ConnectionError, match=r"a request to example\.com was stopped"):
            httpx.get("https://example.com/")
        result = run.finish()
    assert result.status == "failed"
    assert 'model.allow("example.com")' in str(result.errors[0])


def test_nothing_of_a_key_is_in_the_trace_or_the_requests():
    with environment() as run, openai.OpenAI(api_key="sk-very-secret") as client:
        run.model.script(say("hello"))
        client.chat.completions.create(model="m", messages=HI, extra_headers={"Cookie": "very-secret"})
        everything = b"".join(run.trace.lines).decode() + repr(run.model.requests)
        assert "very-secret" not in everything


def test_without_a_trace_everything_else_is_the_same():
    with environment(first(1), record=False) as run:
        run.model.script(say("hello"))
        assert text(sync()) == "hello"
        assert [each.status for each in run.model.attempts] == [503, 200]
        assert (run.finish().status, run.result.line) == ("passed", "(not recorded)")


def test_on_wall_time_clients_are_answered_too():
    with environment(clock="wall") as run:
        run.model.script(say("hello"))
        assert (text(sync()), text(in_a_loop())) == ("hello", "hello")
        assert run.finish().status == "passed"
