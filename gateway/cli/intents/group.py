"""``penwright intent``: which changes to a book are allowed, and why."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Say which changes to a book are allowed.

An intent names the files it owns; while it is IN_PROGRESS, a session may write those and no others.
They stand in .orchestration/active_intents.yaml, which you may also edit by hand. What a session may not
write waits for you: pending, approve and deny.
"""

group = lazy_group(
    _HELP,
    {
        "list": "gateway.cli.intents.verbs:list_",
        "show": "gateway.cli.intents.verbs:show",
        "check": "gateway.cli.intents.verbs:check",
        "select": "gateway.cli.intents.verbs:select",
        "add": "gateway.cli.intents.verbs:add",
        "start": "gateway.cli.intents.verbs:start",
        "complete": "gateway.cli.intents.verbs:complete",
        "block": "gateway.cli.intents.verbs:block",
        "pending": "gateway.cli.intents.approvals:pending",
        "approve": "gateway.cli.intents.approvals:approve",
        "deny": "gateway.cli.intents.approvals:deny",
    },
)
