"""``penwright operator setup``: prepare servers that Penwright does not run itself."""

from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli import output


def setup(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 if something is missing.")
    ] = False,
    json: output.JsonFlag = False,
) -> None:
    """Prepare your own Temporal and PostgreSQL.

    Registers the namespace if there is none, creates the search attributes, brings the tables up to date,
    and checks the limits of both servers. What is there already stays; run it again after every upgrade,
    before the workers start. The embedded servers need none of it.

    \b
    Examples:
      penwright operator setup --check   what is missing
      penwright operator setup           prepare it
    """
    import asyncio

    from workers.preparing import operator as operator_setup
    from workers.settings import load

    steps = asyncio.run(operator_setup.set_up(load().settings, changing=not check))
    missing = any(step.state == "missing" for step in steps)
    document = {"status": "missing" if missing else "ready", "steps": [asdict(step) for step in steps]}
    output.Printer(json).result(
        document, [f"{step.state:<8} {step.name:<18} {step.message}" for step in steps]
    )
    if missing:
        raise typer.Exit(1)
