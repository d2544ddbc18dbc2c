"""``penwright book``: every verb for one book."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Write a book session by session.

BOOK is the book's folder or its registered id, and the current folder by default.

\b
Begin:       init, import
Write:       session, watch, pause, resume, kill
With your own agent: open, close, advance, complete
Look:        status, log, findings, report, doctor, list
Remember:    read, story, facts, threads, brief, why, continuity
Edit:        text, save, craft, plan, rewrite
Publish:     export
Take back:   rollback, reset, restore, accept-remote, restore-session
Registry:    move, forget
Timetable:   schedule, unschedule, schedules
"""

group = lazy_group(
    _HELP,
    {
        "init": "gateway.cli.book.init:init",
        "import": "gateway.cli.book.importing:import_",
        "session": "gateway.cli.book.session:session",
        "watch": "gateway.cli.book.session:watch",
        "open": "gateway.cli.book.agent:open_",
        "close": "gateway.cli.book.agent:close",
        "advance": "gateway.cli.book.agent:advance",
        "complete": "gateway.cli.book.agent:complete",
        "pause": "gateway.cli.book.session:pause",
        "resume": "gateway.cli.book.session:resume",
        "kill": "gateway.cli.book.session:kill",
        "status": "gateway.cli.book.view:status",
        "log": "gateway.cli.book.view:log",
        "findings": "gateway.cli.book.findings:findings",
        "report": "gateway.cli.charts.reporting:book",
        "doctor": "gateway.cli.book.view:doctor",
        "list": "gateway.cli.book.view:list_",
        "text": "gateway.cli.book.editing:text",
        "save": "gateway.cli.book.editing:save",
        "craft": "gateway.cli.book.craft:craft",
        "story": "gateway.cli.book.story:story",
        "facts": "gateway.cli.book.story:facts",
        "threads": "gateway.cli.book.story:threads",
        "brief": "gateway.cli.book.story:brief",
        "why": "gateway.cli.book.story:why",
        "continuity": "gateway.cli.book.continuity:continuity",
        "read": "gateway.cli.book.read:read",
        "plan": "gateway.cli.book.plan:plan",
        "rewrite": "gateway.cli.book.rewrite:rewrite",
        "export": "gateway.cli.book.export:export",
        "rollback": "gateway.cli.book.undo:rollback",
        "accept-remote": "gateway.cli.book.undo:accept_remote",
        "restore-session": "gateway.cli.book.undo:restore_session",
        "reset": "gateway.cli.book.undo:reset",
        "restore": "gateway.cli.book.undo:restore",
        "move": "gateway.cli.registry:move_book",
        "forget": "gateway.cli.registry:forget_book",
        "schedule": "gateway.cli.book.schedule:schedule",
        "unschedule": "gateway.cli.book.schedule:unschedule",
        "schedules": "gateway.cli.book.schedule:schedules",
    },
)
