"""A run that has ended is let go of: whoever makes thousands of them needs no more memory than for one."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import closing

import openai

from squall.models import say
from squall.runs.environment import Environment


def ended(use):
    """What is left of a run that has ended, as a weak reference."""
    run = Environment()
    with closing(run):
        run.__enter__()
        use(run)
        run.finish()
    return weakref.ref(run)


def test_a_run_that_a_client_of_its_model_was_used_in():
    def use(run):
        run.model.script(say("hi"))
        with openai.OpenAI(max_retries=0) as client:
            client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "x"}])

    left = ended(use)
    gc.collect()
    assert left() is None


def test_a_run_that_a_thread_was_started_in():
    def use(_run):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    left = ended(use)
    gc.collect()
    assert left() is None
