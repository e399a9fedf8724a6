"""examples/provider: its README shows what really comes, and what it says of the SDKs holds for other seeds too."""

from __future__ import annotations

import asyncio
import re
import shlex
from pathlib import Path

import anthropic
import openai
import pytest

import squall
from squall.models import call, say

PROVIDER = Path(__file__).parents[2] / "examples/provider"
README = (PROVIDER / "README.md").read_text(encoding="utf-8")
WORLD = PROVIDER / "worlds/refunds.yaml"
SHOWN = {
    shlex.split(command)[1]: (shlex.split(command)[1:], shown)
    for command, shown in re.findall(r"^```console\n\$ (pytest .+)\n((?:.*\n)*?)```$", README, re.MULTILINE)
}
AGENTS = {
    "test_truncated_payment.py": ("trusting", "checking"),
    "test_cut_answer.py": ("trusting", "checking"),
    "test_endless_stream.py": ("patient", "punctual"),
}
WISH = "Refund the bulb: 12.50."
REFUND = (call("create_refund", charge="ch_1", amount=1_250), say("Done."))
PINGS = [{"target": "model.chat", "kind": "ping_only", "first": 1, "after": 3, "beat": "30s"}]


@pytest.fixture
def surroundings(surroundings):
    """With lines as wide as README.md shows them, and no key at all."""
    return surroundings | {"COLUMNS": "100"}


@pytest.mark.parametrize("file", AGENTS)
def test_pytest_is_red_for_the_agent_with_the_bug_alone_and_shows_what_the_readme_says(file, run_pytest):
    words, shown = SHOWN[file]
    status, output, outcomes = run_pytest(PROVIDER, *words)
    buggy, repaired = AGENTS[file]
    assert outcomes == {
        f"test_the_{buggy}_agent": "failure",
        f"test_the_{repaired}_agent": "passed",
        f"test_both_agents_in_fair_weather[{buggy}_agent]": "passed",
        f"test_both_agents_in_fair_weather[{repaired}_agent]": "passed",
    }
    assert status == 1
    assert "warnings summary" not in output
    assert matches(shown, output), output


def matches(shown, output):
    """Whether the output is what the page shows: `…` is any number of lines."""
    lines = [r"(?:.*\n)*?" if line == "…" else re.escape(line) + "\n" for line in shown.splitlines()]
    return re.fullmatch("".join(lines), output.rstrip() + "\n") is not None


def test_the_readme_is_held_against_every_line():
    assert matches("a\n…\nc\n", "a\nb\nb\nc\n")
    assert not matches("a\nc\n", "a\nb\nc\n")
    assert not matches("a\n…\nd\n", "a\nb\nc\n")


def test_the_files_that_the_readme_names_are_there():
    links = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README)}
    assert len(links) >= 8
    assert [link for link in links if not (PROVIDER / link).exists()] == []


@pytest.fixture(scope="module")
def payment(load):
    return load(PROVIDER / "truncated_payment.py")


@pytest.fixture(scope="module")
def answers(load):
    return load(PROVIDER / "cut_answer.py")


@pytest.fixture(scope="module")
def streams(load):
    return load(PROVIDER / "endless_stream.py")


def paid(agent, seed=0, index=0, faults=WORLD):
    """What an agent answers, and the amounts that were paid back."""
    with squall.world(WORLD, faults=faults, seed=seed, run_index=index) as run:
        run.model.script(*REFUND)
        answer = agent(WISH, run.tools.anthropic(), lambda name, arguments: run.tools[name](**arguments))
        return answer, [refund.amount for refund in run.world.refunds]


@pytest.mark.parametrize("seed", [1, 2])
def test_with_other_seeds_too_only_the_trusting_agent_pays_too_much(payment, seed):
    assert any(paid(payment.trusting_agent, seed, index)[1] == [15_150] for index in range(10))
    for index in range(10):
        answer, amounts = paid(payment.checking_agent, seed, index)
        assert amounts == [1_250] or (amounts, answer) == ([], payment.UNSURE)


def test_an_agent_that_never_gets_a_whole_message_pays_nothing_and_says_so(payment):
    for kind in (
        {"kind": "truncated_arguments", "keep": 0.7},
        {"kind": "clean_eof", "after": 6},
        {"kind": "clean_eof"},
    ):
        faults = [{"target": "model.messages", "first": 99, **kind}]
        assert paid(payment.checking_agent, faults=faults) == (payment.UNSURE, [])


@pytest.mark.parametrize(
    ("fault", "ran"),
    [({"kind": "truncated_arguments", "keep": 0.7}, [("ch_1", None)]), ({"kind": "clean_eof", "after": 6}, [])],
    ids=["truncated arguments", "clean eof"],
)
def test_the_sdks_own_runner_of_tools_runs_broken_arguments_where_a_stop_reason_came(fault, ran):
    paid: list[tuple[str, int | None]] = []

    @anthropic.beta_tool
    def create_refund(charge: str, amount: int | None = None) -> str:
        """Pay back a part of a charge, or all of it."""
        paid.append((charge, amount))
        return "paid"

    with squall.world(faults=[{"target": "model.messages", "nth": 1, **fault}]) as run:
        run.model.script(*REFUND)
        runner = anthropic.Anthropic().beta.messages.tool_runner(
            model="claude-sonnet-5-5",
            max_tokens=1_000,
            messages=[{"role": "user", "content": WISH}],
            tools=[create_refund],
            stream=True,
        )
        for stream in runner:
            for _ in stream:
                pass
    assert paid == ran


def asked(agent, faults):
    """What an agent answers, and how many seconds it took."""
    with squall.world(faults=faults) as run:
        run.model.script(say("Yes, it is. But not today."))
        answer = agent("Is it so?")
        if asyncio.iscoroutine(answer):
            answer = asyncio.run(answer)
        return answer, run.clock.elapsed()


def test_an_answer_that_stays_cut_is_not_sent(answers):
    faults = [{"target": "model.chat", "kind": "clean_eof", "first": 99, "after": 4}]
    assert asked(answers.trusting_agent, faults)[0] == "Yes, it is."
    assert asked(answers.checking_agent, faults)[0] == answers.SORRY


def test_pings_alone_end_the_punctual_agents_patience_after_its_own_deadline(streams):
    assert asked(streams.punctual_agent, PINGS) == ("Yes, it is. But not today.", streams.DEADLINE)
    assert asked(streams.punctual_agent, [PINGS[0] | {"first": 99}]) == (streams.SORRY, 4 * streams.DEADLINE)


def test_it_is_the_pings_that_keep_the_clients_timeout_from_passing(streams):
    with pytest.raises(squall.LimitReached):
        asked(streams.patient_agent, PINGS)
    with pytest.raises(openai.APITimeoutError):
        asked(streams.patient_agent, [PINGS[0] | {"beat": "90s"}])
