"""examples/shop: the gates of its agents come out as the files say, for the seeds one would try."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import squall

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "examples/shop"
WORLD = SHOP / "worlds/shop.yaml"


def test_pytest_in_the_folder_is_red_for_the_hasty_agents_and_green_for_all_else(run_pytest):
    status, output, outcomes = run_pytest(SHOP, "-rs")
    assert outcomes == {
        "test_the_hasty_agent": "failure",
        "test_the_careful_agent": "passed",
        "test_both_agents_in_fair_weather[hasty_agent]": "passed",
        "test_both_agents_in_fair_weather[careful_agent]": "passed",
        "test_a_lost_reply_is_not_a_lost_refund": "passed",
        "test_nothing_is_taken_back_after_30_days": "passed",
        "test_a_pydantic_ai_agent[hasty]": "failure",
        "test_a_pydantic_ai_agent[careful]": "passed",
        "test_a_real_model": "skipped",
        "test_an_openai_agent_over_http[hasty]": "failure",
        "test_an_openai_agent_over_http[careful]": "passed",
        "test_a_lost_reply_over_http": "passed",
    }
    assert status == 1
    assert "issue_refund!timeout(after) → issue_refund" in output
    assert "at most one refund per order, but '1' has 2" in output
    assert "SQUALL_EXAMPLE_MODEL names no model: see .env.example" in output
    assert "warnings summary" not in output


def test_pytest_finds_its_way_from_the_projects_root_too(run_pytest):
    status, _, outcomes = run_pytest(ROOT, "examples/shop/test_refunds.py", "-k", "fair or days")
    assert (status, len(outcomes)) == (0, 3)


def test_the_worlds_last_comment_is_true_and_asking_first_is_no_help_when_effects_come_late(examples, run_pytest):
    world = examples / "shop/worlds/shop.yaml"
    *lines, advice = world.read_text(encoding="utf-8").splitlines()
    late = re.search(r"timeout: \{.*\}", advice)
    assert late is not None
    changed = [f"      {late[0]}" if line.strip().startswith("timeout:") else line for line in lines]
    world.write_text("\n".join(changed), encoding="utf-8")
    status, output, outcomes = run_pytest(examples / "shop", "test_refunds.py", "-k", "careful_agent and not fair")
    assert outcomes == {"test_the_careful_agent": "failure"}
    assert status == 1
    assert "issue_refund!timeout(late) → list_refunds → issue_refund" in output


@pytest.fixture(scope="module")
def agents(load):
    return load(SHOP / "refund_agents.py")


def pays_twice(agent, seed, index):
    with squall.world(WORLD, faults=WORLD, seed=seed, run_index=index) as run:
        asyncio.run(agent(run.mcp_server, "1"))
        return run.world.refunds.count() > 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_with_other_seeds_too_the_hasty_agent_pays_twice_in_some_of_20_runs_and_the_careful_one_never(agents, seed):
    assert any(pays_twice(agents.hasty_agent, seed, index) for index in range(20))
    assert not any(pays_twice(agents.careful_agent, seed, index) for index in range(20))


def test_the_environment_file_names_what_the_example_reads():
    names = re.findall(r"^([A-Z_]+)=$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert names == ["SQUALL_EXAMPLE_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]
    assert 'environ.get("SQUALL_EXAMPLE_MODEL")' in (SHOP / "test_refunds_pydantic_ai.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", ["create_return", "issue_refund"])
def test_an_order_that_does_not_exist_is_refused_in_words_and_no_handler_breaks(tool):
    with squall.world(WORLD) as run, pytest.raises(squall.ToolError, match="'99'"):
        run.tools[tool](order="99")
    assert run.finish().status == "passed"
