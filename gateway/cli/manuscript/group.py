"""``penwright manuscript``: every verb for one novel or paper."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Write novels and papers, scene by scene.

By yourself, or by the manuscript agents. NOVEL is its folder or its registered id, and the current folder by
default. A scene is one text of it, scenes/NAME.md; the scene - is the whole-novel manuscript, manuscript.md.

\b
Begin:       new, import
Write:       settings, write, revise, watch, pause, resume, stop, kill
Decide:      settle
Look:        list, show, diff, versions, inspect, history, why, report
Sources:     sources add, search, list and more
Publish:     export
Take back:   undo, rollback
Registry:    move, forget
"""

group = lazy_group(
    _HELP,
    {
        "new": ("gateway.cli.manuscript.begin:new", "Lay out a new novel or paper."),
        "import": (
            "gateway.cli.manuscript.begin:import_",
            "Take a text in: Markdown, LaTeX, DOCX and others.",
        ),
        "write": (
            "gateway.cli.manuscript.running:write",
            "Let the agents plan, write, criticise and revise until the score is reached.",
        ),
        "revise": (
            "gateway.cli.manuscript.running:revise",
            "Have one instruction carried out by the reviser, in one call and one commit.",
        ),
        "watch": (
            "gateway.cli.manuscript.running:watch",
            "Follow the run to its end, or show how the last one ended.",
        ),
        "pause": ("gateway.cli.manuscript.steering:pause", "Pause the run after its current step."),
        "resume": ("gateway.cli.manuscript.steering:resume", "Resume a paused run."),
        "stop": (
            "gateway.cli.manuscript.steering:stop",
            "End the run after the call in hand, whose reply is kept and not applied.",
        ),
        "kill": ("gateway.cli.manuscript.steering:kill", "End the run at once; no text is lost."),
        "inspect": (
            "gateway.cli.manuscript.inspecting:inspect",
            "Show what the agents know: any variable, and the exact prompt of any call.",
        ),
        "history": (
            "gateway.cli.manuscript.inspecting:history",
            "List what the agents did, and why: every action, skip and refusal.",
        ),
        "why": (
            "gateway.cli.manuscript.inspecting:why",
            "Say which entries of the novel's lorebooks its agents were told, and why.",
        ),
        "report": ("gateway.cli.charts.reporting:manuscript", "Show the score of each critique."),
        "settings": (
            "gateway.cli.manuscript.settings:settings",
            "Show or change a document's settings.",
        ),
        "list": ("gateway.cli.manuscript.look:list_", "List the scenes of a novel, or every novel."),
        "show": ("gateway.cli.manuscript.look:show", "Print a scene, now or as it was."),
        "diff": ("gateway.cli.manuscript.look:diff", "Show what changed in a scene."),
        "versions": ("gateway.cli.manuscript.look:versions", "List the changes of a scene."),
        "sources": (
            "gateway.cli.manuscript.sources_group:group",
            "Keep the sources that a paper is written from, and search them.",
        ),
        "export": (
            "gateway.cli.manuscript.export:export",
            "Export as Markdown, LaTeX, DOCX, PDF, HTML or EPUB.",
        ),
        "move": (
            "gateway.cli.registry:move_novel",
            "Register a novel at the folder to which you moved it.",
        ),
        "forget": (
            "gateway.cli.registry:forget_novel",
            "Take a novel off the list; its folder is not touched.",
        ),
        "settle": (
            "gateway.cli.manuscript.settling:settle",
            "List the edits in conflict with yours, or settle one.",
        ),
        "undo": ("gateway.cli.manuscript.restore:undo", "Take the last change of a scene back."),
        "rollback": ("gateway.cli.manuscript.restore:rollback", "Bring an earlier text of a scene back."),
    },
)
