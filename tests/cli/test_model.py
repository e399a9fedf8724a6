"""`squall model`: a model provider for other processes, from the command line to the record that it leaves."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2
import pytest

from squall.runs.providing import Provided

SQUALL = (sys.executable, "-m", "squall")
HI = [{"role": "user", "content": "hi"}]
CHAT = "/v1/chat/completions"
ANTHROPIC = {"anthropic-version": "2023-06-01"}
SCRIPT = '[[turn]]\nsay = "one"\n\n[[turn]]\nexpect = { user = "go on" }\nsay = "two"\n'


class Server:
    """A provider in a process of its own."""

    def __init__(self, process: Any, folder: Any) -> None:
        self.process = process
        self.said = process.stderr.readline() + process.stderr.readline()
        assert " at http://127.0.0.1:" in self.said, self.said + process.stderr.read()
        self.url = self.said.split(" at ")[1].split()[0]
        self.http = httpx2.Client(base_url=self.url, trust_env=False, timeout=30)
        self.record = folder / "record.jsonl"

    def chat(self, model="gpt-5", **more):
        return self.http.post(CHAT, json={"model": model, "messages": HI, **more})

    def end(self, number=signal.SIGTERM):
        """What it says in the end, and its exit status."""
        self.process.send_signal(number)
        status = self.process.wait(30)
        return self.process.stderr.read(), status

    def lines(self):
        """The record, which is whole once it has ended."""
        return [json.loads(line) for line in self.record.read_text().splitlines()]


@pytest.fixture
def serving(tmp_path):
    @contextmanager
    def serve(*options):
        command = [*SQUALL, "model", "--port", "0", *options]
        process: Any = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        try:
            server = Server(process, tmp_path)
            with server.http:
                yield server
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(30)
            process.stderr.close()

    return serve


def test_it_says_where_it_is_and_ends_with_a_summary_when_it_is_told_to(serving):
    with serving("--seed", "7", "--run-index", "3") as server:
        assert server.said.startswith("squall: a model provider (seed 7, run 3), without faults, at http://127.0.0.1:")
        assert f"OPENAI_BASE_URL={server.url}/v1  ANTHROPIC_BASE_URL={server.url}\n" in server.said
        assert server.http.get("/_mock/health").json() == {"status": "ok"}
        listed = [each["id"] for each in server.http.get("/v1/models").json()["data"]]
        assert "mock-recover-503" in listed
        pages = server.http.get("/v1/models", headers=ANTHROPIC).json()
        assert [each["id"] for each in pages["data"]] == listed
        assert server.chat().json()["choices"][0]["message"]["content"] == "Hello! How can I help you today?"
        assert server.end() == ("ended by SIGTERM; 1 request\n", 0)


def test_a_scope_recovers_until_it_is_released(serving):
    with serving() as server:
        statuses = [server.chat("mock-recover-503", mock_scope=scope).status_code for scope in ("a", "a", "b")]
        assert statuses == [503, 200, 503]
        assert server.http.delete("/_mock/scopes/a").json() == {"scope": "a", "released": 1}
        assert server.http.delete("/_mock/scopes/a").json() == {"scope": "a", "released": 0}
        assert server.chat("mock-recover-503", mock_scope="a").status_code == 503
        assert server.chat("mock-recover-503", mock_scope="b").status_code == 200
        assert server.end(signal.SIGINT) == ("ended by SIGINT; 5 requests\n", 0)


def test_the_record_tells_whose_disconnect_it_was_and_holds_no_secret(serving):
    with serving("--record", "record.jsonl") as server:
        keys = {"authorization": "Bearer sk-secret", "x-api-key": "sk-secret", "cookie": "sk-secret"}
        body = {"model": "mock-recover-503", "messages": HI, "mock_scope": "s"}
        assert server.http.post(CHAT, json=body, headers={**keys, "x-stainless-retry-count": "0"}).status_code == 503
        retry = {**keys, "x-stainless-retry-count": "1"}
        assert server.http.post(CHAT, json=body, headers=retry).status_code == 200
        with pytest.raises(httpx2.RemoteProtocolError):
            server.chat("mock-stream-disconnect", stream=True)
        leave_in_the_middle(server)
        assert server.chat("mock-stream-stall").status_code == 400
        said, status = server.end()
        assert (said, status) == ("ended by SIGTERM; 4 requests\n", 0)
    assert server.record.stat().st_mode & 0o777 == 0o600
    assert "sk-secret" not in server.record.read_text()
    refused, recovered, cut, left, no_stream = sorted(server.lines(), key=lambda line: line["t"])

    assert refused["faults"] == [{"fault": "http_503", "rule": refused["faults"][0]["rule"]}]
    assert refused["request"] == body
    assert (refused["endpoint"], refused["model"], refused["scope"]) == ("chat", "mock-recover-503", "s")
    assert [(line["status"], line["attempt"], line["try"]) for line in (refused, recovered)] == [
        (503, 1, 1),
        (200, 2, 2),
    ]
    assert refused["call"] == recovered["call"]
    assert refused["response"]["error"]["type"] == "server_error"
    assert recovered["response"]["choices"][0]["message"]["content"] == "SQUALL_RECOVERY_OK"
    assert recovered["faults"] == []

    def ending(line):
        return line["response_complete"], line["injected_disconnect"], line["disconnected"]

    assert ending(recovered) == ending(no_stream) == (True, False, False)
    assert ending(cut) == (False, True, False)
    assert ending(left) == (False, False, True)
    assert (cut["faults"][0]["fault"], cut["faults"][0]["after"]) == ("stream_disconnect", 2)
    assert cut["response"]["choices"][0]["message"]["content"] == "Hello! How can I help you today?"
    assert left["faults"][0]["fault"] == "stream_stall"
    assert (no_stream["status"], no_stream["attempt"], no_stream["scope"]) == (400, None, None)
    assert no_stream["request"] == {"model": "mock-stream-stall", "messages": HI}
    assert no_stream["model"] == "mock-stream-stall"
    assert no_stream["response"]["error"]["param"] == "stream"


def leave_in_the_middle(server):
    """Ask for a stream that stalls, and be gone meanwhile."""
    body = {"model": "mock-stream-stall", "messages": HI, "stream": True}
    with server.http.stream("POST", CHAT, json=body) as response:
        for line in response.iter_lines():
            if "Hello" in line:
                break


def test_a_record_is_appended_to_and_becomes_private(serving, tmp_path):
    (tmp_path / "record.jsonl").write_text('{"t": 0}\n')
    (tmp_path / "record.jsonl").chmod(0o644)
    with serving("--record", "record.jsonl") as server:
        server.chat()
        assert server.http.get("/v1/models").status_code == 200
        server.end()
    assert [line.get("endpoint") for line in server.lines()] == [None, "chat", "/v1/models"]
    assert server.record.stat().st_mode & 0o777 == 0o600


def test_keys_are_demanded_where_that_is_asked_for(serving):
    with serving("--require-key") as server:
        assert server.http.get("/_mock/health").status_code == 200
        refused = server.chat()
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")
        other = server.http.post("/v1/messages", json={}, headers=ANTHROPIC)
        assert (other.status_code, other.json()["error"]["type"]) == (401, "authentication_error")
        body = {"model": "gpt-5", "messages": HI}
        assert server.http.post(CHAT, json=body, headers={"authorization": "Bearer any"}).status_code == 200
        assert server.end()[0] == "ended by SIGTERM; 1 request\n"


def test_models_that_are_not_listed_are_unknown_where_that_is_asked_for(serving, tmp_path):
    (tmp_path / "script.toml").write_text('models = ["gpt-5"]\n' + SCRIPT)
    with serving("--strict-models", "--script", "script.toml") as server:
        assert [server.chat(model).status_code for model in ("gpt-5", "gpt-6", "mock-chat")] == [200, 404, 200]
        assert server.chat("gpt-6").json()["error"]["code"] == "model_not_found"
        assert server.http.get("/v1/models/gpt-5").status_code == 200
        assert server.http.get("/v1/models/gpt-6").status_code == 404
        assert "gpt-5" in [each["id"] for each in server.http.get("/v1/models").json()["data"]]


def test_the_seed_and_the_index_of_the_run_decide_what_is_drawn(serving, tmp_path):
    (tmp_path / "plan.yaml").write_text("faults: { model.*: { errors: { http_503: 0.5 } } }\n")
    runs = [("--seed", "1"), ("--seed", "2"), ("--seed", "1", "--run-index", "1")]
    with ExitStack() as stack:
        servers = [stack.enter_context(serving("--faults", "plan.yaml", *run)) for run in runs]
        found = [[server.chat(f"m{number}").status_code for number in range(20)] for server in servers]
    assert all({*statuses} == {200, 503} for statuses in found)
    assert len({tuple(statuses) for statuses in found}) == len(runs)


def test_a_handler_beside_the_file_answers_async_too(serving, tmp_path):
    (tmp_path / "brains.py").write_text(
        "import asyncio\n\n\nasync def answer(request):\n"
        "    await asyncio.sleep(0)\n    return f'{request.model}, {len(request.messages)} message'\n"
    )
    (tmp_path / "python.toml").write_text('handler = "brains.answer"\n')
    with serving("--script", "python.toml") as server:
        assert server.chat("m").json()["choices"][0]["message"]["content"] == "m, 1 message"


def test_vectors_are_numbers_whatever_is_asked_for_where_that_is_wanted(serving):
    asked = {"model": "e", "input": "a", "dimensions": 3, "encoding_format": "base64"}
    kinds = []
    for options in ((), ("--plain-embeddings",)):
        with serving(*options) as server:
            (made,) = server.http.post("/v1/embeddings", json=asked).json()["data"]
            kinds.append(type(made["embedding"]))
    assert kinds == [str, list]


def test_unless_told_otherwise_it_listens_where_the_guide_says(squall):
    assert Provided().port == 18080
    assert "default: 18080" in squall("model", "--help").out


def test_what_was_never_used_and_what_never_fired_is_told(serving, tmp_path):
    (tmp_path / "script.toml").write_text(SCRIPT)
    (tmp_path / "plan.yaml").write_text("faults: { model.chat: [{ kind: http_500, nth: 9 }] }\n")
    with serving("--script", "script.toml", "--faults", "plan.yaml") as server:
        assert "with the faults of plan.yaml" in server.said
        assert server.chat().json()["choices"][0]["message"]["content"] == "one"
        said, status = server.end()
    assert status == 0
    assert "not fired: http_500 at model.chat (nth 9), plan.yaml:1:" in said
    assert 'turn 2 of 2 (script.toml:4:1), say "two", was never used' in said.replace("'two'", '"two"')
    assert "mock-" not in said


def test_a_request_without_an_answer_is_told_and_is_no_success(serving, tmp_path):
    (tmp_path / "script.toml").write_text(SCRIPT)
    with serving("--script", "script.toml") as server:
        history = [*HI, {"role": "assistant", "content": "one"}, {"role": "user", "content": "stop"}]
        refused = server.http.post(CHAT, json={"model": "gpt-5", "messages": history})
        assert refused.status_code == 400
        assert "'go on'" in refused.json()["error"]["message"]
        said, status = server.end()
    assert status == 1
    assert "error: the turn of the script that is due does not fit this request: turn 2 of 2" in said


def test_of_very_many_such_requests_the_first_are_told(serving):
    with serving() as server:
        body = json.dumps({"model": "mock-tool", "messages": HI})
        assert {server.http.post(CHAT, content=body).status_code for _ in range(102)} == {400}
        said, status = server.end()
    assert status == 1
    assert said.count("error: the model 'mock-tool' calls a tool: the request offers none\n") == 100
    assert "error: and 2 more requests had no answer\n" in said


def test_scenarios_are_served_beside_the_plan_and_their_sentinels_with_those_given(serving, tmp_path):
    (tmp_path / "s.toml").write_text(
        'sentinels = ["Jane Roe"]\n[models.weak]\nstatus = 429\nrecover_after = 2\nsay = "back"\n'
        '[models.vectors]\nkind = "embedding"\nembedding_fault = "count"\n'
    )
    (tmp_path / "plan.yaml").write_text("faults: { weak: [{ kind: http_500, nth: 1 }] }\n")
    options = ("--scenarios", "s.toml", "--faults", "plan.yaml", "--sentinel", "4111", "--strict-models")
    with serving(*options) as server:
        assert "with the faults of plan.yaml and the scenarios of s.toml, at" in server.said
        assert [server.chat("weak").status_code for _ in range(3)] == [500, 429, 200]
        assert server.chat("weak").json()["choices"][0]["message"]["content"] == "back"
        made = server.http.post("/v1/embeddings", json={"model": "vectors", "input": ["a", "b"]})
        assert len(made.json()["data"]) == 1
        for text, status in (("Jane Roe", 400), ("card 4111", 400), ("SQUALL_SENTINEL_1", 200)):
            asked = {"model": "mock-daily-empty-rag-chat", "messages": [{"role": "user", "content": text}]}
            assert server.http.post(CHAT, json=asked).status_code == status


def test_a_script_of_a_single_model_is_as_strict_as_it_says_and_what_it_never_said_is_told(serving, tmp_path):
    (tmp_path / "lax.toml").write_text(f"strict_history = false\n{SCRIPT}")
    (tmp_path / "s.toml").write_text('[models.lax]\nscript = "lax.toml"\n')
    broken = [*HI, {"role": "tool", "tool_call_id": "c", "content": "b"}]
    with serving("--scenarios", "s.toml") as server:
        assert "with the scenarios of s.toml, at" in server.said
        assert [server.chat(name, messages=broken).status_code for name in ("lax", "gpt-5")] == [200, 400]
        said, status = server.end()
    assert status == 0
    assert "turn 2 of 2 (lax.toml:5:1)" in said


def test_a_busy_port_is_one_clear_line(squall):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        port = sock.getsockname()[1]
        done = squall("model", "--port", port)
    assert done.status == 1
    assert done.err == f"error: port {port} of 127.0.0.1 is taken: choose another with --port, or end what uses it\n"


def test_an_address_that_others_reach_must_be_meant(squall):
    done = squall("model", "--host", "192.168.1.1")
    assert done.status == 2
    assert "'192.168.1.1' may be reached from other machines" in done.err
    assert "--allow-remote" in done.err


@pytest.mark.parametrize("option", ["--script", "--scenarios", "--faults"])
def test_a_file_that_is_not_there_is_told_before_anything_is_served(squall, write, option):
    write("other.yaml", "")
    done = squall("model", "--port", 0, option, "none.toml")
    assert (done.status, done.out) == (2, "")
    assert "there is no file 'none.toml'" in done.err


def test_a_mistake_in_scenarios_is_told_with_its_place(squall, write):
    name = write("s.toml", '[models.m]\nfaults = [{ kind = "http_503", nht = 1 }]\n')
    done = squall("model", "--port", 0, "--scenarios", name)
    assert done.status == 2
    assert "error: s.toml:2:32: unknown parameter 'nht' of http_503; did you mean 'nth'?" in done.err


def test_a_record_that_cannot_be_written_is_told(squall, write):
    write("other.yaml", "")
    done = squall("model", "--port", 0, "--record", "no/record.jsonl")
    assert done.status == 2
    assert "cannot write the record to 'no/record.jsonl'" in done.err


def test_a_file_that_is_given_as_the_other_kind_is_told_apart(squall, tmp_path):
    script, scenarios = tmp_path / "script.toml", tmp_path / "scenarios.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    scenarios.write_text("[models.gpt-x]\nstatus = 503\n", encoding="utf-8")
    done = squall("model", "--script", scenarios, "--scenarios", script)
    assert done.status == 2
    assert f"--script was given scenarios of models, not a script: {scenarios}" in done.err
    assert f"Write --scenarios {scenarios}." in done.err
    assert f"Write --script {script}." in done.err


def test_a_file_that_is_neither_kind_is_told_as_before(squall, tmp_path):
    odd = tmp_path / "odd.toml"
    odd.write_text("[[turns]]\n", encoding="utf-8")
    done = squall("model", "--script", odd)
    assert done.status == 2
    assert "odd.toml:1:" in done.err
    assert "did you mean 'turn'?" in done.err
    assert squall("model", "--script", tmp_path / "nowhere.toml").status == 2
