"""`squall model`: a model provider for any process and language."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squall.cli.of_models import kind_of
from squall.documents import load
from squall.errors import Problem, UsageError


def model(
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 18080,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let --host be an address that other machines reach.")
    ] = False,
    script: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the model says: turns, rules, or a handler in Python.")
    ] = None,
    scenarios: Annotated[
        Path | None, typer.Option(metavar="FILE", help="How single models behave: statuses, delays, cuts, recoveries.")
    ] = None,
    faults: Annotated[Path | None, typer.Option(metavar="FILE", help="A fault plan for the model wire.")] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append a line for each finished request here (mode 0600).")
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of all that is drawn.")] = 0,
    run_index: Annotated[int, typer.Option(min=0, help="Which run of the seed: each has faults of its own.")] = 0,
    require_key: Annotated[
        bool, typer.Option("--require-key", help="Refuse requests without an API key, whatever key it is.")
    ] = False,
    strict_models: Annotated[
        bool, typer.Option("--strict-models", help="Know only the models that are listed; 404 for others.")
    ] = False,
    plain_embeddings: Annotated[
        bool, typer.Option("--plain-embeddings", help="Send vectors as numbers always, as many servers do.")
    ] = False,
    sentinel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="A text that mock-daily-empty-rag-chat refuses anywhere in the messages; repeatable."
        ),
    ] = None,
) -> None:
    """Serve OpenAI's and Anthropic's endpoints.

    They are at http://HOST:PORT, and answered by a script or by built-in models. Nobody else can reach it unless
    --allow-remote says so. It runs on wall time, so that faults that wait do wait; a wait that nobody stated in seconds
    is cut (wall_cap, 2 s). SIGTERM and Ctrl-C end it cleanly.
    """
    from squall.runs.providing import Provided, provide  # dialects and brains, which the other commands do without

    _refuse_mix_up(script, scenarios)
    what = Provided(
        script=script,
        scenarios=scenarios,
        faults=faults,
        record=record,
        host=host,
        port=port,
        allow_remote=allow_remote,
        seed=seed,
        run_index=run_index,
        require_key=require_key,
        strict_models=strict_models,
        plain_embeddings=plain_embeddings,
        sentinels=tuple(sentinel or ()),
    )
    status = provide(what, lambda text: typer.echo(text, err=True))
    if status:
        raise typer.Exit(status)


def _refuse_mix_up(script: Path | None, scenarios: Path | None) -> None:
    """Raise UsageError where one file is given as the other."""
    given = (("script", "--script", script), ("scenarios", "--scenarios", scenarios))
    problems = []
    for kind, option, file in given:
        found = None if file is None or not file.is_file() else kind_of(load(file).data)
        if found is not None and found != kind:
            what = {"script": "a script", "scenarios": "scenarios of models"}
            message = f"{option} was given {what[found]}, not {what[kind]}: {file}"
            problems.append(Problem(message, hint=f"Write --{found} {file}."))
    if problems:
        raise UsageError(problems)
