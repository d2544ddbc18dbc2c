"""``penwright manuscript sources``: the sources of one's own of a novel or paper."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Keep the sources that a paper is written from, and search them.

PDF, DOCX, EPUB, HTML, Markdown and plain text, in the folder sources/ of the novel. Nothing of them leaves
this machine. sources/sources.bib says which work each file is, and can be corrected by hand.

\b
Change:   add, identify, remove, undo
Look:     list, search
"""
_VERBS = "gateway.cli.manuscript.sources"

group = lazy_group(
    _HELP,
    {
        "add": (f"{_VERBS}:add", "Add files to the novel's sources, in one commit, and read them."),
        "identify": (
            f"{_VERBS}:identify",
            "Say which work a source is, or confirm what was guessed of it.",
        ),
        "remove": (f"{_VERBS}:remove", "Take sources out of the novel, in one commit."),
        "undo": (
            f"{_VERBS}:undo",
            "Take the last change of the sources back, as a new commit.",
        ),
        "list": (f"{_VERBS}:list_", "List the sources of the novel, with the work that each is."),
        "search": (
            f"{_VERBS}:search",
            "Find passages in the sources, best first: by their words, and by what they mean.",
        ),
    },
)
