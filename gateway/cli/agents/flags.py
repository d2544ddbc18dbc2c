"""The flags of an agent as a command line gives them."""

from collections.abc import Sequence
from typing import Annotated

import typer

from penwright.errors import UsageMistake

FlagsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--flags",
        metavar="NAME=VALUE",
        help="Switch a flag of the agent; may be repeated. `penwright agent show AGENT` lists them.",
    ),
]


def flags_given(texts: Sequence[str]) -> dict[str, str]:
    """Values by name, not yet checked against an agent.

    Raises:
        UsageMistake: ``bad-flag``, for one without a value, or given twice.
    """
    flags: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            hint = "write it as NAME=VALUE, such as --flags letters=true"
            raise UsageMistake("bad-flag", f"--flags {text!r} gives no value; nothing was started", hint=hint)
        if name in flags:
            raise UsageMistake("bad-flag", f"the flag {name!r} is given twice; leave one of them out")
        flags[name] = value
    return flags
