"""Finding power: in each simulated agent a bug is planted, and its twin is the same agent without it."""

from __future__ import annotations

import pytest

from squall.explore import Search


def explore(toys, toy, depth, *, repaired=False, **rest):
    def play(schedule):
        return toys.run(toy, schedule, repaired=repaired)

    search = Search(play(()), depth=depth, confirm_baseline=play(()), **rest)
    return search, toys.drive(search, play)


def test_a_planted_bug_is_found_at_its_depth_with_just_so_many_faults(toys, toy):
    search, _ = explore(toys, toy, toy.faults)
    assert [(len(found.schedule), found.failure) for found in search.findings] == [
        (toy.faults, search.findings[0].failure)
    ]
    assert toys.run(toy, search.findings[0].schedule).failure == search.findings[0].failure


def test_a_planted_bug_is_not_found_before_its_depth(toys, toy):
    search, told = explore(toys, toy, max(toy.faults - 1, 1))
    assert bool(search.findings) == (toy.faults == 1)
    assert told


def test_a_repaired_twin_stays_green_with_two_faults(toys, toy):
    search, told = explore(toys, toy, 2, repaired=True)
    assert search.findings == []
    assert {observed.status for _, observed in told} == {"passed"}
    assert all(share.whole for share in search.coverage().shares)


def test_there_are_bugs_of_either_depth_and_of_each_way_to_end(toys):
    ways = set()
    for toy in toys.TOYS:
        search, _ = explore(toys, toy, toy.faults)
        ways |= {found.status for found in search.findings}
    assert len(toys.TOYS) >= 15
    assert {toy.faults for toy in toys.TOYS} == {1, 2}
    assert ways == {"failed", "crashed", "hung"}


def test_a_refund_tried_again_blindly_is_found_in_the_first_runs(toys):
    search, _ = explore(toys, toys.DOUBLE_REFUND, 1)
    (found,) = search.findings
    assert str(found.schedule[0]) == "timeout (after) at shop.issue_refund"
    assert found.first <= 3


def test_two_faults_of_which_the_second_can_only_happen_while_recovering(toys):
    toy = toys.TRUSTED_EMPTY
    assert explore(toys, toy, 1)[0].findings == []
    search, told = explore(toys, toy, 2)
    (found,) = search.findings
    assert [str(choice) for choice in found.schedule] == [
        "timeout (after) at shop.issue_refund",
        "empty_result (before) at shop.list_refunds",
    ]
    assert found.schedule[1].point not in {seen.point for seen in toys.run(toy).seen}
    assert dict(search.coverage().revealed)["shop.list_refunds"] >= 1
    assert found.first < len(told) / 5  # calls that only recovering makes go first


@pytest.mark.parametrize("repaired", [False, True])
def test_leaving_out_what_is_known_changes_no_outcome_of_a_toy(toys, toy, repaired):
    outcomes, runs = [], []
    for prune in (True, False):
        found: set[str] = set()

        def play(schedule, found=found):
            observed, outcome = toys.played(toy, schedule, repaired=repaired)
            found.add(outcome)
            return observed

        search = Search(play(()), depth=2, prune=prune)
        runs.append(len(toys.drive(search, play)))
        outcomes.append((found, {each.failure for each in search.findings}))
    assert outcomes[0] == outcomes[1]
    assert runs[0] <= runs[1]


def test_leaving_out_saves_runs_where_a_client_hides_its_retries(toys):
    saved = {toy.name: explore(toys, toy, 2)[0].coverage().pruned for toy in toys.TOYS}
    assert saved["an empty list trusted"] > 10
    assert saved["silence taken for a yes"] > 0


def test_without_states_nothing_is_left_out(toys):
    def play(schedule):
        return toys.run(toys.TRUSTED_EMPTY, schedule, known=False)

    search = Search(play(()), depth=2)
    told = toys.drive(search, play)
    assert search.coverage().pruned == 0
    assert len(told) > len(explore(toys, toys.TRUSTED_EMPTY, 2)[1])


def test_a_mark_that_no_single_fault_reaches_is_named_until_one_does(toys):
    shallow, _ = explore(toys, toys.TRUSTED_EMPTY, 1, kinds=("empty_result",), targets=("shop.get_*",))
    assert shallow.coverage().never_true == ()  # nobody asked, as nothing went wrong with the refund
    asked, _ = explore(toys, toys.TRUSTED_EMPTY, 1, kinds=("timeout",))
    assert asked.coverage().never_true == ("refund retried",)
    deep, _ = explore(toys, toys.TRUSTED_EMPTY, 1)
    assert deep.coverage().never_true == ()
