"""`policy`: a call of a tool breaks the project's policy.

Fires where a call does what the policy file does not allow: a tool that is not allowed, a denied text, too many calls
or characters, an argument above its limit or not among its values, one that is missing or is not the run's user, a tool
called before those that have to succeed first, a sum over its budget; where the policy requires a complete run, that it
did not end with an answer. Without a policy file only denied texts that are built in count.

Not: `../` in a path that a user's own message holds, without a policy's own `deny_patterns`; an argument that is not
given, or null, unless it is required; a text that is no number, against a numeric limit; the amount of a call that
failed without an effect, against a budget. Whom the run is for is `unknown` where nobody said so.
"""

from __future__ import annotations

from squall.checks.options import Options
from squall.checks.policy import Policy, breaches, policy_of
from squall.checks.story import story_of
from squall.checks.verdict import Mode, Verdict, fired, passed, unknown
from squall.trace import Trace

MOST = 20
"""Breaches that are told one by one."""


class PolicyCheck:
    """See the module."""

    name = "policy"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Hold each call against the limits."""
        policy = Policy() if options.policy is None else policy_of(options.policy)
        found, untold = breaches(story_of(trace), policy, options.user_id)
        if found:
            reasons = [breach.what for breach in found[:MOST]]
            if len(found) > MOST:
                reasons.append(f"and {len(found) - MOST} more")
            step = next((breach.step for breach in found if breach.step is not None), None)
            return fired(self.name, reasons, step)
        return unknown(self.name, "; ".join(untold)) if untold else passed(self.name)


CHECK = PolicyCheck()
