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
        "scan": (
            "gateway.cli.cite.scanning:scan",
            "Find sentences that need citations, and works for them.",
        ),
        "watch": (
            "gateway.cli.cite.scanning:watch",
            "Follow the scan to its end, or show how the last one ended.",
        ),
        "pause": ("gateway.cli.cite.steering:pause", "Pause the scan after its current step."),
        "resume": ("gateway.cli.cite.steering:resume", "Resume a paused scan."),
        "kill": (
            "gateway.cli.cite.steering:kill",
            "End the scan; what it proposed is kept, and can be decided later.",
        ),
        "review": (
            "gateway.cli.cite.deciding:review",
            "Show what is proposed: sentence, verdict, and what the source says.",
        ),
        "accept": (
            "gateway.cli.cite.deciding:accept",
            "Accept proposals; they enter the text in one commit.",
        ),
        "reject": (
            "gateway.cli.cite.deciding:reject",
            "Reject proposals; a later scan does not propose them again.",
        ),
        "search": (
            "gateway.cli.cite.deciding:search",
            "Look works up for a sentence by hand; the first one found is proposed.",
        ),
        "choose": (
            "gateway.cli.cite.deciding:choose",
            "Propose another of the works found for a sentence, once it is verified.",
        ),
        "apply": (
            "gateway.cli.cite.deciding:apply",
            "Put in what was accepted and is not in the text yet, as after a kill.",
        ),
        "undo": (
            "gateway.cli.cite.deciding:undo",
            "Take back the citations that were put in last, or one of them, as a new commit.",
        ),
        "import": (
            "gateway.cli.cite.references:import_",
            "Add references to the novel's references.bib, each once.",
        ),
        "check": (
            "gateway.cli.cite.references:check",
            "Name what is wrong with the citations of a text, without asking anyone.",
        ),
        "audit": (
            "gateway.cli.cite.auditing:audit",
            "Look up every entry in the registries; no model is asked.",
        ),
    },
)
