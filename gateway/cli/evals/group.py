"""``penwright eval``: every verb for evals."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Run an agent over a dataset, and compare two ways to run it.

Every sample is a durable run of its own. A crash counts as a failure, and is listed by itself as well.
"""

group = lazy_group(
    _HELP,
    {
        "run": ("gateway.cli.evals.verbs:run", "Run an agent over a dataset."),
        "show": ("gateway.cli.evals.verbs:show", "Show the results of an eval so far."),
        "compare": ("gateway.cli.evals.verbs:compare_", "Compare two evals sample by sample."),
        "kill": ("gateway.cli.evals.verbs:kill", "Stop a running eval; results so far stay."),
        "pause": ("gateway.cli.evals.verbs:pause", "Begin no further sample; those under way finish."),
        "resume": ("gateway.cli.evals.verbs:resume", "Go on with an eval that was paused."),
    },
)
