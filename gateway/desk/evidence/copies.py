"""Reader's copies: a text and the evidence for its sentences as one page, signed by this installation."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.services import Services
from penwright.adapters.signing import SigningKey, signing_key
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.evidence.authors import authors_of
from penwright.domain.evidence.citations import Known, sentences_with_evidence, works_of
from penwright.domain.evidence.marking import body_of, parts_of, with_marks
from penwright.domain.evidence.page import Frame, page_parts
from penwright.domain.evidence.sealing import Checked, checked, fingerprint, sealed
from penwright.domain.text.blocks import blocks_of
from penwright.domain.trace.reports.blame import Blame
from penwright.errors import NotFound, PermanentError, UsageMistake
from schemas.readers_copy import CopyEvidence, CopyTitle

MOST_BYTES = 256 * 1024 * 1024
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class CopyText:
    """The text of a copy."""

    title: CopyTitle
    text: str
    """As it is converted: citations as ``[@key]``."""
    source: str
    """As the work has it, without comments; of the same blocks."""
    entries: Sequence[Entry] = ()
    """Of the bibliography."""


def check_wish(*, evidence: bool, format: str) -> None:
    """Refuse evidence in another format: ``UsageMistake`` ``evidence-needs-html``."""
    if evidence and format != "html":
        raise UsageMistake(
            "evidence-needs-html",
            f"a reader's copy is an HTML page, and {format} was asked for; nothing was written",
            hint="name `--to html`, or leave `--evidence` out",
        )


def key_of(services: Services) -> SigningKey:
    """The key with which this installation signs; made on first use. Raises as ``signing_key``."""
    return signing_key(services.loaded().settings.home)


def signed_copy(
    services: Services,
    copy: CopyText,
    converted: Callable[[str], bytes],
    blames: Iterable[Blame],
    known: Sequence[Known] = (),
) -> bytes:
    """The copy as a file.

    Args:
        converted: makes an HTML page of Markdown.
        blames: who wrote the files that it is made of.
        known: of each document, what is known of its citations.

    Raises:
        PermanentError: as ``key_of``.
    """
    key = key_of(services)
    sentences, blocks = sentences_of(copy.text), blocks_of(copy.text)
    source = blocks_of(copy.source)
    evidence = CopyEvidence(
        document=copy.title,
        blocks=tuple(authors_of(source if len(source) == len(blocks) else blocks, blames)),
        works=tuple(works_of(copy.entries)),
        sentences=tuple(
            sentences_with_evidence(
                sentences,
                _lines(copy.text, [each.start for each in sentences]),
                blocks,
                {entry.key: reference_of(entry) for entry in copy.entries},
                known,
            )
        ),
    )
    page = converted(with_marks(copy.text, sentences)).decode()
    frame = Frame(style=_file("copy.css"), script=_file("copy.js"))
    parts = page_parts(parts_of(body_of(page)), evidence, frame, fingerprint(key.public))
    return sealed(parts, key.public, key.sign)


def check(file: Path) -> Checked:
    """Compare a copy with its seal, without engine and network.

    Raises:
        NotFound: ``no-such-file``.
        UsageMistake: ``not-a-file``.
        PermanentError: ``copy-too-large``.
    """
    if file.is_dir():
        raise UsageMistake("not-a-file", f"{str(file)!r} is a folder", hint="name the copy's file")
    try:
        if file.stat().st_size > MOST_BYTES:
            limit = MOST_BYTES // 1024 // 1024
            said = f"{str(file)!r} has more than {limit} MB, and no reader's copy has"
            raise PermanentError("copy-too-large", said, hint="name the file that the publisher gave you")
        return checked(file.read_bytes())
    except FileNotFoundError:
        hint = "check the name and the folder"
        raise NotFound("no-such-file", f"there is no file {str(file)!r}", hint=hint) from None


def _lines(text: str, places: Iterable[int]) -> list[int]:
    """The line of each place, from 1; the places ascend."""
    lines, line, counted = [], 1, 0
    for place in places:
        line += text.count("\n", counted, place)
        counted = place
        lines.append(line)
    return lines


def _file(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
