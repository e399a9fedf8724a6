"""The weather of scenarios: what a model of its kind could never meet is told with its place."""

from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.models import load_scenarios
from squall.runs.models_weather import plan_of


@pytest.fixture
def planned(tmp_path):
    def make(text):
        path = tmp_path / "s.toml"
        path.write_text(text)
        return plan_of(load_scenarios(path))

    return make


@pytest.mark.parametrize("kind", ["wrong_count", "nan", "http_503", "timeout"])
def test_a_model_of_embeddings_meets_faults_of_embeddings_and_of_all_models(planned, kind):
    plan = planned(f'[models.v]\nkind = "embedding"\nfaults = [{{ kind = "{kind}" }}]\n')
    assert [rule.kind for rule in plan.rules.faults] == [kind]


@pytest.mark.parametrize("kind", ["stream_disconnect", "refusal", "http_503", "provider_error"])
def test_one_that_chats_meets_those_of_replies_and_of_all_models(planned, kind):
    assert planned(f'[models.m]\nfaults = [{{ kind = "{kind}" }}]\n').rules.faults


def test_a_rate_limit_is_for_all(planned):
    limit = 'faults = [{ kind = "rate_limit", calls = 1, per_seconds = 9 }]\n'
    assert len(planned(f'[models.m]\n{limit}[models.v]\nkind = "embedding"\n{limit}').rules.limits) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[models.v]\nkind = "embedding"\nfaults = [{ kind = "http_503" }, { kind = "stream_stall" }]\n',
            "s.toml:3:43: stream_stall can never happen to the model 'v', which makes embeddings",
        ),
        ('[models.m]\nfaults = [{ kind = "nan" }]\n', "s.toml:2:20: nan can never happen to the model 'm'"),
        ('[models.m]\nfaults = [{ kind = "nna" }]\n', "did you mean 'nan'?"),
    ],
)
def test_what_could_never_happen_is_told_with_its_place(planned, text, told):
    with pytest.raises(UsageError) as wrong:
        planned(text)
    assert told in str(wrong.value)


def test_all_that_could_never_happen_is_told_at_once(planned):
    with pytest.raises(UsageError) as wrong:
        planned('[models.a]\nfaults = [{ kind = "nan" }]\n[models.b]\nfaults = [{ kind = "wrong_order" }]\n')
    assert [problem.message.split()[0] for problem in wrong.value.problems] == ["nan", "wrong_order"]
