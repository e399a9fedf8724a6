"""The kind `stream_disconnect` of streams."""

from __future__ import annotations

from squall.faults.at_model import AtChunk
from squall.faults.kinds.stream.stream_disconnect import KIND


def test_the_connection_ends_after_two_chunks_unless_more_are_stated(trial):
    assert trial.at_model(KIND) == AtChunk("disconnect", 2)
    assert trial.at_model(KIND, after=0) == AtChunk("disconnect", 0)


def test_it_may_be_broken(trial):
    assert trial.at_model(KIND, how="reset") == AtChunk("reset", 2)


def test_a_place_before_the_first_chunk_is_none(shop):
    wrong = shop.wrong_with("model.chat: [{ kind: stream_disconnect, nth: 1, after: -1 }]")
    assert wrong == "plan.yaml:1:56: 'after' must be greater than or equal to 0, not -1\n    Write 0 or more."


def test_its_example_parses(trial):
    assert trial.example(KIND)
