"""What a writer delivers: new prose, and reworks of passages the author asked about."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from penwright.domain.book.review.markers import annotation_length, annotation_readings, own_line
from penwright.domain.text.ink_comments import Comment, Marked, Span, parse_comments, parse_marked
from penwright.domain.text.words import count_words


@dataclass(frozen=True, slots=True)
class Rework:
    """One REWORKED block."""

    body: str
    """Annotation and new text, as delivered."""
    original: str = ""
    """The old text, as the writer quoted it; empty when it did not."""
    closed: bool = True
    """False when nothing says where it, or the old text in it, ends: either may hold new prose too."""

    @property
    def annotated(self) -> bool:
        return bool(annotation_readings(self.body))

    @property
    def quoted(self) -> str:
        """The instruction it quotes, when the annotation is the quote at its beginning."""
        readings = annotation_readings(self.body[: annotation_length(self.body)].rstrip("\n"))
        return readings[-1][0] if readings else ""

    @property
    def text(self) -> str:
        """The new text, when the annotation is the quote at its beginning."""
        return self.body[annotation_length(self.body) :].strip("\n")

    @property
    def kept(self) -> "Rework":
        """The same, if closed; else with all its text as new text, for none of it may be given up."""
        if self.closed or not self.original:
            return self
        return Rework("\n\n".join(filter(None, (self.body, self.original))), closed=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """New prose that stood in one place."""

    text: str
    marked: bool
    """Whether it came between NEW markers."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A writer's output, taken apart."""

    pieces: tuple[Piece, ...]
    reworks: tuple[Rework, ...]
    warnings: tuple[str, ...]

    @property
    def prose(self) -> str:
        """New prose without markers."""
        return "\n\n".join(piece.text for piece in self.pieces)

    @property
    def marked(self) -> bool:
        """Whether new prose came between NEW markers."""
        return any(piece.marked for piece in self.pieces)

    @property
    def words(self) -> int:
        """Words written: quoted instructions and old versions do not count."""
        return count_words(self.prose) + sum(count_words(rework.kept.text) for rework in self.reworks)


def read_delivery(prose: str) -> Delivery:
    """Take delivered prose apart; every word ends up in the prose or in a rework."""
    text = prose.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    text, warnings = _without_echoes(text)
    marked = parse_marked(text)
    reading = _Reading(warnings=[*warnings, *_fence_warnings(marked)])
    behind = 0
    markers = [comment for comment in marked.comments if comment.kind == "marker"]
    for index, marker in enumerate(markers):
        start, end = own_line(text, marker.start, marker.end)
        reading.take(text[behind:start])
        reading.turn(marker, [following.text for following in markers[index + 1 : index + 9]])
        behind = end
    reading.take(text[behind:])
    return reading.done()


def _is_copied(following: Sequence[str]) -> bool:
    """Whether a NEW marker in an old version came with the text: both ends of the rework are behind it."""
    others = [name for name in following if not name.startswith("NEW:")]
    return others[:2] == ["ORIGINAL:END", "REWORKED:END"]


def _fence_warnings(marked: Marked) -> tuple[str, ...]:
    """A fence without an end may meet another one later and hide the author's instructions between them."""
    return tuple(
        f"Delivered prose, line {line}: a code fence opens and never ends; close it in Review/current.md "
        "or delete it, or instructions behind it may be taken for code."
        for line in marked.loose_fences
    )


def _without_echoes(text: str) -> tuple[str, list[str]]:
    """Take out author instructions that the writer repeated, and what would open a comment without end."""
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
    """Take spans out without letting what stood around them grow together into a new comment or fence."""
    kept, behind = [], 0
    for start, end in cuts:
        kept.append(text[behind:start])
        kept.append(" " if text[start - 1 : start] in {"<", "!", "-", "`", "~"} else "")
        behind = end
    return "".join([*kept, text[behind:]])


@dataclass
class _Reading:
    """Where a reader of delivered text stands."""

    warnings: list[str]
    pieces: list[Piece] = field(default_factory=list)
    reworks: list[Rework] = field(default_factory=list)
    marked: bool = False
    block: str = ""
    """"", "NEW", "REWORKED" or "ORIGINAL": the block that is open."""
    body: str = ""
    original: str = ""
    stray_original: bool = False
    """The open ORIGINAL stands outside of a rework."""

    def take(self, text: str) -> None:
        """Text between two markers."""
        if self.block == "REWORKED":
            self.body += text
        elif self.block == "ORIGINAL":
            self.original += text
        elif text.strip():
            self.pieces.append(Piece(text.strip("\n").rstrip(), self.block == "NEW"))

    def turn(self, marker: Comment, following: Sequence[str]) -> None:
        """A marker changes what the text behind it is; ``following``: the names of the next ones."""
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
                    f"Delivered prose, line {marker.line}: the marker {marker.text} does not belong there; "
                    "the text around it was kept."
                )

    def done(self) -> Delivery:
        """The end of the text; a rework that is open here has no known end."""
        if self.block in {"REWORKED", "ORIGINAL"}:
            self.warnings.append("Delivered prose: a rework has no end; it was kept beside the old text.")
            self._spill()
        return Delivery(tuple(self.pieces), tuple(self.reworks), tuple(self.warnings))

    def _leave(self, line: int) -> None:
        """A new block begins while one may be open; only a rework's own text is safely ended by that."""
        if self.block == "REWORKED":
            self._close()
        elif self.block == "ORIGINAL":
            self.warnings.append(
                f"Delivered prose, line {line}: the old version in front of it has no end; "
                "it was kept as text."
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
        """Keep everything of a block whose end is unknown, as a rework that nothing may replace."""
        rework = Rework(self.body.strip("\n"), self.original.strip("\n"), closed=False)
        if rework.body.strip() or rework.original.strip():
            self.reworks.append(rework)
        self.block, self.body, self.original, self.stray_original = "", "", "", False
