"""A strategy as somebody else would write it, in a package of its own."""

from squall.strategies import Env, Result, Task, with_retries
from squall_sample_strategies.patience import TIMES  # type: ignore[import-not-found]  # found once it is installed


class Patient:
    """Tries each step again, more often than most."""

    name = "patient"
    deterministic = True
    parameters = {"times": TIMES}

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task."""
        results = []
        async for step in env.steps():

            async def make(step=step):
                return await env.call(step)

            results.append(await with_retries(make, env=env, name=f"step {step.index}", times=TIMES))
        return Result("completed", results)
