"""``penwright trace``: every verb for the ledger."""

from gateway.cli.lazy import lazy_group

_HELP = """\
See who wrote what and why, and check it.

Every commit of a session that changes text has a line in .orchestration/agent_trace.jsonl. These commands
read it, with git, and change nothing, but for `repair`; none needs the engine. `check` reads a reader's copy,
an export with --evidence.

Exit codes: 0 clean, 1 there are findings (damaged or unverifiable lines among them), 2 it could not run.
"""

group = lazy_group(
    _HELP,
    {
        "verify": ("gateway.cli.trace.verbs:verify", "Check the ledger against git and the text."),
        "blame": ("gateway.cli.trace.verbs:blame", "Show who wrote each block of a file."),
        "why": ("gateway.cli.trace.verbs:why", "Explain a commit: its intent, permission and blocks."),
        "stats": ("gateway.cli.trace.verbs:stats", "Count records, and the words of each author."),
        "disclose": ("gateway.cli.trace.verbs:disclose", "Sum the words by people, by models and by both."),
        "map": ("gateway.cli.trace.verbs:map_", "Print the map of intents, rebuilt from the ledger."),
        "export": ("gateway.cli.trace.verbs:export", "Write the ledger as Agent Trace 0.1.0."),
        "import": ("gateway.cli.trace.verbs:import_", "Read an export back as lines of the ledger."),
        "check": ("gateway.cli.trace.verbs:check", "Check that no byte of a reader's copy was changed."),
        "key": ("gateway.cli.trace.verbs:key", "Show the key that signs reader's copies."),
        "repair": ("gateway.cli.trace.verbs:repair", "Repair a damaged ledger in one commit."),
    },
    {"Commands": ("verify", "blame", "why", "disclose", "export")},
)
