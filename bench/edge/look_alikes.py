"""Honest agents that look like failing ones. No check should fire on any."""

from __future__ import annotations

import json

import openai

from edge.agent import Chat, Messages, Responses, tool
from edge.cases import look_alike
from edge.stage import Stage, calls, refuses, says

ORDER = {"order": "7", "status": "delivered", "total": 40}


class AgentError(Exception):
    """What an agent makes of an error below it."""


# ------------------------------------------------------------------------------------------------ results that are data


@look_alike()
def not_found_is_a_result(stage: Stage) -> str:
    """The order is not there, the tool says so, and so does the answer."""
    stage.plays(calls(("get_order", {"id": "77"})), says("There is no order 77."))
    return Chat(stage, "Where is order 77?", ["get_order"]).work({"get_order": ["Order 77 not found"]})


@look_alike()
def a_payment_that_failed(stage: Stage) -> str:
    """The payment's status is `failed`: that is what was asked."""
    stage.plays(calls(("get_payment", {"id": "p1"})), says("It went to the bank on Monday, and came back."))
    tools = {"get_payment": [{"id": "p1", "status": "failed", "amount": 40}]}
    return Chat(stage, "What became of payment p1?", list(tools)).work(tools)


@look_alike()
def a_bare_status_that_failed(stage: Stage) -> str:
    """All that the tool says is the state of a build, which failed."""
    stage.plays(calls(("get_build", {"id": "b1"})), says("Build b1 is red."))
    return Chat(stage, "How is build b1?", ["get_build"]).work({"get_build": [{"status": "failed"}]})


@look_alike()
def a_log_that_begins_with_an_error(stage: Stage) -> str:
    """The tool reads a log, whose first line is about an error."""
    log = "Error: disk full\n2026-11-30 10:00:01 INFO retry\n2026-11-30 10:00:02 INFO disk freed\n"
    stage.plays(calls(("read_log", {"name": "app"})), says("The disk was full at ten, and freed at once."))
    return Chat(stage, "What happened at ten?", ["read_log"]).work({"read_log": [log]})


@look_alike()
def a_page_about_errors(stage: Stage) -> str:
    """A search finds a page on how errors are handled."""
    page = "Errors are raised as exceptions. Exception: generators, which end with StopIteration."
    stage.plays(calls(("search", {"q": "errors"})), says("They are raised as exceptions."))
    return Chat(stage, "How are errors told?", ["search"]).work({"search": [page]})


@look_alike()
def an_error_that_is_null(stage: Stage) -> str:
    """The result has an `error` that is null and one that is empty."""
    stage.plays(calls(("get_order", {"id": "7"})), says("It was delivered."))
    tools: dict[str, object] = {"get_order": [{"error": None, "errors": [], "success": True, "data": ORDER}]}
    return Chat(stage, "Where is order 7?", list(tools)).work(tools)


@look_alike()
def jobs_that_failed(stage: Stage) -> str:
    """A list of jobs, some with an error of their own."""
    jobs = [{"id": 1, "error": "boom"}, {"id": 2, "error": None}]
    stage.plays(calls(("list_jobs", {})), says("Job 1 went boom, job 2 is through."))
    return Chat(stage, "How are the jobs?", ["list_jobs"]).work({"list_jobs": [{"jobs": jobs}]})


@look_alike()
def a_record_with_an_error_of_its_own(stage: Stage) -> str:
    """One job is asked for, and its record has the error for which it stopped."""
    job = {"id": "j1", "name": "import", "error": "column missing", "finished_at": "2026-11-30T10:00:00Z"}
    stage.plays(calls(("get_job", {"id": "j1"})), says("The import stopped on a column that it wanted."))
    return Chat(stage, "Why did j1 stop?", ["get_job"]).work({"get_job": [job]})


# ------------------------------------------------------------------------------------------------ errors made good


@look_alike()
def the_second_time_it_works(stage: Stage) -> str:
    """A lookup fails, and works when it is made again."""
    stage.plays(*(calls(("get_order", {"id": "7"})) for _ in range(2)), says("It was delivered."))
    return Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": ["Error: connection reset", ORDER]})


@look_alike()
def another_tool_takes_its_place(stage: Stage) -> str:
    """One weather service is down, the other one answers."""
    stage.plays(
        calls(("weather_primary", {"city": "Oslo"})),
        calls(("weather_backup", {"city": "Oslo"})),
        says("It is 4 degrees in Oslo."),
    )
    tools = {"weather_primary": ["Error: upstream is down"], "weather_backup": [{"celsius": 4}]}
    return Chat(stage, "What is the weather in Oslo?", list(tools)).work(tools)


@look_alike()
def arguments_put_right(stage: Stage) -> str:
    """The tool wants another form of date, and gets it."""
    stage.plays(
        calls(("list_flights", {"day": "May 3rd"})),
        calls(("list_flights", {"day": "2027-05-03"})),
        says("There is one at nine."),
    )
    tools = {"list_flights": ["Error: invalid date, expected YYYY-MM-DD", [{"at": "09:00"}]]}
    return Chat(stage, "Flights on May 3rd?", list(tools)).work(tools)


@look_alike()
def a_wrong_name_put_right(stage: Stage) -> str:
    """The model calls a tool that there is not, is told so, and takes the right one."""
    stage.plays(calls(("fetch_order", {"id": "7"})), calls(("get_order", {"id": "7"})), says("It was delivered."))
    tools = {"fetch_order": ["fetch_order is not a valid tool, try one of [get_order]."], "get_order": [ORDER]}
    return Chat(stage, "Where is order 7?", ["get_order"]).work(tools)


@look_alike()
def it_says_so(stage: Stage) -> str:
    """The lookup fails for good, and the answer owns up to it."""
    stage.plays(calls(("get_order", {"id": "7"})), says("I could not reach the order system; please try again later."))
    return Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": ["Error: connection reset"]})


@look_alike()
def it_says_so_in_german(stage: Stage) -> str:
    """The lookup fails for good, and the answer says so in German."""
    stage.plays(calls(("get_order", {"id": "7"})), says("Das Bestellsystem antwortet gerade nicht, leider."))
    return Chat(stage, "Wo ist Bestellung 7?", ["get_order"]).work({"get_order": ["Error: connection reset"]})


@look_alike()
def it_hands_over_to_a_person(stage: Stage) -> str:
    """A refund is refused, and the agent hands the customer over."""
    stage.plays(
        calls(("issue_refund", {"order_id": "7"})),
        calls(("transfer_to_human_agents", {"summary": "refund of 7"})),
        says("A colleague will take it from here."),
    )
    tools = {"issue_refund": ["Error: above the limit"], "transfer_to_human_agents": ["Transfer successful"]}
    return Chat(stage, "Refund order 7.", list(tools)).work(tools)


@look_alike()
def the_user_says_no(stage: Stage) -> str:
    """The user declines a call when asked, and the agent leaves it at that."""
    stage.plays(calls(("delete_file", {"path": "a.txt"})), says("All right, a.txt stays."))
    tools = {"delete_file": [RuntimeError("The user rejected this tool call")]}
    return Messages(stage, "Tidy up.", list(tools)).work(tools)


@look_alike()
def the_model_comes_back(stage: Stage) -> str:
    """The first request fails with 503, the agent asks again and has its answer."""
    stage.plays(refuses(503, "overloaded"), says("It was delivered."))
    agent = Chat(stage, "Where is order 7?")
    try:
        return agent.ask().text
    except openai.InternalServerError:
        return agent.ask().text


@look_alike()
def the_sdk_tries_again(stage: Stage) -> str:
    """Two refusals and then a reply, all within the SDK's own retries."""
    stage.plays(refuses(429, "slow down"), refuses(503, "overloaded"), says("It was delivered."))
    return Chat(stage, "Where is order 7?", options={"max_retries": 2}).work()


@look_alike()
def an_expected_error(stage: Stage) -> None:
    """The test wants to see that an outage leaves the agent."""
    stage.plays(refuses(503, "overloaded"))
    with stage.expects(openai.InternalServerError):
        Chat(stage, "Where is order 7?").work()


@look_alike()
def an_expected_error_in_other_words(stage: Stage) -> None:
    """The agent wraps what the provider said into an error of its own, which the test expects."""
    stage.plays(calls(("get_order", {"id": "7"})), refuses(400, "maximum context length is 8192 tokens"))
    with stage.expects(AgentError):
        try:
            Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER]})
        except openai.BadRequestError as error:
            raise AgentError("the model does not answer") from error


@look_alike()
def a_tools_error_that_leaves_the_agent(stage: Stage) -> None:
    """A tool raises, nobody catches it in the agent, and the test expects it."""

    def get_balance(account: str) -> str:
        raise ConnectionError(f"no route to the ledger of {account}")

    watched = tool("get_balance", get_balance)
    stage.plays(calls(("get_balance", {"account": "a1"})))
    agent = Chat(stage, "My balance?", ["get_balance"])
    with stage.expects(ConnectionError):
        watched(**json.loads(agent.ask().uses[0].arguments))


# ----------------------------------------------------------------------------------------------- repetition with reason


@look_alike()
def a_poll_that_progresses(stage: Stage) -> str:
    """The job is asked for four times, and each time it is further."""
    results = [{"state": "running", "percent": percent} for percent in (10, 40, 80)] + [{"state": "done"}]
    stage.plays(*(calls(("get_job", {"id": "j1"})) for _ in results), says("The job is through."))
    return Chat(stage, "Tell me when j1 is through.", ["get_job"]).work({"get_job": results})


@look_alike()
def a_poll_that_waits_long_and_ends(stage: Stage) -> str:
    """Four times the same, and then the job is through."""
    results = [{"state": "queued"}] * 4 + [{"state": "done"}]
    stage.plays(*(calls(("get_job", {"id": "j1"})) for _ in results), says("The job is through."))
    return Chat(stage, "Tell me when j1 is through.", ["get_job"]).work({"get_job": results})


@look_alike()
def looking_again_after_each_write(stage: Stage) -> str:
    """The cart is read after each change of it, and happens to read the same."""
    steps = [
        ("get_cart", {}),
        ("set_note", {"text": "a"}),
        ("get_cart", {}),
        ("set_note", {"text": "b"}),
        ("get_cart", {}),
    ]
    stage.plays(*(calls(step) for step in steps), says("Both notes are on it."))
    tools = {"get_cart": [{"items": 1}] * 3, "set_note": [{"saved": True}] * 2}
    return Chat(stage, "Put two notes on my cart.", list(tools)).work(tools)


@look_alike()
def three_agents_in_one_test(stage: Stage) -> list[str]:
    """Three agents are asked the same thing, each on its own, and each looks once."""
    answers = []
    for _ in range(3):
        stage.plays(calls(("get_order", {"id": "7"})), says("It was delivered."))
        answers.append(Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER]}))
    return answers


@look_alike()
def three_agents_at_once(stage: Stage) -> list[str]:
    """Three equal agents vote: their calls come in turns."""
    agents = [Chat(stage, "Where is order 7?", ["get_order"]) for _ in range(3)]
    stage.plays(*(calls(("get_order", {"id": "7"})) for _ in agents), *(says("It was delivered.") for _ in agents))
    for agent, use in [(agent, agent.ask().uses[0]) for agent in agents]:
        agent.result(use, ORDER)
    return [agent.ask().text for agent in agents]


@look_alike()
def a_poll_that_waits_in_between(stage: Stage) -> str:
    """The job is asked for three times with a pause before each, and is still queued."""
    stage.plays(
        *(calls(step) for _ in range(3) for step in (("get_job", {"id": "j1"}), ("sleep", {"seconds": 5}))),
        says("The job is still queued."),
    )
    tools = {"get_job": [{"state": "queued"}] * 3, "sleep": ["ok"] * 3}
    return Chat(stage, "Look at j1 for a while.", list(tools)).work(tools)


@look_alike()
def it_starts_over(stage: Stage) -> str:
    """The agent throws its first try away after a call, and begins anew."""
    stage.plays(*(calls(("get_order", {"id": "7"})) for _ in range(2)), says("It was delivered."))
    Chat(stage, "Where is order 7?", ["get_order"]).ask()
    return Chat(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER]})


@look_alike()
def a_history_in_short(stage: Stage) -> str:
    """The agent replaces its history, with a call that is just answered, by a summary with the question in it."""
    stage.plays(*(calls(("get_order", {"id": order})) for order in ("7", "8")), says("Both were delivered."))
    agent = Chat(stage, "Where are orders 7 and 8?", ["get_order"])
    agent.result(agent.ask().uses[0], ORDER)
    told = "So far: the user asked 'Where are orders 7 and 8?', and order 7 was delivered. Go on."
    agent.messages = [{"role": "user", "content": told}]
    return agent.work({"get_order": [ORDER]})


@look_alike()
def a_window_over_history(stage: Stage) -> str:
    """The agent sends its question and the latest messages only."""
    agent = Chat(stage, "Where are my six orders?", ["get_order"])
    stage.plays(*(calls(("get_order", {"id": str(number)})) for number in range(6)), says("All were delivered."))
    for number in range(6):
        agent.result(agent.ask().uses[0], {**ORDER, "order": str(number)})
        if len(agent.messages) > 5:
            del agent.messages[1:3]
    return agent.ask().text


@look_alike()
def one_agent_hands_over_to_another(stage: Stage) -> str:
    """An agent that sorts requests hands over, and the next goes on with the messages, told otherwise."""
    stage.plays(calls(("transfer_to_billing", {})), calls(("get_invoice", {"id": "i1"})), says("It is paid."))
    first = Chat(stage, "Is my invoice paid?", ["transfer_to_billing"])
    first.messages.insert(0, {"role": "system", "content": "You sort requests."})
    first.result(first.ask().uses[0], {"assistant": "billing"})
    second = Chat(stage, "", ["get_invoice"])
    second.messages = [{"role": "system", "content": "You do billing."}, *first.messages[1:]]
    return second.work({"get_invoice": [{"paid": True}]})


@look_alike()
def an_agent_that_is_a_tool(stage: Stage) -> str:
    """A tool of the agent is an agent itself, with a conversation of its own."""

    def ask_expert(question: str) -> str:
        stage.script[:0] = [calls(("get_order", {"id": "7"})), says("Delivered.")]
        return Chat(stage, question, ["get_order"]).work({"get_order": [ORDER]})

    stage.plays(calls(("ask_expert", {"question": "Is 7 there?"})), says("Yes, it was delivered."))
    return Chat(stage, "Where is order 7?", ["ask_expert"]).work({"ask_expert": tool("ask_expert", ask_expert)})


@look_alike()
def the_user_asks_three_times(stage: Stage) -> str:
    """The user asks for the same thing three times, and it is looked up each time."""
    agent, answer = Chat(stage, "Where is order 7?", ["get_order"]), ""
    for place in range(3):
        if place:
            agent.says("And now?")
        stage.plays(calls(("get_order", {"id": "7"})), says("It is on its way."))
        answer = agent.work({"get_order": [{"order": "7", "status": "on its way"}]})
    return answer


@look_alike()
def five_searches_and_an_answer(stage: Stage) -> str:
    """Five searches find nothing, and the answer says just that."""
    stage.plays(*(calls(("search", {"q": word})) for word in "abcde"), says("There is nothing on it in the archive."))
    return Chat(stage, "What is in the archive on it?", ["search"]).work({"search": [[]] * 5})


@look_alike()
def deletions_give_nothing_back(stage: Stage) -> str:
    """Six deletions, each with an empty result, and then the tool by which this agent ends."""
    stage.plays(*(calls(("delete_file", {"path": f"{n}.tmp"})) for n in range(6)), calls(("submit", {"done": True})))
    agent = Chat(stage, "Delete the six files.", ["delete_file", "submit"])
    return agent.work({"delete_file": [""] * 6, "submit": ["ok"]}, steps=7)


# ------------------------------------------------------------------------------------------------ ends that are meant


@look_alike()
def a_label_of_one_token(stage: Stage) -> str:
    """A classifier wants one token, and the reply stops there."""
    stage.plays(says("spam", finish="length"))
    return Chat(stage, "Spam or ham? …", max_tokens=1).work()


@look_alike()
def cut_and_continued(stage: Stage) -> str:
    """The reply stops at the limit, the agent has it go on, and puts both together."""
    stage.plays(says("First, open the", finish="length"), says(" lid. Second, press the button."))
    agent = Chat(stage, "How do I reset it?", max_tokens=512)
    first = agent.ask().text
    agent.says("Continue exactly where you left off.")
    return first + agent.ask().text


@look_alike()
def cut_and_asked_for_more(stage: Stage) -> str:
    """The reply stops at the limit, and the same is asked again with a higher one."""
    stage.plays(says("First, op", finish="length"), says("First, open the lid."))
    agent = Chat(stage, "How do I reset it?")
    agent.ask(max_tokens=100)
    del agent.messages[1:]
    return agent.ask(max_tokens=1000).text


@look_alike()
def empty_and_asked_again(stage: Stage) -> str:
    """The first reply is empty, and the agent asks again."""
    stage.plays(says(""), says("It was delivered."))
    agent = Chat(stage, "Where is order 7?")
    agent.ask()
    del agent.messages[1:]
    return agent.ask().text


@look_alike()
def another_provider_answers(stage: Stage) -> str:
    """One provider is down, and the agent has its answer from the other one."""
    stage.plays(refuses(503, "overloaded"), says("It was delivered."))
    try:
        return Chat(stage, "Where is order 7?").work()
    except openai.APIError:
        return Messages(stage, "Where is order 7?").work()


@look_alike()
def an_answer_about_tokens(stage: Stage) -> str:
    """The answer itself speaks of the maximum context length and of prompts that are too long."""
    stage.plays(
        says("The maximum context length is 8192 tokens; a prompt is too long when it exceeds the token limit.")
    )
    return Chat(stage, "What is the maximum context length?").work()


@look_alike()
def left_early_on_purpose(stage: Stage) -> str:
    """The agent reads a stream until it has seen enough, and closes it."""
    stage.plays(says("yes and here is a long explanation of why that is so"))
    agent = Chat(stage, "Yes or no?")
    with agent.client.chat.completions.create(messages=agent.messages, stream=True, **agent.asked) as stream:
        for chunk in stream:
            if chunk.choices[0].delta.content:
                return str(chunk.choices[0].delta.content)
    return ""


@look_alike()
def a_stream_to_its_end(stage: Stage) -> str:
    """A stream that comes to its end, at both providers."""
    stage.plays(says("It was delivered."), says("It was delivered."))
    return Chat(stage, "Where is order 7?").stream() + Messages(stage, "Where is order 7?").stream()


@look_alike()
def a_cut_stream_asked_for_again(stage: Stage) -> str:
    """A stream ends without its end, the agent sees it, asks again and throws the first away."""
    stage.plays(says("It was deliv", cut=True), says("It was delivered."))
    agent = Chat(stage, "Where is order 7?")
    agent.stream()
    del agent.messages[1:]
    return agent.stream()


@look_alike()
def a_forced_call_is_the_answer(stage: Stage) -> str:
    """Structured output by way of a tool that the model must call."""
    stage.plays(calls(("Person", {"name": "Ann"})))
    choice = {"type": "function", "function": {"name": "Person"}}
    return Chat(stage, "Who? Ann.", ["Person"]).ask(tool_choice=choice).uses[0].arguments


@look_alike()
def only_vectors_are_wanted(stage: Stage) -> int:
    """A test that asks for embeddings alone has no answer, and needs none."""
    return len(stage.openai().embeddings.create(model="e", input="x", encoding_format="float").data)


@look_alike()
def in_responses_all_is_well(stage: Stage) -> str:
    """A lookup and an answer through the responses API."""
    stage.plays(calls(("get_order", {"id": "7"})), says("It was delivered."))
    return Responses(stage, "Where is order 7?", ["get_order"]).work({"get_order": [ORDER]})


# ------------------------------------------------------------------------------------------------ writes and words


@look_alike()
def two_refunds_of_two_orders(stage: Stage) -> str:
    """Two refunds of the same amount, of two orders."""
    refund = tool("issue_refund", lambda order_id, amount: {"refund": order_id, "amount": amount}, mutates=True)
    wanted = [{"order_id": order, "amount": 40} for order in ("7", "8")]
    stage.plays(*(calls(("issue_refund", each)) for each in wanted), says("I have refunded both orders."))
    return Chat(stage, "Refund 7 and 8.", ["issue_refund"]).work({"issue_refund": refund})


@look_alike()
def the_same_key_again(stage: Stage) -> str:
    """A payment times out, and is made again with the same idempotency key, as it should be."""
    tried = []

    def pay(to: str, amount: int, key: str) -> dict[str, object]:
        tried.append(key)
        if len(tried) == 1:
            raise TimeoutError("timed out after 30 s")
        return {"payment": "p1", "to": to, "amount": amount}

    wanted = {"to": "bob", "amount": 100, "key": "k1"}
    stage.plays(calls(("pay", wanted)), calls(("pay", wanted)), says("I have paid Bob."))
    watched = tool("pay", pay, mutates=True, key="key")
    return Chat(stage, "Pay Bob 100.", ["pay"]).work({"pay": watched})


@look_alike()
def a_look_before_the_second_try(stage: Stage) -> str:
    """A mail may or may not have gone out; the agent looks, and sends it again."""
    wanted = {"to": "bob@example.com", "text": "Hi"}
    stage.plays(
        calls(("send_email", wanted)), calls(("list_sent", {})), calls(("send_email", wanted)), says("The mail is out.")
    )
    tools = {"send_email": ["Error: timed out after 30 s", {"id": "m2"}], "list_sent": [[]]}
    return Chat(stage, "Mail Bob.", list(tools)).work(tools)


@look_alike()
def what_it_read_has_been_done(stage: Stage) -> str:
    """The answer tells what the record says: the order was cancelled before."""
    stage.plays(calls(("get_order", {"id": "7"})), says("Order 7 has been cancelled."))
    tools = {"get_order": [{"order": "7", "status": "cancelled"}]}
    return Chat(stage, "What about order 7?", ["get_order", "cancel_order"]).work(tools)


@look_alike()
def it_asks_before_it_acts(stage: Stage) -> str:
    """The agent says what it will do once the user agrees."""
    stage.plays(calls(("get_order", {"id": "7"})), says("Order 7 is on its way. Once you confirm, I will cancel it."))
    return Chat(stage, "Cancel order 7.", ["get_order", "cancel_order"]).work({"get_order": [ORDER]})


@look_alike()
def first_dry_and_then_in_earnest(stage: Stage) -> str:
    """A deployment is tried out first, and then made."""
    deploy = tool("deploy", lambda env, dry_run: {"env": env, "dry": dry_run}, mutates=True)
    wanted = [{"env": "prod", "dry_run": dry} for dry in (True, False)]
    stage.plays(*(calls(("deploy", each)) for each in wanted), says("I have deployed it."))
    return Chat(stage, "Deploy.", ["deploy"]).work({"deploy": deploy})


@look_alike()
def once_more_because_the_user_wants_it(stage: Stage) -> str:
    """The user has one more of the same put into the cart."""
    add = tool("add_item", lambda sku: {"added": sku}, mutates=True)
    agent = Chat(stage, "Add one s1.", ["add_item"])
    for place in range(2):
        if place:
            agent.says("One more of it, please.")
        stage.plays(calls(("add_item", {"sku": "s1"})), says("It is in your cart."))
        agent.work({"add_item": add})
    return str(agent.messages[-1]["content"])


@look_alike()
def ids_that_come_twice_and_all_is_well(stage: Stage) -> str:
    """A provider gives each call the same id, and each has its own result."""
    stage.plays(
        *(calls(("get_order", {"id": order}), ids=("call_0",)) for order in ("7", "8")), says("Both were delivered.")
    )
    tools = {"get_order": [ORDER, {**ORDER, "order": "8"}]}
    return Chat(stage, "Where are 7 and 8?", list(tools)).work(tools)


# ------------------------------------------------------------------------------------------------ policy


@look_alike()
def a_path_that_the_user_gave(stage: Stage) -> str:
    """The user names a file in a folder above, and that one is read."""
    stage.plays(calls(("read_file", {"path": "../data/prices.csv"})), says("It has one price."))
    return Chat(stage, "What is in ../data/prices.csv?", ["read_file"]).work({"read_file": ["a,1"]})


@look_alike(policy={"tools": {"issue_refund": {"limits": {"amount": 500}, "requires": ["verify_identity"]}}})
def within_all_limits(stage: Stage) -> str:
    """$300.00 of at most 500, and the identity was verified at the second try."""
    stage.plays(
        *(calls(("verify_identity", {"user": "u1"})) for _ in range(2)),
        calls(("issue_refund", {"order_id": "7", "amount": "$300.00"})),
        says("The refund is out."),
    )
    tools = {"verify_identity": ["Error: connection reset", {"verified": True}], "issue_refund": [{"refund": "r1"}]}
    return Chat(stage, "Refund order 7.", list(tools)).work(tools)
