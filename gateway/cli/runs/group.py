"""``penwright run``: every verb for runs of agents."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Run agents: start one, see what it does, answer it, stop it.

A run is durable: it goes on when a process dies, and the same id is the same run.
"""

group = lazy_group(
    _HELP,
    {
        "start": ("gateway.cli.runs.verbs:start", "Start a run of an agent."),
        "list": ("gateway.cli.runs.verbs:list_", "List the runs of agents, newest first."),
        "watch": ("gateway.cli.runs.verbs:watch", "Follow a run to its end, or show how it ended."),
        "show": ("gateway.cli.runs.verbs:show", "Show a run: its status, what it waits for, how it ended."),
        "transcript": ("gateway.cli.runs.verbs:transcript", "Print the events of a run, sub-agents nested."),
        "approve": ("gateway.cli.runs.verbs:approve", "Allow the call that waits, with the arguments shown."),
        "deny": ("gateway.cli.runs.verbs:deny", "Deny the call that waits; the agent gets the reason."),
        "pause": ("gateway.cli.runs.verbs:pause", "Pause a run after its current step."),
        "resume": ("gateway.cli.runs.verbs:resume", "Resume a run that was paused or waits for a budget."),
        "kill": ("gateway.cli.runs.verbs:kill", "End a run at its next safe point; finished work stays."),
        "bundle": ("gateway.cli.runs.evidence:bundle", "Put all that is known of a run into one zip."),
        "replay": ("gateway.cli.runs.evidence:replay", "Check a bundle and replay it with the current code."),
    },
)
