"""``penwright agent``: every verb for definitions of agents."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Show the agents: their prompts, tools and rules.

An agent is one definition: sections with their tools, rules and output. Nothing here asks a model.
"""

group = lazy_group(
    _HELP,
    {
        "list": "gateway.cli.agents.verbs:list_",
        "show": "gateway.cli.agents.verbs:show",
        "render": "gateway.cli.agents.verbs:render",
        "seed": "gateway.cli.agents.verbs:seed",
        "amend": "gateway.cli.agents.verbs:amend",
        "lint": "gateway.cli.agents.verbs:lint",
    },
)
