from __future__ import annotations

import json as standard

from squall.reports.exploration_json import data, json


def test_programs_find_the_claim_the_coverage_and_the_failures(exploration):
    told = standard.loads(json([exploration]))
    assert (told["format"], told["v"], told["headline"]) == ("squall-exploration", 1, exploration.coverage.claim)
    (one,) = told["explorations"]
    assert (one["name"], one["runs"], one["statuses"]) == ("refund agent", 25, {"failed": 2, "passed": 21})
    assert len(one["coverage"]) == 12
    assert [share["possible"] for share in one["schedules"]] == [9, 12]
    assert one["revealed"] == {"payments.issue_refund": 1, "payments.list_refunds": 1}
    assert one["never_true"] == ["refunded twice over"]
    assert one["altered"][1] == {"what": "the last insert of refund never happened", "noticed_by": None}
    (failure,) = one["failures"]
    assert (failure["minimal"], failure["times"], failure["file"]) == (True, 2, "kept/0.json")
    assert failure["schedule"][0]["words"] == "timeout, after the effect, at payments.issue_refund"
    assert told["limits"]


def test_the_same_exploration_makes_the_same_bytes(exploration):
    assert json([exploration]) == json([exploration])
    assert "seconds" not in json([exploration])


def test_lone_surrogates_are_spelled_out(exploration):
    odd = exploration._replace(name="a\ud800", notes=("b\udfff",), altered=None)
    (one,) = data([odd])["explorations"]
    assert one["name"] == "a\\ud800"
    assert one["notes"][-1] == "b\\udfff"
    assert one["altered"] is None
    json([odd]).encode()
