"""``penwright web``: a link to the workspace, and tokens for programs."""

import sys
import webbrowser
from collections.abc import Mapping
from typing import Annotated

import typer

from gateway.cli import output
from gateway.cli.context import services_of
from gateway.cli.lazy import lazy_group
from gateway.cli.live import busy
from gateway.desk.access import CODE_VALID, Access
from gateway.desk.services import Services
from penwright.errors import EngineUnavailable


def open_workspace(
    context: typer.Context,
    temporal: Annotated[
        bool, typer.Option("--temporal", help="Open the Temporal UI instead, with every workflow.")
    ] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only print the link.")] = False,
    json: output.JsonFlag = False,
) -> None:
    """Open the workspace in a browser.

    It prints a link that signs in once, within a minute, and opens it where there is a display.
    The engine must run (`penwright up`); `penwright status` shows the address.

    \b
    Examples:
      penwright web
      penwright web --no-open
      penwright web --temporal
      penwright web tokens create reader --scope read
    """
    if context.invoked_subcommand is not None:
        return
    services = services_of(context)
    served = services.web_address(lambda: busy("waiting for the workspace to start", quiet=json, told=True))
    address = _temporal_address(services) if temporal else served
    link = f"{address}/login#{Access(services).new_code()}"
    seconds = int(CODE_VALID.total_seconds())
    out = output.Printer(json)
    out.result({"link": link, "valid_s": seconds}, link)
    out.note(f"it works once, within {seconds} s")
    environment = services.defaults().environment
    if not no_open and not json and sys.stdout.isatty() and _has_display(environment):
        webbrowser.open(link)


def _temporal_address(services: Services) -> str:
    address = services.engine_status().get("ui")
    if not address:
        raise EngineUnavailable(
            "temporal-ui-elsewhere",
            "this engine has no Temporal UI of its own: its Temporal is not the embedded one",
            hint="open the UI of that Temporal",
        )
    return str(address)


def _has_display(environment: Mapping[str, str]) -> bool:
    return sys.platform == "darwin" or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


tokens = lazy_group(
    "Make, list and revoke tokens, with which programs use the API.",
    {
        "create": "gateway.cli.web.tokens:create",
        "list": "gateway.cli.web.tokens:list_",
        "revoke": "gateway.cli.web.tokens:revoke",
    },
)

group = lazy_group(
    "Open the workspace in a browser.", {"tokens": "gateway.cli.web.group:tokens"}, alone=open_workspace
)
