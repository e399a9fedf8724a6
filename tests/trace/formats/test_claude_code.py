"""Sessions of Claude Code."""

from __future__ import annotations

from squall.trace.formats import load


def line(number, kind, content, *, parent=None, **more):
    message = {"role": kind, "content": content, **({"id": more.pop("of")} if "of" in more else {})}
    return {"type": kind, "uuid": str(number), "parentUuid": parent, "sessionId": "s", "message": message, **more}


def use(name, call_id, **given):
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(call_id, content, **more):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def test_a_session_is_a_run_whose_replies_are_put_together_from_their_lines(read, look):
    trace = read(
        [
            {"type": "summary", "summary": "x", "leafUuid": "1"},
            line(1, "user", "List the files"),
            line(2, "assistant", [{"type": "text", "text": "I look."}], of="m1"),
            line(3, "assistant", [use("Bash", "t1", command="ls")], of="m1"),
            line(4, "user", [result("t1", "a.py")]),
            line(5, "assistant", [{"type": "text", "text": "There is a.py."}], of="m2"),
        ],
        lines=True,
    )
    assert trace.entries()[0].envelope.run == "s"
    assert [each.target for each in look.asked(trace)] == ["model.messages"] * 2
    first, second = look.replies(trace)
    assert (first.text, first.calls) == ("I look.", [{"id": "t1", "name": "Bash", "arguments": '{"command":"ls"}'}])
    assert second.text == "There is a.py."
    assert look.asked(trace)[1].messages[1]["content"] == [result("t1", "a.py")]


def test_a_side_chain_is_a_conversation_of_its_own(read, look):
    trace = read(
        [
            line(1, "user", "Do it"),
            line(2, "assistant", [use("Task", "t1")]),
            line(3, "user", "Search", isSidechain=True),
            line(4, "assistant", [{"type": "text", "text": "found"}], parent="3", isSidechain=True),
            line(5, "user", [result("t1", "found")]),
            line(6, "assistant", [{"type": "text", "text": "Done."}]),
        ],
        lines=True,
    )
    assert [each.continues for each in look.asked(trace)] == [None, 1, None]
    assert [each.text for each in look.replies(trace)] == [None, "Done.", "found"]


def test_a_last_result_that_nobody_answered_is_a_call(read, look):
    lines = [
        line(1, "user", "x"),
        line(2, "assistant", [use("Bash", "t1")]),
        line(3, "user", [result("t1", "no", is_error=True)]),
    ]
    trace = read(lines, lines=True)
    assert [(each.tool, told.error) for each, told in zip(look.used(trace), look.results(trace), strict=True)] == [
        ("Bash", "no")
    ]


def test_the_sample(shared, look):
    (trace,) = load(shared / "formats" / "claude_code_session.jsonl")
    assert [call["name"] for reply in look.replies(trace) for call in reply.calls] == ["Write", "Bash"]
