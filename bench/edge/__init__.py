"""One suite of edge cases for checks: failures that they should catch, and look-alikes that they should leave alone.

Each case is what a test of an agent would do: the real SDKs of OpenAI and Anthropic, a provider that plays a script
below them, tools, and an answer that nobody looks at. Nothing here judges, and nothing here knows which tool does:
`bench/checks_vs_peer.py` has two of them judge, `tests/checks/test_edge.py` has squall's verdict on each case pinned.
"""
