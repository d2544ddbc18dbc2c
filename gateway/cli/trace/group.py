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
        "verify": "gateway.cli.trace.verbs:verify",
        "blame": "gateway.cli.trace.verbs:blame",
        "why": "gateway.cli.trace.verbs:why",
        "stats": "gateway.cli.trace.verbs:stats",
        "disclose": "gateway.cli.trace.verbs:disclose",
        "map": "gateway.cli.trace.verbs:map_",
        "export": "gateway.cli.trace.verbs:export",
        "import": "gateway.cli.trace.verbs:import_",
        "check": "gateway.cli.trace.verbs:check",
        "key": "gateway.cli.trace.verbs:key",
        "repair": "gateway.cli.trace.verbs:repair",
    },
    {"Commands": ("verify", "blame", "why", "disclose", "export")},
)
