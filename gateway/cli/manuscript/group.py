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
        "new": "gateway.cli.manuscript.begin:new",
        "import": "gateway.cli.manuscript.begin:import_",
        "write": "gateway.cli.manuscript.running:write",
        "revise": "gateway.cli.manuscript.running:revise",
        "watch": "gateway.cli.manuscript.running:watch",
        "pause": "gateway.cli.manuscript.steering:pause",
        "resume": "gateway.cli.manuscript.steering:resume",
        "stop": "gateway.cli.manuscript.steering:stop",
        "kill": "gateway.cli.manuscript.steering:kill",
        "inspect": "gateway.cli.manuscript.inspecting:inspect",
        "history": "gateway.cli.manuscript.inspecting:history",
        "why": "gateway.cli.manuscript.inspecting:why",
        "report": "gateway.cli.charts.reporting:manuscript",
        "settings": "gateway.cli.manuscript.settings:settings",
        "list": "gateway.cli.manuscript.look:list_",
        "show": "gateway.cli.manuscript.look:show",
        "diff": "gateway.cli.manuscript.look:diff",
        "versions": "gateway.cli.manuscript.look:versions",
        "sources": "gateway.cli.manuscript.sources_group:group",
        "export": "gateway.cli.manuscript.export:export",
        "move": "gateway.cli.registry:move_novel",
        "forget": "gateway.cli.registry:forget_novel",
        "settle": "gateway.cli.manuscript.edit_conflicts:settle",
        "undo": "gateway.cli.manuscript.restore:undo",
        "rollback": "gateway.cli.manuscript.restore:rollback",
    },
)
