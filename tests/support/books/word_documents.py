"""DOCX files as Word writes them, with tracked changes and comments of several people."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from html import escape

_NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_RELATION = '<Relationship Id="{id}" Target="{target}" Type="' + _OFFICE + '/{kind}"/>'


def run(text: str, *, deleted: bool = False) -> str:
    """A run of text."""
    name = "delText" if deleted else "t"
    return f'<w:r><w:{name} xml:space="preserve">{escape(text)}</w:{name}></w:r>'


def inserted(text: str, by: str) -> str:
    """What a person put in."""
    return f'<w:ins w:id="1" w:author="{escape(by)}" w:date="2026-01-02T10:00:00Z">{run(text)}</w:ins>'


def deleted(text: str, by: str) -> str:
    """What a person took out."""
    gone = run(text, deleted=True)
    return f'<w:del w:id="1" w:author="{escape(by)}" w:date="2026-01-02T10:00:00Z">{gone}</w:del>'


def comment(number: int) -> str:
    """The place of a comment."""
    return f'<w:r><w:commentReference w:id="{number}"/></w:r>'


def paragraph(*pieces: str, mark: str = "", style: str = "") -> str:
    """A paragraph; ``mark``: ``ins`` or ``del`` and a name, such as ``del Anna``, of its end."""
    kind, _, by = mark.partition(" ")
    changed = f'<w:rPr><w:{kind} w:id="1" w:author="{escape(by)}"/></w:rPr>' if mark else ""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{styled}{changed}</w:pPr>{''.join(pieces)}</w:p>"


def docx(
    paragraphs: Sequence[str],
    comments: Sequence[tuple[str, str]] = (),
    more: Mapping[str, str] | None = None,
) -> bytes:
    """A document; ``comments``: who says what, by their numbers; ``more``: further files of the archive."""
    said = (
        f'<w:comment w:id="{number}" w:author="{escape(by)}"><w:p>{run(text)}</w:p></w:comment>'
        for number, (by, text) in enumerate(comments)
    )
    beside = _RELATION.format(id="c1", target="comments.xml", kind="comments")
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + _RELATION.format(id="r1", target="word/document.xml", kind="officeDocument")
        + "</Relationships>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{beside}</Relationships>",
        "word/document.xml": f"<w:document {_NAMES}><w:body>{''.join(paragraphs)}</w:body></w:document>",
        "word/comments.xml": f"<w:comments {_NAMES}>{''.join(said)}</w:comments>",
        **(more or {}),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return packed.getvalue()


def reviewed(changes: int = 50, comments: int = 30) -> tuple[bytes, list[str], list[str]]:
    """A document that two people changed and noted, and its paragraphs without and with their changes."""
    people, made, before, after = ("Anna Bell", "Ben Ode"), [], [], []
    for number in range(changes):
        by, other = people[number % 2], people[(number + 1) % 2]
        name = f"{number:02}"
        shapes = (
            (run(f"The boat {name} was"), deleted(" very", by), run(" slow."), inserted(" It leaked.", by)),
            (inserted(f"A line {name} of the second hand.", by),),
            (deleted(f"Nobody knew {name} why.", by),),
            (run(f"Mill {name} and "), deleted("wheel", by), inserted("weir", other), run(" stood.")),
        )
        olds = (
            f"The boat {name} was very slow.",
            "",
            f"Nobody knew {name} why.",
            f"Mill {name} and wheel stood.",
        )
        news = (f"The boat {name} was slow. It leaked.", f"A line {name} of the second hand.", "")
        shape = number % 4
        mark = {1: f"ins {by}", 2: f"del {by}"}.get(shape, "")
        noted = (comment(number),) if number < comments else ()
        made.append(paragraph(*shapes[shape], mark=mark))
        made.append(paragraph(run(f"Quiet water {name}."), *noted))
        before += [olds[shape], f"Quiet water {name}."]
        after += [(*news, f"Mill {name} and weir stood.")[shape], f"Quiet water {name}."]
    said = [(people[number % 2], f"Is {number} true?") for number in range(comments)]
    return docx(made, said), [each for each in before if each], [each for each in after if each]
