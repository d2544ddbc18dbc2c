"""``penwright models``: the verbs about language models."""

from gateway.cli.lazy import lazy_group
from gateway.cli.writers import REAL_MODEL

_HELP = """\
List, add and test language models.

Models stand in penwright.toml; `penwright config show` names the file:

\b
""" + "\n".join(
    (
        *(f"    {line}".rstrip() or "    " for line in REAL_MODEL),
        *(f'    {role} = "sonnet"' for role in ("manuscript", "director", "character")),
        "",
        "The line `manuscript` is for all agents of manuscripts;",
        "`manuscript-critic` and the like for one of them.",
    )
)

group = lazy_group(
    _HELP,
    {
        "add": "gateway.cli.models.adding:add",
        "list": "gateway.cli.models.verbs:list_models",
        "test": "gateway.cli.models.verbs:try_model",
    },
)
