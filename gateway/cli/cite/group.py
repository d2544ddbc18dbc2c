"""``penwright cite``: every verb for the citations of a novel or paper."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Find sentences that need a source, look works up, decide what is cited.

NOVEL is its folder or its registered id, and the current folder by default; --scene names one text of it.
Nothing enters a text before a person, or the rule of --auto-accept, has accepted it.

\b
Find:     scan, watch, pause, resume, kill
Decide:   review, accept, reject, search, choose, apply
Manage:   import, check, audit, undo
"""

group = lazy_group(
    _HELP,
    {
        "scan": "gateway.cli.cite.scanning:scan",
        "watch": "gateway.cli.cite.scanning:watch",
        "pause": "gateway.cli.cite.steering:pause",
        "resume": "gateway.cli.cite.steering:resume",
        "kill": "gateway.cli.cite.steering:kill",
        "review": "gateway.cli.cite.deciding:review",
        "accept": "gateway.cli.cite.deciding:accept",
        "reject": "gateway.cli.cite.deciding:reject",
        "search": "gateway.cli.cite.deciding:search",
        "choose": "gateway.cli.cite.deciding:choose",
        "apply": "gateway.cli.cite.deciding:apply",
        "undo": "gateway.cli.cite.deciding:undo",
        "import": "gateway.cli.cite.references:import_",
        "check": "gateway.cli.cite.references:check",
        "audit": "gateway.cli.cite.auditing:audit",
    },
)
