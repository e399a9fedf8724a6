"""How plans are written and what they mean: the part of `docs/faults.md` that no kind can say of itself."""

from __future__ import annotations

GRAMMAR = """\
<!-- Made by `make docs` from src/squall/faults/. Edit there. -->

# Faults

A fault is a named way to misbehave. A **rule** says where, when and how often one may happen, and a **plan** is a list
of rules in an order. A plan stands

- in a file of its own, under `faults:` (YAML, TOML or JSON);
- in a world's file, under `faults:`;
- in Python: `@pytest.mark.faults({...})`, or `squall.world("shop.yaml", faults=[...])`.

Only what is asked for is injected: a world that is loaded without `faults` stays calm, whatever its file says.

Rules are checked against the world before anything runs. A target, kind, parameter, argument or field that does not
exist, and a rule that could never fire, are errors; all of them are told at once, each with its place and, where there
is one, the nearest name. `squall validate plan.yaml --world shop.yaml` does just that.

## Two spellings

**Short**, by target. Under `errors:` stands each kind with its probability; a mapping in place of the number takes
parameters as well.

```yaml
faults:
  default: { latency_ms: [50, 200] }
  payments.issue_refund:
    errors:
      timeout: 0.10
      http_500: { probability: 0.02, retry_after: 2s }
    rate_limit: { calls: 5, per_seconds: 60 }
  orders.get_order: { errors: { not_found_if_newer_than: 2h } }
```

**Long**, a list of rules.

```yaml
faults:
  - { target: payments.issue_refund, kind: timeout, nth: 1, phase: after }
  - { target: [orders.get_order, orders.list_orders], kind: http_503, first: 2 }
  - { target: payments.*, kind: latency, seconds: 90, probability: 0.05 }
```

The short form is sugar for the long one, and the two mix: a list of rules may stand under a target, or beside `errors:`
as `rules:`.

```yaml
faults:
  payments.issue_refund:
    errors: { connection_lost: 0.05 }
    rules:
      - { kind: timeout, nth: 1 }
  orders.create_return:
    - { kind: is_error, every: 3, message: "Try again later." }
```

The same in TOML:

```toml
[faults.default]
latency_ms = [50, 200]

[faults."payments.issue_refund".errors]
timeout = 0.10

[[faults."orders.create_return"]]
kind = "is_error"
every = 3
```

### Targets

| target | what it means |
|---|---|
| `service.operation` | one operation |
| `service.*` | every operation of a service |
| `default` | every operation |
| `session.list_tools` | a client's question which tools there are; no operation, and `default` does not mean it |

A rule for `service.*` or `default` applies where its kind makes sense (`stale_read` to reads, say) and passes over the
rest. In the short form an operation has all that `default`, its service and it itself say; of the same key the
narrowest holds: `timeout: 0` under an operation takes the default's timeout away. `latency_ms` and `rate_limit` are
replaced like this in both forms; other rules of the long form only ever add.

### Keys of a rule

| key | meaning |
|---|---|
| `kind` | one of [the kinds](#the-kinds); also `latency_ms` (with `ms`) and `rate_limit` (`calls`, `per_seconds`) |
| `target` | as above, or a list; left out where the rule stands under a target |
| `probability` | drawn at each point, 0 to 1 |
| `nth`, `times` | at the nth matching call, and with `times` at so many in a row; `times` alone: from the first |
| `first` | at the first so many matching calls; then it has recovered |
| `every` | at each so-many-th matching call |
| `when` | conditions, below |
| `phase` | `before`, `after` or `late`, below; the kind's own default unless given |
| `scope` | only for calls made in this scope (`with squall.interpose.scope("checkout"):`) |
| any other | a parameter of the kind |

A rule takes one of `probability`, `nth` and `times`, `first`, `every`. With none of them it is *conditional*: it
happens at every call that meets `when`. The probabilities of one target add up to 1 at most.

Rules that count do so per target and scope, from 1, and only calls that meet `when` are counted. A run in which such a
rule never fired has the status *not fired*, and is no pass. Drawn and conditional rules, latencies and limits may stay
away without that.

### Conditions

```yaml
faults:
  - { target: orders.get_order, kind: http_403, when: { order_id: [ord_1, ord_2] } }
  - { target: orders.get_order, kind: stale_read, probability: 0.5, when: { newer_than: 10m } }
  - { target: orders.get_order, kind: is_error, nth: 1, when: { older_than: 30d } }
```

A key under `when` names an argument of the call and gives its value, or a list of values of which one must match.
`newer_than` and `older_than` compare the age of the addressed record: now minus its first datetime field. An argument
that happens to have one of these names goes under `args:`. `KIND_if_newer_than: 2h` under `errors:` is short for `KIND`
with `when: { newer_than: 2h }` and nothing that chooses.

Lengths of time are `500ms`, `30s`, `5m`, `2h`, `1d` or `1h30m`; a number alone is seconds.

### Latency and rate limits

`latency_ms: 100` lets each call take 100 ms of the run's clock; `[50, 200]` is a range that is drawn from evenly.

`rate_limit: { calls: 5, per_seconds: 60 }` admits 5 calls of an operation within any 60 seconds, per scope. The next
one is refused, `429 Too Many Requests. Retry after 12 seconds.`, with the wait that is really left. Refused calls do
not use the limit up.

### Settings of a plan file

```yaml
faults:
  payments.issue_refund: { errors: { hang: 0.01 } }
limits: { seconds: 10m, calls: 200 }
wall_cap: 5s
```

`limits` end a run that does not end by itself, as *hung*: 3,600 seconds of the run's clock and 1,000 tool calls unless
given. `wall_cap` matters on wall time alone: there a wait whose length nobody stated lasts 2 seconds at most, or this.

## What is decided at a call, in which order

1. **Latency** passes.
2. The first **conditional** rule whose conditions hold happens.
3. Else a **rate limit** that is used up refuses the call.
4. Else the **counted and drawn** rules are asked in the order written, and the first that hits happens.
5. The **operation** runs, if and when the fault's phase lets it.

At most one fault happens at a call.

## Phases

The phase says what becomes of the operation's effect, whatever the caller hears.

| phase | the effect |
|---|---|
| `before` | does not happen. (`latency` only holds it up; `duplicate_delivery` says itself what it does.) |
| `after` | happens, and then the reply is lost, late or changed |
| `late` | happens `late_by` after the caller was answered or gave up, 30 s unless given |

A reply that is changed (`wrong_value`, `missing_field`, `truncated_result`) is made from a dry run where the effect
does not happen, or not yet.

`late` is a timer on the run's clock and no part of the request: a client that cancels its call does not stop it, nor
does the end of the agent. What is still under way then lands, in order of time, before properties are judged, so a
refund that was tried again after a late timeout is there twice. `world.settle()` lands it earlier.

```yaml
faults:
  - { target: payments.issue_refund, kind: timeout, nth: 1, phase: late, late_by: 2m }
```

## Determinism

Whether a drawn rule fires is a function of the seed, the run's index and the **point**: the wire, scope, target and
arguments of a call, and how many equal calls came before it; so the same call meets the same weather in every rerun,
whatever other calls are made and in whatever order they arrive. One number is drawn per point and shared out among the
target's drawn rules in the order written, and only rules that count follow the order of arrival.

Arguments that differ from run to run (UUIDs, the current time, idempotency keys, and what the world lists under
`volatile`) are masked when a point is named.

## What a reply becomes

| the reply is | over MCP | through plain callables |
|---|---|---|
| a value | text and structured content | the value |
| an error of the tool | a result with `isError` and the text | `ToolError`, with `status` and `retry_after` |
| a timeout | the client's own read timeout, or a result with `isError` | `TimeoutError` |
| a broken connection | `MCPError`, code for a closed connection | `ConnectionError` |
| a lost session | HTTP status 404, or `MCPError`, code for an invalid request | `ConnectionError` |
| text that is no JSON | text without structured content | `json.JSONDecodeError` |
| no such tool | `MCPError`, code for invalid parameters | `ToolError` |
"""
