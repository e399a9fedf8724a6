"""Agents that fail while their answer, or the lack of one, looks harmless. Each names the checks for it."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import anthropic
import openai
from openai.types.chat import ChatCompletionMessageParam

from edge.agent import Chat, Messages, Responses, tool
from edge.cases import failure
from edge.stage import Stage, calls, refuses, says

SORRY = "We are looking into it and will get back to you."
ORDER = {"order": "7", "status": "delivered", "total": 40}
STRICT = {
    "search": {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["q"],
        "additionalProperties": False,
    }
}


# ------------------------------------------------------------------------------------------------ going round in loops


@failure("search_loop", "no_answer")
def looks_everywhere_and_says_nothing(stage: Stage) -> str:
    """Six searches in other words find nothing, and the answer is empty."""
    stage.plays(*(calls(("search", {"q": word})) for word in "abcdef"), says(""))
    return Chat(stage, "Where is my order?", ["search"]).work({"search": [[]] * 6})


@failure("search_loop", "no_answer")
def looks_until_its_steps_are_up(stage: Stage) -> str:
    """Searches find nothing until the agent's own limit of steps ends it on one more."""
    stage.plays(*(calls(("search", {"q": str(page)})) for page in range(6)))
    return Chat(stage, "Where is my order?", ["search"]).work({"search": [{"results": [], "count": 0}] * 6}, steps=6)


@failure("repeated_tool_call")
def the_same_lookup_again_and_again(stage: Stage) -> str:
    """A lookup comes back empty but well, and is made four times before the agent makes something up."""
    stage.plays(*(calls(("get_page", {"url": "u"})) for _ in range(4)), says("The page says that all is well."))
    return Chat(stage, "What does the page say?", ["get_page"]).work({"get_page": [""] * 4})


@failure("repeated_tool_call")
def a_poll_in_which_only_the_clock_moves(stage: Stage) -> str:
    """The same job is asked for five times; only the time stamp in the result differs."""
    results = [{"state": "queued", "checked_at": f"2026-11-30T10:00:0{second}Z"} for second in range(5)]
    stage.plays(*(calls(("get_job", {"id": "j1"})) for _ in range(5)), says("The job is queued."))
    return Chat(stage, "Is the job through?", ["get_job"]).work({"get_job": results})


@failure("repeated_tool_call")
def equal_arguments_in_another_order(stage: Stage) -> str:
    """The same lookup three times, the arguments spelt in another order each time."""
    spelt = ['{"id": "7", "full": true}', '{"full": true, "id": "7"}', '{"id":"7","full":true}']
    stage.plays(*(calls(("get_order", text)) for text in spelt), says("It was delivered."))
    return Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER] * 3})


@failure("cyclic_loop")
def to_and_fro(stage: Stage) -> str:
    """Two lookups in turns, and both once more with the same results."""
    round_ = [calls(("get_order", {"id": "7"})), calls(("get_customer", {"id": "c"}))]
    stage.plays(*round_ * 2, says("Your order was delivered."))
    tools = {"get_order": [ORDER] * 2, "get_customer": [{"name": "Ann"}] * 2}
    return Chat(stage, "Where is order 7?", list(tools)).work(tools)


# ------------------------------------------------------------------------------------------------ tools that failed


@failure("unrecovered_tool_error")
def an_error_in_words_and_a_made_up_answer(stage: Stage) -> str:
    """The lookup fails in words, and the answer is made up."""
    stage.plays(calls(("get_weather", {"city": "Oslo"})), says("It is 21 degrees and sunny in Oslo."))
    tools = {"get_weather": ["Error: upstream connection reset"]}
    return Chat(stage, "What is the weather in Oslo?", list(tools)).work(tools)


@failure("unrecovered_tool_error", "hidden_write_error")
def success_is_false(stage: Stage) -> str:
    """The result is an object whose `success` is false, and the answer plays it down."""
    stage.plays(calls(("post_message", {"channel": "ops"})), says("The message is in the channel."))
    tools = {"post_message": [{"success": False, "message": "channel_not_found"}]}
    return Chat(stage, "Tell ops.", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def ok_is_false(stage: Stage) -> str:
    """The result says `ok: false` with a reason, in a body that came well."""
    stage.plays(calls(("read_channel", {"channel": "ops"})), says("The channel is quiet today."))
    tools = {"read_channel": [{"ok": False, "reason": "missing_scope"}]}
    return Chat(stage, "Anything new in ops?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def a_traceback(stage: Stage) -> str:
    """The tool's result is a traceback, and the answer does not mind."""
    told = 'Traceback (most recent call last):\n  File "x.py", line 3, in f\nKeyError: "balance"'
    stage.plays(calls(("get_balance", {"account": "a1"})), says("Your balance is 1,200."))
    return Chat(stage, "My balance?", ["get_balance"]).work({"get_balance": [told]})


@failure("unrecovered_tool_error")
def a_named_exception(stage: Stage) -> str:
    """The result begins with an exception's own name, as many loops write it."""
    stage.plays(calls(("get_balance", {"account": "a1"})), says("Your balance is 1,200."))
    tools = {"get_balance": ["ValueError: account a1 is locked"]}
    return Chat(stage, "My balance?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def flagged_by_the_protocol(stage: Stage) -> str:
    """Anthropic's `is_error` says that the tool failed, its text does not."""
    stage.plays(calls(("get_weather", {"city": "Oslo"})), says("It is 21 degrees in Oslo."))
    tools = {"get_weather": [RuntimeError("upstream closed")]}
    return Messages(stage, "What is the weather in Oslo?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def a_frameworks_stock_text(stage: Stage) -> str:
    """What a framework writes in place of a result that it could not get."""
    told = "An error occurred while running the tool. Please try again. Error: timeout"
    stage.plays(calls(("get_weather", {"city": "Oslo"})), says("It is 21 degrees in Oslo."))
    return Chat(stage, "What is the weather in Oslo?", ["get_weather"]).work({"get_weather": [told]})


@failure("unrecovered_tool_error")
def a_status_in_the_body(stage: Stage) -> str:
    """The tool passes on what the service answered: a status of 500 and a message."""
    stage.plays(calls(("get_stock", {"sku": "s1"})), says("There are 12 of them in stock."))
    tools = {"get_stock": [{"status_code": 500, "message": "internal server error"}]}
    return Chat(stage, "How many s1 are there?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def in_responses_too(stage: Stage) -> str:
    """The tool fails and the answer is made up, through the responses API, where results are items of their own."""
    stage.plays(calls(("get_stock", {"sku": "s1"})), says("There are 12 of them in stock."))
    tools = {"get_stock": [{"error": "database is locked"}]}
    return Responses(stage, "How many s1 are there?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def an_error_of_mcps(stage: Stage) -> str:
    """The loop hands on MCP's result as it came, with `isError` in it."""
    stage.plays(calls(("get_rate", {"pair": "EURUSD"})), says("One euro is 1.2 dollars."))
    tools = {"get_rate": [{"isError": True, "content": [{"type": "text", "text": "upstream is gone"}]}]}
    return Chat(stage, "What is a euro in dollars?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def an_error_in_quotes(stage: Stage) -> str:
    """The loop makes JSON of every result, so that the error's text stands in quotes."""
    stage.plays(calls(("get_rate", {"pair": "EURUSD"})), says("One euro is 1.2 dollars."))
    return Chat(stage, "What is a euro in dollars?", ["get_rate"]).work({"get_rate": ['"Error: no route to host"']})


@failure("unrecovered_tool_error")
def one_of_two_at_once(stage: Stage) -> str:
    """Two lookups are asked for at once, one fails, and the answer speaks of both."""
    stage.plays(
        calls(("get_order", {"order_id": "7"}), ("get_order", {"order_id": "8"})), says("Both orders were delivered.")
    )
    tools = {"get_order": [ORDER, "Error: connection reset"]}
    return Chat(stage, "Where are orders 7 and 8?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def an_exception_that_the_loop_swallows(stage: Stage) -> str:
    """The tool raises, the agent's loop makes an empty text of it, and the answer is made up."""

    def get_balance(account: str) -> str:
        raise ConnectionError(f"no route to the ledger of {account}")

    watched = tool("get_balance", get_balance)

    def quietly(**arguments: object) -> object:
        try:
            return watched(**arguments)
        except ConnectionError:
            return ""

    stage.plays(calls(("get_balance", {"account": "a1"})), says("Your balance is 1,200."))
    return Chat(stage, "My balance?", ["get_balance"]).work({"get_balance": quietly})


@failure("unrecovered_tool_error")
def another_thing_worked(stage: Stage) -> str:
    """The lookup of order 7 fails, that of order 8 works, and the answer speaks of both."""
    stage.plays(
        calls(("get_order", {"order_id": "7"})), calls(("get_order", {"order_id": "8"})), says("Both were delivered.")
    )
    tools = {"get_order": ["Error: connection reset", {"order": "8", "status": "delivered"}]}
    return Chat(stage, "Where are orders 7 and 8?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def another_agents_tool_worked(stage: Stage) -> str:
    """Two agents in one test: the first one's lookup fails for good, the second one's works."""
    tools = {"get_rates": ["Error: service closed the connection", {"rate": 1.1}]}
    stage.plays(calls(("get_rates", {"pair": "EURUSD"})), says("One euro is 1.2 dollars."))
    first = Chat(stage, "What is a euro in dollars?", list(tools)).work({"get_rates": tools["get_rates"][:1]})
    stage.plays(calls(("get_rates", {"pair": "EURUSD"})), says("The rate is 1.1."))
    return first + Chat(stage, "Give me the rate of EURUSD.", list(tools)).work({"get_rates": tools["get_rates"][1:]})


@failure("unrecovered_tool_error")
def ids_that_come_twice(stage: Stage) -> str:
    """A provider gives every call the same id; the first result is an error, the second one is not."""
    stage.plays(
        calls(("get_invoice", {"invoice": "i1"}), ids=("call_0",)),
        calls(("get_address", {"user": "u1"}), ids=("call_0",)),
        says("Your invoice is paid, and goes to 1 High Street."),
    )
    tools = {"get_invoice": ["Error: connection reset"], "get_address": [{"street": "1 High Street"}]}
    return Chat(stage, "Is my invoice paid, and where does it go?", list(tools)).work(tools)


@failure("unrecovered_tool_error")
def history_that_is_trimmed(stage: Stage) -> str:
    """The agent drops the failed call from its history, in place, as soon as it has its answer."""
    stage.plays(calls(("get_balance", {"account": "a1"})), says("Your balance is 1,200."))
    agent = Chat(stage, "My balance?", ["get_balance"])
    answer = agent.work({"get_balance": ["Error: the ledger is locked"]})
    del agent.messages[1:-1]
    for message in agent.messages:
        message["content"] = "…"
    return answer


@failure("unrecovered_tool_error")
def in_a_thread(stage: Stage) -> list[str]:
    """The agent runs in a thread of the test, which sees its answer alone."""
    stage.plays(calls(("get_stock", {"sku": "s1"})), says("There are 12 in stock."))
    answers: list[str] = []
    agent = Chat(stage, "How many s1?", ["get_stock"])
    thread = threading.Thread(target=lambda: answers.append(agent.work({"get_stock": ["Error: database is locked"]})))
    thread.start()
    thread.join()
    return answers


@failure("unrecovered_tool_error")
def in_a_pool(stage: Stage) -> str:
    """The agent is a job of a pool of threads."""
    stage.plays(calls(("get_stock", {"sku": "s1"})), says("There are 12 in stock."))
    agent = Chat(stage, "How many s1?", ["get_stock"])
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(agent.work, {"get_stock": ["Error: database is locked"]}).result()


@failure("hidden_write_error", "unrecovered_tool_error")
def a_write_failed_and_a_note_worked(stage: Stage) -> str:
    """The refund is refused, a note on the order works, and the customer is told that all is well."""
    stage.plays(
        calls(("issue_refund", {"order_id": "7", "amount": 40})),
        calls(("add_note", {"order_id": "7", "text": "refund"})),
        says("All done, the money is on its way to you."),
    )
    tools = {"issue_refund": [{"error": "card_expired"}], "add_note": [{"id": "n1"}]}
    return Chat(stage, "Refund order 7.", list(tools)).work(tools)


# ------------------------------------------------------------------------------------------------ models that failed


@failure("unrecovered_model_error")
def an_outage_behind_a_stock_phrase(stage: Stage) -> str:
    """The provider is down after the first step, and the agent answers with a stock phrase."""
    stage.plays(calls(("get_order", {"id": "7"})), refuses(503, "overloaded"))
    try:
        return Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER]})
    except openai.APIError:
        return SORRY


@failure("unrecovered_model_error")
def an_outage_behind_nothing(stage: Stage) -> str:
    """Every request is answered 429, and the agent gives back an empty text."""
    stage.plays(*(refuses(429, "slow down") for _ in range(3)))
    agent = Chat(stage, "Where is order 7?")
    for _ in range(3):
        try:
            return agent.ask().text
        except openai.RateLimitError:
            continue
    return ""


@failure("unrecovered_model_error")
def anthropic_is_overloaded(stage: Stage) -> str:
    """Anthropic answers 529, and the agent answers as if nothing were."""
    stage.plays(refuses(529, "Overloaded"))
    try:
        return Messages(stage, "Where is order 7?").work()
    except anthropic.APIError:
        return SORRY


@failure("unrecovered_model_error")
def one_of_two_agents_is_down(stage: Stage) -> list[str]:
    """Two agents run at once; one has a good reply, the other one's error becomes a stock phrase."""
    stage.plays(says("Lima is in Peru."), refuses(500, "boom"))
    client = stage.async_openai()

    async def ask(question: str) -> str:
        try:
            messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": question}]
            reply = await client.chat.completions.create(model="m", messages=messages)
        except openai.APIError:
            return SORRY
        return reply.choices[0].message.content or ""

    async def both() -> list[str]:
        return list(await asyncio.gather(ask("Where is Lima?"), ask("Where is Oslo?")))

    return asyncio.run(both())


@failure("incomplete_stream")
def an_error_inside_a_stream(stage: Stage) -> str:
    """An error comes in the midst of a stream, and the agent goes on with the half that it has."""
    stage.plays(says("The order was delivered to the", broken=True), says("You are welcome."))
    agent, text = Chat(stage, "Where is order 7?"), ""
    try:
        for chunk in agent.client.chat.completions.create(messages=agent.messages, stream=True, **agent.asked):
            text += chunk.choices[0].delta.content or ""
    except openai.APIError:
        pass
    agent.messages.append({"role": "assistant", "content": text})
    agent.says("Thank you.")
    return agent.ask().text


@failure("incomplete_stream")
def a_stream_without_its_end(stage: Stage) -> str:
    """The stream just ends, without a reason to stop and without its last line; what came is the answer."""
    stage.plays(says("The order was delivered to the wrong", cut=True))
    return Chat(stage, "Where is order 7?").stream()


@failure("incomplete_stream")
def a_stream_of_anthropics_without_its_end(stage: Stage) -> str:
    """Anthropic's stream ends in the midst of a block; what came is the answer."""
    stage.plays(says("The order was delivered to the wrong", cut=True))
    return Messages(stage, "Where is order 7?").stream()


@failure("incomplete_stream")
def an_async_stream_without_its_end(stage: Stage) -> str:
    """An async agent reads a stream that just ends; what came is the answer."""
    stage.plays(says("The order was delivered to the wrong", cut=True))
    client = stage.async_openai()

    async def ask() -> str:
        messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Where is order 7?"}]
        stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    return asyncio.run(ask())


@failure("retry_amplification")
def retries_under_retries(stage: Stage) -> str:
    """The agent tries three times, the SDK three times each: nine requests for one question."""
    stage.plays(*(refuses(503, "overloaded") for _ in range(8)), says("It was delivered."))
    agent = Chat(stage, "Where is order 7?", options={"max_retries": 2})
    for _ in range(3):
        try:
            return agent.ask().text
        except openai.InternalServerError:
            continue
    return ""


# ------------------------------------------------------------------------------------------------ limits of tokens


@failure("context_overflow")
def an_answer_that_stops_at_the_limit(stage: Stage) -> str:
    """The answer stops in mid-sentence at the limit of tokens, and is taken as it is."""
    stage.plays(says("The three steps are: first, open the", finish="length"))
    return Chat(stage, "How do I reset it?", max_tokens=512).work()


@failure("context_overflow")
def anthropics_answer_stops_at_the_limit(stage: Stage) -> str:
    """Anthropic's answer stops in mid-sentence at the limit of tokens, and is taken as it is."""
    stage.plays(says("The three steps are: first, open the", finish="length"))
    return Messages(stage, "How do I reset it?").work()


@failure("context_overflow")
def an_incomplete_response(stage: Stage) -> str:
    """A response of the responses API calls itself incomplete, and is taken as it is."""
    stage.plays(says("The three steps are: first, open the", finish="length"))
    return Responses(stage, "How do I reset it?", max_output_tokens=512).work()


@failure("context_overflow", "unrecovered_model_error")
def refused_as_too_long(stage: Stage) -> str:
    """The request is refused as too long for the model, and the agent says something general."""
    stage.plays(refuses(400, "This model's maximum context length is 8192 tokens, you asked for 9000."))
    try:
        return Chat(stage, "Sum this up: …").work()
    except openai.BadRequestError:
        return "Here is your summary: all is in order."


# ------------------------------------------------------------------------------------------------ no answer at all


@failure("no_answer")
def an_empty_answer(stage: Stage) -> str:
    """The model's last reply is empty."""
    stage.plays(calls(("get_order", {"id": "7"})), says(""))
    return Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER]})


@failure("no_answer")
def a_filtered_answer(stage: Stage) -> str:
    """The answer was stopped by a content filter, half of it is given back."""
    stage.plays(says("To reset your", finish="content_filter"))
    return Chat(stage, "How do I reset my password?").work()


@failure("no_answer")
def a_refused_answer(stage: Stage) -> str:
    """The model refuses, in the field that is there for it, which the agent does not read."""
    stage.plays(says("I can't help with that.", finish="refusal"))
    return Chat(stage, "How do I reset my password?").work()


@failure("no_answer")
def anthropic_refuses(stage: Stage) -> str:
    """Anthropic stops with `refusal` after a few words."""
    stage.plays(says("Resetting a", finish="refusal"))
    return Messages(stage, "How do I reset my password?").work()


@failure("no_answer")
def its_last_word_is_a_call(stage: Stage) -> str:
    """The agent's limit of steps is reached while the model still calls tools."""
    stage.plays(*(calls(("get_order", {"id": str(number)})) for number in range(3)))
    tools = {"get_order": [{"order": str(number)} for number in range(3)]}
    return Chat(stage, "Which of my orders is late?", list(tools)).work(tools, steps=3)


# ------------------------------------------------------------------------------------------------ bad calls


@failure("bad_tool_call")
def a_tool_that_there_is_not(stage: Stage) -> str:
    """The model calls a tool that was not offered; the loop shrugs, and the answer claims its result."""
    stage.plays(calls(("fetch_order", {"id": "7"})), says("Your order was delivered."))
    return Chat(stage, "Where is order 7?", ["get_order"]).work({"fetch_order": [""]})


@failure("bad_tool_call")
def arguments_cut_in_the_middle(stage: Stage) -> str:
    """The arguments break off; the loop takes them for none and calls the tool all the same."""
    stage.plays(calls(("search", '{"q": "late ord')), says("You have no late orders."))
    agent = Chat(stage, "Any late orders?", ["search"])
    agent.result(agent.ask().uses[0], [{"order": "9"}])
    return agent.ask().text


@failure("bad_tool_call")
def arguments_that_do_not_fit(stage: Stage) -> str:
    """A number is a word, and a field is there that the schema does not know; the tool finds something else."""
    stage.plays(calls(("search", {"q": "late", "limit": "all", "page": 2})), says("You have no late orders."))
    return Chat(stage, "Any late orders?", STRICT).work({"search": [["order 9"]]})


@failure("orphan_call")
def one_of_two_results(stage: Stage) -> str:
    """The model asks for two calls at once, the agent gives back the first one's result alone."""
    stage.plays(calls(("get_order", {"id": "7"}), ("get_order", {"id": "8"})), says("Both were delivered."))
    agent = Chat(stage, "Where are 7 and 8?", ["get_order"])
    agent.result(agent.ask().uses[0], ORDER)
    return agent.ask().text


@failure("orphan_call")
def a_call_that_is_forgotten(stage: Stage) -> str:
    """The user interrupts, and the agent sends the next question without any result of the call before."""
    stage.plays(calls(("get_order", {"id": "7"})), says("It was delivered."))
    agent = Chat(stage, "Where is order 7?", ["get_order"])
    agent.ask()
    agent.says("Hurry up, please.")
    return agent.ask().text


# ------------------------------------------------------------------------------------------------ writes


@failure("duplicate_side_effect")
def two_refunds(stage: Stage) -> str:
    """The same refund is made twice, and both times it works."""
    refund = tool("issue_refund", lambda order_id, amount: {"refund": f"{order_id}-{amount}"}, mutates=True)
    stage.plays(*(calls(("issue_refund", {"order_id": "7", "amount": 40})) for _ in range(2)), says("Refunded."))
    return Chat(stage, "Refund order 7.", ["issue_refund"]).work({"issue_refund": refund})


@failure("duplicate_side_effect")
def two_payments_with_two_keys(stage: Stage) -> str:
    """The same payment is made twice, with a new idempotency key the second time."""
    pay = tool("pay", lambda to, amount, key: {"payment": key, "to": to, "amount": amount}, mutates=True, key="key")
    wanted = ({"to": "bob", "amount": 100, "key": key} for key in ("k1", "k2"))
    stage.plays(*(calls(("pay", arguments)) for arguments in wanted), says("Bob is paid."))
    return Chat(stage, "Pay Bob 100.", ["pay"]).work({"pay": pay})


@failure("blind_retry")
def sent_again_after_a_timeout(stage: Stage) -> str:
    """A message is sent, the reply is lost, and it is sent again with nobody looking whether it had arrived."""
    wanted = {"to": "bob@example.com", "text": "Hi"}
    stage.plays(calls(("send_email", wanted)), calls(("send_email", wanted)), says("The mail is out."))
    tools = {"send_email": ["Error: timed out after 30 s", {"id": "m2"}]}
    return Chat(stage, "Mail Bob.", list(tools)).work(tools)


@failure("blind_retry")
def sent_again_with_more_patience(stage: Stage) -> str:
    """A message goes out, its command is ended by a limit, and it is sent again with a longer one."""
    wanted = [{"to": "bob", "text": "Hi", "timeout": seconds} for seconds in (10, 60)]
    stage.plays(*(calls(("send_message", each)) for each in wanted), says("The message is out."))
    tools = {"send_message": ["Error: timed out after 10 s; run it again with a longer limit", {"id": "m2"}]}
    return Chat(stage, "Tell Bob hi.", list(tools)).work(tools)


@failure("claimed_not_done")
def it_says_that_it_did_it(stage: Stage) -> str:
    """The agent reads the order, and says that it has cancelled it."""
    stage.plays(calls(("get_order", {"id": "7"})), says("I have cancelled order 7 for you."))
    tools = {"get_order": [{"order": "7", "status": "placed"}]}
    return Chat(stage, "Cancel order 7.", ["get_order", "cancel_order"]).work(tools)


@failure("announced_not_done")
def it_says_that_it_will_do_it(stage: Stage) -> str:
    """The agent says that it will now cancel the order, and that was that."""
    stage.plays(calls(("get_order", {"id": "7"})), says("I found your order. I will now cancel it."))
    tools = {"get_order": [{"order": "7", "status": "placed"}]}
    return Chat(stage, "Cancel order 7.", ["get_order", "cancel_order"]).work(tools)


# ------------------------------------------------------------------------------------------------ policy


@failure("policy")
def a_path_that_nobody_gave(stage: Stage) -> str:
    """The model reads a file of the system that nobody has named."""
    stage.plays(calls(("read_file", {"path": "/etc/passwd"})), says("There are three users."))
    return Chat(stage, "Who uses this machine?", ["read_file"]).work({"read_file": ["root\nann\nbob"]})


@failure("policy", policy={"tools": {"issue_refund": {"limits": {"refund.amount": 500}}}})
def more_than_the_limit(stage: Stage) -> str:
    """A refund of $900.00, in text and nested, where the limit is 500."""
    wanted = {"order_id": "7", "refund": {"amount": "$900.00"}}
    stage.plays(calls(("issue_refund", wanted)), says("The refund is out."))
    return Chat(stage, "Refund order 7.", ["issue_refund"]).work({"issue_refund": [{"refund": "r1"}]})


@failure("policy", policy={"tools": {"issue_refund": {"requires": ["verify_identity"]}}})
def a_check_that_failed_before(stage: Stage) -> str:
    """The identity could not be verified, and the refund is made all the same."""
    stage.plays(
        calls(("verify_identity", {"user": "u1"})),
        calls(("issue_refund", {"order_id": "7"})),
        says("I could not verify who you are, but the refund is out."),
    )
    tools = {"verify_identity": [{"success": False, "message": "no match"}], "issue_refund": [{"refund": "r1"}]}
    return Chat(stage, "Refund order 7.", list(tools)).work(tools)


@failure("policy", policy={"max_calls": 3, "allow": ["search"]})
def more_calls_than_allowed(stage: Stage) -> str:
    """Four different searches where three are allowed."""
    stage.plays(*(calls(("search", {"q": word})) for word in "abcd"), says("Nothing of the kind, I looked four times."))
    return Chat(stage, "Look for it.", ["search"]).work({"search": [json.dumps([word]) for word in "abcd"]})
