"""Traces written as plain chat messages, which read back the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.errors import UsageError
from squall.trace.formats import export_chat, load

TEXT = st.text(max_size=8)
CALL = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["c1", "c2"]),
        "type": st.just("function"),
        "function": st.fixed_dictionaries(
            {"name": st.sampled_from(["a", "b"]), "arguments": st.sampled_from(["{}", '{"n":1}', "broken"])}
        ),
    }
)
USER = st.fixed_dictionaries({"role": st.just("user"), "content": TEXT})
TURN = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": TEXT},
    optional={
        "tool_calls": st.lists(CALL, min_size=1, max_size=2),
        "finish_reason": st.sampled_from(["stop", "length"]),
    },
)
TALK = st.lists(USER | TURN, min_size=1, max_size=6)


def events(trace):
    return [entry.event for entry in trace]


@given(talks=st.lists(TALK, min_size=1, max_size=3), user=st.none() | st.just("mia"))
def test_conversations_read_back_equal(talks, user, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "chat.jsonl"
    lines = [{"id": f"run {n}", "messages": talk, "model": "m", "user_id": user} for n, talk in enumerate(talks)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs = load(path)
    export_chat(runs, path)
    assert [events(back) for back in load(path)] == [events(run) for run in runs]


def test_results_that_no_request_tells_of_are_written(write, look, tmp_path):
    calls = [{"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}} for name in "ab"]
    told = [{"role": "tool", "tool_call_id": "c1", "content": content} for content in ("one", "two")]
    line = {
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *told,
        ]
    }
    runs = load(write(line))
    export_chat(runs, tmp_path / "out.jsonl")
    (back,) = load(tmp_path / "out.jsonl")
    assert [each.result for each in look.results(back)] == ["one", "two"]


def test_conversations_that_run_side_by_side_are_lines_of_their_own(read, span, otlp, tmp_path):
    def chat(number, *said):
        messages = [{"role": "user", "parts": [{"type": "text", "content": text}]} for text in said]
        about = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": messages}
        return span(
            number,
            about | {"gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "ok"}]}]},
        )

    trace = read(otlp(chat(1, "a"), chat(2, "b"), chat(3, "a", "c")))
    export_chat([trace], tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [[each["content"] for each in line["messages"]] for line in lines] == [["b", "ok"], ["a", "c", "ok"]]


def test_a_folder_that_is_not_there_is_wrong_input(tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        export_chat([], tmp_path / "nowhere" / "x.jsonl")


def test_the_corpus_comes_back(shared, tmp_path):
    runs = load(shared / "corpora" / "taubench_airline_gpt4o.jsonl")
    export_chat(runs, tmp_path / "out.jsonl")
    assert [events(back) for back in load(tmp_path / "out.jsonl")] == [events(run) for run in runs]


def test_messages_of_anthropic_keep_their_shape(write, look, tmp_path):
    uses = [{"type": "tool_use", "id": "t1", "name": "a", "input": {"n": 1}}]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *uses]}
    line = {"messages": [{"role": "user", "content": "x"}, said, result, said], "error": "too slow"}
    (run,) = load(write(line))
    export_chat([run], tmp_path / "out.jsonl")
    (back,) = load(tmp_path / "out.jsonl")
    assert events(back)[2:] == events(run)[2:]
    assert look.asked(back)[0].target == "model.messages"
