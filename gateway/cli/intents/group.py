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
        "list": ("gateway.cli.intents.verbs:list_", "List a book's intents."),
        "show": ("gateway.cli.intents.verbs:show", "Show one intent whole."),
        "check": (
            "gateway.cli.intents.verbs:check",
            "Name rules that cannot be read, and rules that protect nothing.",
        ),
        "select": (
            "gateway.cli.intents.verbs:select",
            "Choose the intent of your agent's session; prints it.",
        ),
        "add": ("gateway.cli.intents.verbs:add", "Add an intent; it may write nothing until it is started."),
        "start": ("gateway.cli.intents.verbs:start", "Let an intent write."),
        "complete": (
            "gateway.cli.intents.verbs:complete",
            "Complete an intent; nothing more is written under it.",
        ),
        "block": (
            "gateway.cli.intents.verbs:block",
            "Stop an intent from writing until it is started again.",
        ),
        "pending": ("gateway.cli.intents.approvals:pending", "Show the change that waits for approval."),
        "approve": (
            "gateway.cli.intents.approvals:approve",
            "Allow exactly the change that waits, and no other.",
        ),
        "deny": (
            "gateway.cli.intents.approvals:deny",
            "Deny the change that waits; its prose goes to Review/.",
        ),
    },
)
