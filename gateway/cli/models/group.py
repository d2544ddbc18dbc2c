"""``penwright models``: the verbs about language models."""

from gateway.cli.lazy import lazy_group
from gateway.cli.writers import REAL_MODEL

_HELP = "\n".join(
    (
        "List, add and test language models.\n",
        "Models stand in penwright.toml; `penwright config show` names the file:\n",
        "\b",
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
        "add": (
            "gateway.cli.models.adding:add",
            "Write a model into the settings file, test it, and give it roles.",
        ),
        "list": ("gateway.cli.models.verbs:list_models", "List models with their keys, prices and roles."),
        "test": ("gateway.cli.models.verbs:try_model", "Ask a model what its roles will ask, in small."),
    },
)
