"""``penwright agent``: every verb for definitions of agents."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Show the agents: their prompts, tools and rules.

An agent is one definition: sections with their tools, rules and output. Nothing here asks a model.
"""

group = lazy_group(
    _HELP,
    {
        "list": ("gateway.cli.agents.verbs:list_", "List the agents."),
        "show": (
            "gateway.cli.agents.verbs:show",
            "Show the sections, tools, rules and parameters of an agent.",
        ),
        "render": ("gateway.cli.agents.verbs:render", "Print the prompt of an agent at the start of a run."),
        "seed": (
            "gateway.cli.agents.override_verbs:seed",
            "Store an agent's present texts as a set of overrides.",
        ),
        "amend": ("gateway.cli.agents.override_verbs:amend", "Put one text into a set of overrides."),
        "lint": ("gateway.cli.agents.verbs:lint", "Check that agents render and their functions are pure."),
    },
)
