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
        "init": ("gateway.cli.book.init:init", "Lay out a new book; on a terminal it asks about it."),
        "import": ("gateway.cli.book.importing:import_", "Make a book of an existing source text."),
        "session": ("gateway.cli.book.session:session", "Write one session with the built-in writer."),
        "watch": ("gateway.cli.book.session:watch", "Follow the running session to its end."),
        "open": ("gateway.cli.book.agent:open_", "Open a session for your own agent; prints the payload."),
        "close": ("gateway.cli.book.agent:close", "Hand in an open session's prose on standard input."),
        "advance": ("gateway.cli.book.agent:advance", "Move on to the next chapter's outline."),
        "complete": ("gateway.cli.book.agent:complete", "Seal a finished book."),
        "pause": ("gateway.cli.book.session:pause", "Pause the running session after its current step."),
        "resume": ("gateway.cli.book.session:resume", "Resume a paused session."),
        "kill": ("gateway.cli.book.session:kill", "Stop the running session; no text is lost."),
        "status": ("gateway.cli.book.view:status", "Show the status of a book."),
        "log": ("gateway.cli.book.view:log", "List the sessions of a book, newest first."),
        "findings": (
            "gateway.cli.book.findings:findings",
            "List what the rules of prose find in the prose that waits for you.",
        ),
        "report": (
            "gateway.cli.charts.reporting:book",
            "Show words per session, how the book grew, and who wrote it.",
        ),
        "doctor": ("gateway.cli.book.view:doctor", "Check a book and say how to fix what is wrong."),
        "list": (
            "gateway.cli.book.view:list_",
            "List every registered book: its state, words, next run, cost and push.",
        ),
        "text": ("gateway.cli.book.editing:text", "Print a text of the book as it was committed last."),
        "save": (
            "gateway.cli.book.editing:save",
            "Save your version of a text as a commit of yours.",
        ),
        "craft": (
            "gateway.cli.book.craft:craft",
            "Print the rules of craft that a new book in this one's language begins with.",
        ),
        "story": (
            "gateway.cli.book.story:story",
            "Tell what happens in each chapter, as far as it was read.",
        ),
        "facts": (
            "gateway.cli.book.story:facts",
            "List what the book states of its people, places and things, each with its quote.",
        ),
        "threads": (
            "gateway.cli.book.story:threads",
            "List the questions that the story has opened and not answered.",
        ),
        "brief": (
            "gateway.cli.book.story:brief",
            "Print what the next session's writer is told of the book.",
        ),
        "why": (
            "gateway.cli.book.story:why",
            "Say which entries of the book's lorebooks its writer was told, and why.",
        ),
        "continuity": (
            "gateway.cli.book.continuity:continuity",
            "List where the book contradicts itself, with both quotes.",
        ),
        "read": (
            "gateway.cli.book.read:read",
            "Have the book's clerk read what is unread.",
        ),
        "plan": (
            "gateway.cli.book.plan:plan",
            "Show the outlines that the planner proposes; have some made; answer.",
        ),
        "rewrite": (
            "gateway.cli.book.rewrite:rewrite",
            "Have a passage of the book rewritten; you read it before it counts.",
        ),
        "export": ("gateway.cli.book.export:export", "Export the book as EPUB, PDF, DOCX, HTML or text."),
        "rollback": ("gateway.cli.book.undo:rollback", "Take the book back to where a session began."),
        "accept-remote": (
            "gateway.cli.book.lost:accept_remote",
            "Take out here what the remote no longer has.",
        ),
        "restore-session": (
            "gateway.cli.book.lost:restore_session",
            "Publish again what the remote no longer has.",
        ),
        "reset": ("gateway.cli.book.undo:reset", "Empty the book and begin again."),
        "restore": (
            "gateway.cli.book.lost:restore",
            "Bring back a lost Config.yml, or the words of an emptied text.",
        ),
        "move": ("gateway.cli.registry:move_book", "Register a book at the folder to which you moved it."),
        "forget": (
            "gateway.cli.registry:forget_book",
            "Take a book off the list, and delete its schedule; its folder is not touched.",
        ),
        "schedule": ("gateway.cli.book.schedule:schedule", "Write the book on a timetable."),
        "unschedule": ("gateway.cli.book.schedule:unschedule", "Delete the book's schedule."),
        "schedules": ("gateway.cli.book.schedule:schedules", "List schedules, next runs and last results."),
    },
)
