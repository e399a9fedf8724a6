const base = process.env.OPENAI_BASE_URL, mcp = process.env.SQUALL_MCP_URL;
let session, id = 0;
async function rpc(method, params, note) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (session) headers["mcp-session-id"] = session;
  const body = note ? { jsonrpc: "2.0", method, params } : { jsonrpc: "2.0", id: ++id, method, params };
  const response = await fetch(mcp, { method: "POST", headers, body: JSON.stringify(body) });
  session ??= response.headers.get("mcp-session-id");
  const text = await response.text();
  if (note) return;
  const data = text.startsWith("{") ? text : text.split("\n").filter(l => l.startsWith("data:")).pop().slice(5);
  const answer = JSON.parse(data);
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}
await rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } });
await rpc("notifications/initialized", {}, true);
const { tools } = await rpc("tools/list", {});
console.error(JSON.stringify(tools));
const messages = [{ role: "user", content: process.env.SQUALL_TASK }];
for (;;) {
  const r = await fetch(`${base}/chat/completions`, { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer x" },
    body: JSON.stringify({ model: "gpt-5", messages, tools: tools.map(t => ({ type: "function", function: { name: t.name, description: t.description, parameters: t.inputSchema } })) }) });
  const m = (await r.json()).choices[0].message;
  messages.push(m);
  if (!m.tool_calls) { console.log(JSON.stringify({ status: "completed", answer: m.content })); break; }
  for (const c of m.tool_calls) {
    const got = await rpc("tools/call", { name: c.function.name, arguments: JSON.parse(c.function.arguments) });
    messages.push({ role: "tool", tool_call_id: c.id, content: got.content[0].text });
  }
}
