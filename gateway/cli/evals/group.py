"""``penwright eval``: every verb for evals."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Run an agent over a dataset, and compare two ways to run it.

Every sample is a durable run of its own. A crash counts as a failure, and is listed by itself as well.
"""

group = lazy_group(
    _HELP,
    {
        "run": "gateway.cli.evals.verbs:run",
        "show": "gateway.cli.evals.verbs:show",
        "compare": "gateway.cli.evals.verbs:compare_",
        "kill": "gateway.cli.evals.verbs:kill",
        "pause": "gateway.cli.evals.verbs:pause",
        "resume": "gateway.cli.evals.verbs:resume",
    },
)
