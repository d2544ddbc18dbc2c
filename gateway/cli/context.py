"""The services that a command works with: those given to ``output.run``, or the installed ones."""

import typer

from gateway.desk.agents.eval_services import EvalServices, InstalledEvalServices
from gateway.desk.installed_services import InstalledServices
from gateway.desk.services import Services


def services_of(context: typer.Context) -> Services:
    """The services of one command line."""
    import logging  # no command that only prints help should pay for it

    # What it says of broken entries, our findings say with their lines.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    if not hasattr(context.obj, "defaults"):
        context.obj = InstalledServices()
    services: Services = context.obj
    return services


def eval_services_of(context: typer.Context) -> EvalServices:
    """The services of one command line about evals."""
    given: EvalServices | None = context.obj if hasattr(context.obj, "evals") else None
    return given or InstalledEvalServices()
