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
        "add": (f"{_VERBS}:add", "Add files, or what Zotero holds, and read them."),
        "identify": (f"{_VERBS}:identify", "Say which work a source is."),
        "remove": (f"{_VERBS}:remove", "Take sources out."),
        "undo": (f"{_VERBS}:undo", "Take the last change of the sources back."),
        "list": (f"{_VERBS}:list_", "List the sources: work, pages, words."),
        "search": (f"{_VERBS}:search", "Find passages in the sources, each with its page."),
    },
)
