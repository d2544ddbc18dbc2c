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
        "add": f"{_VERBS}:add",
        "identify": f"{_VERBS}:identify",
        "remove": f"{_VERBS}:remove",
        "undo": f"{_VERBS}:undo",
        "list": f"{_VERBS}:list_",
        "search": f"{_VERBS}:search",
    },
)
