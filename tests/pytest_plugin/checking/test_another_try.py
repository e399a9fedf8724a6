"""An agent that its test, or a retry around it, calls again as a whole: suites that know nothing of squall."""

from __future__ import annotations

import pytest

AROUND = """
def answers(*replies):
    replies = iter(replies)

    def answer(request):
        message = next(replies)
        if isinstance(message, int):
            return httpx2.Response(message, json={"error": {"message": "hiccup"}})
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}
        return httpx2.Response(200, json=body)

    return openai.OpenAI(api_key="x", max_retries=0, http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))


def ask_once(client):
    messages = [{"role": "user", "content": "Where is order 7?"}]
    while True:
        reply = client.chat.completions.create(model="gpt-5", messages=messages, tools=TOOLS).choices[0].message
        if not reply.tool_calls:
            return reply.content
        messages.append(reply.model_dump(exclude_none=True))
        messages += [{"role": "tool", "tool_call_id": call.id, "content": "delivered"} for call in reply.tool_calls]


def ask(client):
    for _ in range(2):
        try:
            if told := ask_once(client):
                return told
        except openai.APIError:
            pass
    return "It was delivered."
"""


@pytest.mark.parametrize("bad", [400, 'say("")'])
@pytest.mark.parametrize(("again", "failed"), [('call("find", q="7"), say("It was delivered.")', 0), (None, 1)])
def test_an_agent_that_is_called_again_as_a_whole_is_judged_by_its_last_try(suite, bad, again, failed):
    replies = f'call("find", q="7"), {bad}, {again or f"""call("find", q="7"), {bad}"""}'
    done = suite(f"""{AROUND}
def test_it():
    assert ask(answers({replies})) == "It was delivered."
""")
    assert f"squall: 1 run checked, {failed} failed by checks" in done.text
