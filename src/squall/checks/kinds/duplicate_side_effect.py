"""`duplicate_side_effect`: the same write takes effect twice.

Judged only where somebody says what a write is: a world's ledger, which tells the effects of each call, or `mutates=`
of a tool. Fires where a write took effect twice within one stretch of a conversation with the same key arguments: all
but idempotency keys, times, and words beside an amount (`reason`, `note`). With a ledger what counts is the effect, not
what the caller was told: a call that timed out after its effect, and was made again, is two.

Not: a repetition that changed nothing in the ledger; where both calls carry one idempotency key and no ledger says that
both took effect; what is the same however often it is done (`set_…`, `update_…`, `cancel_…`), or done again for its own
sake (`click`, `next_page`); where something was taken back in between (`cancel_…`, `delete_…`); where the user asks
again.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.repeats import is_meant_again, is_settled, undoes, write_key
from squall.checks.story import Stretch, ToolStep, story_of, stretches_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace


class DuplicateSideEffect:
    """See the module."""

    name = "duplicate_side_effect"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each stretch of each conversation."""
        story = story_of(trace)
        ledger = {step.tool for step in story.tools if step.effects > 0}
        for conversation in story.conversations:
            for stretch in stretches_of(conversation):
                found = _twice(stretch, ledger)
                if found is not None:
                    first, second = found
                    said = f"{showing.call(second)} took effect twice"
                    if first.failed is not None:
                        said = f"{said}, the first time although it was told to have failed"
                    return fired(self.name, f"{said} (steps {first.step} and {second.step})", second.step)
        return passed(self.name)


def _twice(stretch: Stretch, ledger: set[str]) -> tuple[ToolStep, ToolStep] | None:
    """Two calls of which both took effect."""
    done: dict[tuple[str, str], ToolStep] = {}
    for step in stretch.tools:
        if not _took_effect(step, ledger):
            continue
        if undoes(step.tool):
            done.clear()
        if is_settled(step.tool) or is_meant_again(step.tool):
            continue
        first = done.setdefault(write_key(step), step)
        if first is not step and not (first.key is not None and first.key == step.key and not step.effects):
            return first, step
    return None


def _took_effect(step: ToolStep, ledger: set[str]) -> bool:
    if step.effects > 0 or step.tool in ledger:
        return step.effects > 0
    return step.mutates is True and step.succeeded


CHECK = DuplicateSideEffect()
