"""Parse a writer's delivery: new prose, and reworks of passages that the author addressed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from penwright.domain.book.review.markers import (
    annotation_length,
    annotation_readings,
    own_line,
    with_plain_markers,
)
from penwright.domain.text.ink_comments import Comment, Marked, Span, parse_comments, parse_marked
from penwright.domain.text.words import count_words


@dataclass(frozen=True, slots=True)
class Rework:
    """One REWORKED block."""

    body: str
    """Annotation and new text, as delivered."""
    original: str = ""
    """The old text, as quoted by the writer; empty if it was not quoted."""
    closed: bool = True
    """False if the end of the block or of the old text in it is missing: either may include new prose."""

    @property
    def annotated(self) -> bool:
        return bool(annotation_readings(self.body))

    @property
    def quoted(self) -> str:
        """The instruction that the annotation at its beginning quotes; empty without one."""
        readings = annotation_readings(self.body[: annotation_length(self.body)].rstrip("\n"))
        return readings[-1][0] if readings else ""

    @property
    def text(self) -> str:
        """The new text, without the annotation at its beginning."""
        return self.body[annotation_length(self.body) :].strip("\n")

    @property
    def kept(self) -> "Rework":
        """The same if closed; else with all its text as new text, so that nothing is lost."""
        if self.closed or not self.original:
            return self
        return Rework("\n\n".join(filter(None, (self.body, self.original))), closed=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of new prose."""

    raw: str
    """With the blanks and line ends around it."""
    marked: bool
    """Whether it was between NEW markers."""

    @property
    def text(self) -> str:
        """The prose, without empty lines around it."""
        return self.raw.strip("\n").rstrip()


@dataclass(frozen=True, slots=True)
class Delivery:
    """A writer's output, parsed."""

    pieces: tuple[Piece, ...]
    reworks: tuple[Rework, ...]
    warnings: tuple[str, ...]
    cut: bool = False
    """Whether it ends inside of a NEW block."""

    @property
    def prose(self) -> str:
        """New prose without markers."""
        return "\n\n".join(piece.text for piece in self.pieces)

    @property
    def marked(self) -> bool:
        """Whether any new prose was between NEW markers."""
        return any(piece.marked for piece in self.pieces)

    @property
    def new_words(self) -> int:
        """Words of new prose."""
        return count_words(self.prose)

    @property
    def words(self) -> int:
        """Words written, without quoted instructions and old versions."""
        return self.new_words + sum(count_words(rework.kept.text) for rework in self.reworks)


def read_delivery(prose: str) -> Delivery:
    """Parse delivered prose; every word ends up in a piece or in a rework."""
    text = with_plain_markers(prose.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"))
    text, warnings = _without_echoes(text)
    marked = parse_marked(text)
    parser = _DeliveryParser(warnings=[*warnings, *_fence_warnings(marked)])
    position = 0
    markers = [comment for comment in marked.comments if comment.kind == "marker"]
    for index, marker in enumerate(markers):
        start, end = own_line(text, marker.start, marker.end)
        parser.take(text[position:start])
        parser.turn(marker, [following.text for following in markers[index + 1 : index + 9]])
        position = end
    parser.take(text[position:])
    return parser.done()


def _is_copied(following: Sequence[str]) -> bool:
    """Whether a NEW marker in an old version was copied with it: both ends of the rework follow."""
    others = [name for name in following if not name.startswith("NEW:")]
    return others[:2] == ["ORIGINAL:END", "REWORKED:END"]


def _fence_warnings(marked: Marked) -> tuple[str, ...]:
    """Warn of unclosed fences: a later fence would close them and hide the instructions in between."""
    return tuple(
        f"Delivered prose, line {line}: a code fence is not closed; close it in Review/current.md "
        "or delete it, or instructions after it may be taken for code."
        for line in marked.loose_fences
    )


def _without_echoes(text: str) -> tuple[str, list[str]]:
    """Remove instructions that the writer repeated and openings of unclosed comments; return warnings too."""
    cuts: list[Span] = []
    warnings = []
    for comment in parse_comments(text):
        if comment.kind == "marker":
            continue
        cuts.append((comment.start, comment.end))
        if comment.kind == "malformed":
            warnings.append(f"Delivered prose, line {comment.line}: {comment.text}; its words were kept.")
    if not cuts:
        return text, warnings
    return _cut_apart(text, cuts), warnings


def _cut_apart(text: str, cuts: list[Span]) -> str:
    """Remove spans; a space keeps the text around them from joining into a new comment or fence."""
    kept, position = [], 0
    for start, end in cuts:
        kept.append(text[position:start])
        kept.append(" " if text[start - 1 : start] in {"<", "!", "-", "`", "~"} else "")
        position = end
    return "".join([*kept, text[position:]])


@dataclass
class _DeliveryParser:
    """State of the parser between two markers."""

    warnings: list[str]
    pieces: list[Piece] = field(default_factory=list)
    reworks: list[Rework] = field(default_factory=list)
    marked: bool = False
    block: str = ""
    """"", "NEW", "REWORKED" or "ORIGINAL": the block that is open."""
    body: str = ""
    original: str = ""
    stray_original: bool = False
    """The open ORIGINAL is outside of a rework."""

    def take(self, text: str) -> None:
        """Take the text between two markers."""
        if self.block == "REWORKED":
            self.body += text
        elif self.block == "ORIGINAL":
            self.original += text
        elif text.strip():
            self.pieces.append(Piece(text, self.block == "NEW"))

    def turn(self, marker: Comment, following: Sequence[str]) -> None:
        """Apply a marker; ``following``: names of the next markers."""
        match marker.text:
            case "NEW:START" | "NEW:END" if self.block == "ORIGINAL" and _is_copied(following):
                pass
            case "NEW:START" | "REWORKED:START":
                self._leave(marker.line)
                self.block = marker.text.removesuffix(":START")
                self.marked = self.marked or self.block == "NEW"
            case "NEW:END" if self.block == "NEW":
                self.block = ""
            case "REWORKED:END" if self.block in {"REWORKED", "ORIGINAL"}:
                self._close()
            case "ORIGINAL:START" if self.block == "REWORKED" and not self.original:
                self.block = "ORIGINAL"
            case "ORIGINAL:START" if self.block == "" and self._follows_a_rework():
                self.block, self.stray_original = "ORIGINAL", True
            case "ORIGINAL:END" if self.block == "ORIGINAL":
                self._leave_original()
            case _:
                self.warnings.append(
                    f"Delivered prose, line {marker.line}: the marker {marker.text} is out of place; "
                    "the text around it was kept."
                )

    def done(self) -> Delivery:
        """Finish at the end of the text; an open rework is kept as unclosed."""
        if self.block in {"REWORKED", "ORIGINAL"}:
            self.warnings.append("Delivered prose: a rework is not closed; it was kept beside the old text.")
            self._spill()
        cut = self.block == "NEW"
        return Delivery(tuple(self.pieces), tuple(self.reworks), tuple(self.warnings), cut)

    def _leave(self, line: int) -> None:
        """End the open block because another begins: safe for a rework, but not for an old version."""
        if self.block == "REWORKED":
            self._close()
        elif self.block == "ORIGINAL":
            self.warnings.append(
                f"Delivered prose, line {line}: the old version before it is not closed; it was kept as text."
            )
            self._spill()
        self.block = ""

    def _follows_a_rework(self) -> bool:
        return bool(self.reworks) and not self.reworks[-1].original and not self.marked

    def _leave_original(self) -> None:
        if self.stray_original:
            last = self.reworks.pop()
            self.reworks.append(Rework(last.body, self.original.strip("\n")))
            self.block, self.original, self.stray_original = "", "", False
        else:
            self.block = "REWORKED"

    def _close(self) -> None:
        if self.stray_original:
            self._leave_original()
            return
        self.reworks.append(Rework(self.body.strip("\n"), self.original.strip("\n")))
        self.block, self.body, self.original = "", "", ""

    def _spill(self) -> None:
        """Keep all text of an unclosed block, as a rework that replaces nothing."""
        rework = Rework(self.body.strip("\n"), self.original.strip("\n"), closed=False)
        if rework.body.strip() or rework.original.strip():
            self.reworks.append(rework)
        self.block, self.body, self.original, self.stray_original = "", "", "", False
