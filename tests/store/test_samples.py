"""Sample numbers: each is given once, also to writers who ask at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import msgspec

from squall.store import Runs
from squall.store.samples import FOLDER, take


def test_numbers_begin_at_nothing_and_go_up(tmp_path):
    assert [take(tmp_path, "aa") for _ in range(3)] == [0, 1, 2]


def test_each_run_has_numbers_of_its_own(tmp_path):
    assert [take(tmp_path, name) for name in ("aa", "bb", "aa", "bb")] == [0, 0, 1, 1]


def test_no_number_is_given_twice_to_those_who_ask_at_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(lambda _: take(tmp_path, "aa"), range(400))) == list(range(400))


def test_the_next_sample_counts_up_whatever_sample_the_inputs_name(folder, made):
    inputs = made()[0].inputs
    with Runs(folder) as runs:
        asked = [msgspec.structs.replace(inputs, sample=number) for number in (0, 7, 0)]
        assert [runs.next_sample("timeout", each) for each in asked] == [0, 1, 2]


def test_a_second_writer_goes_on_where_the_first_is(folder, made):
    inputs = made()[0].inputs
    with Runs(folder) as one, Runs(folder) as other:
        assert [each.next_sample("timeout", inputs) for each in (one, other, one)] == [0, 1, 2]


def test_samples_that_are_stored_already_are_passed_over_where_the_count_was_lost(folder, made):
    with Runs(folder) as runs:
        runs.keep_all(made(sample=number) for number in (0, 1, 3))
        assert not (folder / FOLDER).exists()
        assert [runs.next_sample("timeout", made()[0].inputs) for _ in range(2)] == [2, 4]
