"""``penwright run``: every verb for runs of agents."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Run agents: start one, see what it does, answer it, stop it.

A run is durable: it goes on when a process dies, and the same id is the same run.
"""

group = lazy_group(
    _HELP,
    {
        "start": "gateway.cli.runs.verbs:start",
        "list": "gateway.cli.runs.verbs:list_",
        "watch": "gateway.cli.runs.verbs:watch",
        "show": "gateway.cli.runs.verbs:show",
        "transcript": "gateway.cli.runs.verbs:transcript",
        "approve": "gateway.cli.runs.verbs:approve",
        "deny": "gateway.cli.runs.verbs:deny",
        "pause": "gateway.cli.runs.verbs:pause",
        "resume": "gateway.cli.runs.verbs:resume",
        "kill": "gateway.cli.runs.verbs:kill",
        "bundle": "gateway.cli.runs.evidence:bundle",
        "replay": "gateway.cli.runs.evidence:replay",
    },
)
