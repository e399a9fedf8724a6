"""An agent as a program of its own: asks a model over HTTP, and uses its tools over MCP. Knows nothing of squall."""

import json
import os
import sys
from urllib.request import ProxyHandler, Request, build_opener

OPEN = build_opener(ProxyHandler({})).open
SESSION: dict[str, str] = {}


def post(url, body):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **SESSION}
    with OPEN(Request(url, json.dumps(body).encode(), headers)) as answer:  # noqa: S310 - the address that it was given
        if "mcp-session-id" in answer.headers:
            SESSION["mcp-session-id"] = answer.headers["mcp-session-id"]
        text = answer.read().decode()
    if not text.strip():
        return None
    return json.loads(text if text.startswith("{") else text.split("data:")[-1])


def mcp(method, **params):
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        body["id"] = 1
    answer = post(os.environ["SQUALL_MCP_URL"], body)
    return answer and answer["result"]


def main():
    client = {"name": "agent", "version": "1"}
    mcp("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    mcp("notifications/initialized")
    tools = [
        {"type": "function", "function": {"name": tool["name"], "parameters": tool["inputSchema"]}}
        for tool in mcp("tools/list")["tools"]
    ]
    messages = [{"role": "user", "content": os.environ["SQUALL_TASK"]}]
    while True:
        body = {"model": "gpt-5", "messages": messages, "tools": tools}
        SESSION["authorization"] = f"Bearer {os.environ['OPENAI_API_KEY']}"
        message = post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            function = call["function"]
            times = int(sys.argv[1]) if len(sys.argv) > 1 else 1
            for _ in range(times):
                result = mcp("tools/call", name=function["name"], arguments=json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result["content"][0]["text"]})
    sys.stderr.write("this is for people\n")
    sys.stdout.write(json.dumps({"status": "completed", "answer": message["content"]}) + "\n")


main()
