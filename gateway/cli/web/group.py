"""``penwright web``: a link to the workspace, and tokens for programs."""

import typer

from gateway.cli.lazy import Verbs, group_class, lazy_group
from gateway.cli.web.opening import open_workspace

tokens = lazy_group(
    "Make, list and revoke tokens, with which programs use the API.",
    {
        "create": ("gateway.cli.web.tokens:create", "Make a token; its secret is shown once."),
        "list": ("gateway.cli.web.tokens:list_", "List the valid tokens."),
        "revoke": ("gateway.cli.web.tokens:revoke", "End a token at once."),
    },
)

_VERBS: Verbs = {
    "tokens": (
        "gateway.cli.web.group:tokens",
        "Make, list and revoke tokens, with which programs use the API.",
    ),
}

group = typer.Typer(
    cls=group_class(_VERBS),
    help="Open the workspace in a browser.",
    rich_markup_mode=None,
    invoke_without_command=True,
    callback=open_workspace,
)
