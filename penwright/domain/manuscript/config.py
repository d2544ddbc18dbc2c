"""``Novel.yml``: read strictly, and written for a new novel. Only activities and commands import it."""

from penwright.domain.book.files.yaml_files import parsed
from penwright.domain.intents.paths import why_unsafe
from penwright.domain.manuscript.identity import novel_id_of
from penwright.domain.manuscript.layout import NOVEL, TO_MEND
from penwright.errors import BrokenBook, PenwrightError, UsageMistake
from schemas.base import CommitSha
from schemas.novel import NovelConfig
from schemas.workspace import Snapshot

_HEAD = """\
# What this novel or paper is. `penwright manuscript --help` says what can be done with it.
"""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}
_KEYS = {
    "id": "names it in commands and lists; leave it as it is",
    "title": "",
    "author": "",
    "language": "such as en-GB; used for hyphenation and quotation marks in exports",
    "citation_style": "a .csl file in this folder; empty: Chicago, author and date",
    "evidence": "written from sources: when-sources (if there is a folder sources/), always or never",
    "abstract": "",
}


def read_novel(text: str) -> NovelConfig:
    """Parse ``Novel.yml``.

    Raises:
        BrokenBook: ``novel-broken-yaml``, ``novel-duplicate-key``, ``novel-missing-key`` or
            ``novel-wrong-value``, with the line.
    """
    try:
        config = parsed(NovelConfig, text, path=NOVEL, prefix="novel")
    except BrokenBook as broken:
        raise BrokenBook(broken.code, broken.message, **{**broken.details, "hint": TO_MEND}) from None
    if not config.title.strip():
        raise _wrong("title", "must not be empty")
    if config.citation_style and _is_no_style(config.citation_style):
        raise _wrong("citation_style", "must name a .csl file inside the novel's folder")
    return config


def why_broken(snapshot: Snapshot) -> PenwrightError | None:
    """Error for a ``Novel.yml`` in ``snapshot`` that no command could read; None without one."""
    if NOVEL in snapshot.unreadable:
        return not_utf8()
    file = snapshot.files.get(NOVEL)
    return None if file is None else why_unreadable(file.text)


def why_unreadable(text: str) -> PenwrightError | None:
    """Error for a text of ``Novel.yml`` that no command could read; None if one can."""
    try:
        read_novel(text)
        novel_id_of(text, CommitSha("0" * 40))
    except (BrokenBook, UsageMistake) as broken:
        return broken
    return None


def not_utf8() -> BrokenBook:
    """Make the error for a ``Novel.yml`` in another encoding."""
    return BrokenBook("novel-broken-yaml", f"{NOVEL!r} is not UTF-8 text; save it as UTF-8", hint=TO_MEND)


def written_novel(config: NovelConfig) -> str:
    """Return the text of ``Novel.yml``; what ``read_novel`` reads from it is ``config``."""
    lines = []
    for key, note in _KEYS.items():
        lines.append(f"{key}: {_quoted(getattr(config, key))}" + (f"  # {note}" if note else ""))
    return _HEAD + "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    """``value`` as a double-quoted string of YAML."""
    signs = (_ESCAPES.get(c) or (c if c.isprintable() else f"\\U{ord(c):08X}") for c in value)
    return f'"{"".join(signs)}"'


def _is_no_style(path: str) -> bool:
    return why_unsafe(path) is not None or not path.lower().endswith(".csl")


def _wrong(key: str, asked: str) -> BrokenBook:
    return BrokenBook(
        "novel-wrong-value",
        f"{NOVEL!r}: {key!r} {asked}; correct the line.",
        path=NOVEL,
        key=key,
        hint=TO_MEND,
    )


def frontmatter(config: NovelConfig, bibliography: str) -> str:
    """Return the header of an exported Markdown file, for pandoc.

    Args:
        bibliography: name of the .bib file beside it; empty if it cites nothing.
    """
    fields = {
        "title": config.title,
        "author": config.author,
        "lang": config.language,
        "abstract": config.abstract,
        "bibliography": bibliography,
    }
    lines = [f"{name}: {_quoted(value)}" for name, value in fields.items() if value]
    return "\n".join(["---", *lines, "---", ""])
