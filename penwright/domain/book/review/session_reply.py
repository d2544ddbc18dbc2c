"""Parse a writer's reply leniently: blocks of prose, then a short report.

The prose is not inside JSON. A complete reply looks like this; only the prose is required::

    <!-- INK:REWORKED:START -->
    > **[Rework]** the author's instruction, word for word

    the new passage

    <!-- INK:ORIGINAL:START -->
    the passage it replaces
    <!-- INK:ORIGINAL:END -->
    <!-- INK:REWORKED:END -->

    <!-- INK:NEW:START -->
    the new prose
    <!-- INK:NEW:END -->

    === REPORT ===
    summary: one paragraph
    instructions answered: 1
    arcs closed: no
    === END ===
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from penwright.domain.book.files.summary import uncommented
from penwright.domain.book.review.delivery import Rework, read_delivery
from penwright.domain.book.review.markers import (
    annotation_readings,
    new_block,
    rework_block,
    without_annotations,
)
from penwright.domain.book.review.reworks import same_wording
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from schemas.book import Instruction

SHORTEST_SHARE = 0.20
"""A reply with less than this share of the wanted words is refused."""
CONTINUE_BELOW = 0.85
"""Below this share of the wanted words the writer is asked once to continue."""
SUMMARY_WORDS = 80
"""Most words of a summary that is taken from the prose."""

_APOSTROPHE = "(?:'|\u2019)"
_REPORT = re.compile(
    r"^[ \t]*(?:[=#*_-]{2,}[ \t]*)?\**REPORT\**:?[ \t]*(?:[=#*_-]{2,})?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_REPORT_END = re.compile(r"^[ \t]*[=#*_-]{2,}[ \t]*END\b.*\Z", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_FIELD = re.compile(
    r"^[ \t>*-]*\**(summary|instructions[ _]answered|arcs?[ _]closed|(?:wants[ _])?next[ _]chapter)\**"
    r"[ \t]*[:=][ \t]*\**[ \t]*(.*)$",
    re.IGNORECASE,
)
_WHOLE_FENCE = re.compile(r"\A\s*(`{3,}|~{3,})[^\n`]*\n(.*?)\n?[ \t]*\1[ \t]*\s*\Z", re.DOTALL)
_CHATTER = re.compile(
    r"\A(?:sure|certainly|of course|okay|ok|understood|"
    rf"here{_APOSTROPHE}s|here (?:is|are)|below (?:is|are))\b"
    r"[^\n]*[:.!]\Z",
    re.IGNORECASE,
)
_JSON_START = re.compile(r"[{\[]\s*[\"'{\[\]}]")
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u3002])[\"\u201d\u00bb)]*\s+")
_YES = frozenset({"yes", "true", "y", "1", "done"})


@dataclass(frozen=True, slots=True)
class ReworkedPassage:
    """A passage rewritten on an author's instruction; ``original`` is empty if no known one is answered."""

    instruction: str
    text: str
    original: str


@dataclass(frozen=True, slots=True)
class SessionReply:
    """A reply, parsed."""

    reworked: tuple[ReworkedPassage, ...]
    new_prose: str
    summary: str
    arcs_closed: bool = False
    repairs: tuple[str, ...] = ()
    """What had to be repaired, for the log."""

    @property
    def prose(self) -> str:
        """The blocks in the book's format: reworked passages first, then the new prose."""
        blocks = [rework_block(part.instruction, part.text, part.original) for part in self.reworked]
        if self.new_prose:
            blocks.append(new_block(self.new_prose))
        return "\n\n".join(blocks) + "\n"

    @property
    def new_words(self) -> int:
        """Words of the new prose, without reworked passages."""
        return count_words(self.new_prose)

    def with_more(self, prose: str) -> "SessionReply":
        """Return the reply with ``prose`` after its own."""
        return replace(self, new_prose="\n\n".join(part for part in (self.new_prose, prose) if part))

    @property
    def words(self) -> int:
        """Words that a reader sees, including reworked passages."""
        return self.new_words + sum(count_words(passage.text) for passage in self.reworked)


@dataclass(frozen=True, slots=True)
class _Report:
    """The report at the end of a reply."""

    summary: str = ""
    arcs_closed: bool = False


def parse_session_reply(
    text: str, *, words_wanted: int, instructions: Sequence[Instruction] = ()
) -> SessionReply:
    """Parse a reply; ``words_wanted`` is 0 in a session that only reworks.

    Raises:
        ModelMistake: ``empty-reply``, ``json-reply``, ``half-json``,
            ``unterminated-original``, ``no-prose`` or ``prose-too-short``; advice to the model.
    """
    body, tail = _split_report(_clean(text))
    _refuse_non_prose(body)
    reworked, new_prose, repairs = _read_blocks(body, instructions)
    report = _read_report(tail)
    if words_wanted == 0 and new_prose:
        # A session that only reworks must not grow the book.
        new_prose, repairs = "", (*repairs, "left out unwanted new prose")
    reply = SessionReply(
        reworked,
        new_prose,
        report.summary or _summary_of(reworked, new_prose),
        arcs_closed=report.arcs_closed,
        repairs=repairs if tail else (*repairs, "summary taken from the prose"),
    )
    _refuse_too_little(reply, words_wanted)
    return reply


def parse_continuation(text: str) -> str:
    """Return the new prose of a continuation; empty if it has none."""
    try:
        body, _ = _split_report(_clean(text))
        _refuse_non_prose(body)
        return _read_blocks(body, ())[1]
    except ModelMistake:
        return ""


def is_short(new_words: int, words_wanted: int) -> bool:
    """Whether the writer should be asked, once, to continue."""
    return words_wanted > 0 and new_words < CONTINUE_BELOW * words_wanted


def _clean(text: str) -> str:
    """Normalize line ends to LF; remove NUL characters and a code fence around the whole reply."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").removeprefix("\ufeff")
    fence = _WHOLE_FENCE.match(text)
    return fence.group(2) if fence and fence.group(1) not in fence.group(2) else text


def _split_report(text: str) -> tuple[str, str]:
    """Split prose and report at the last report heading that a field follows."""
    for heading in reversed(list(_REPORT.finditer(text))):
        following = [line for line in text[heading.end() :].splitlines() if line.strip()][:3]
        if any(_FIELD.match(line) for line in following):
            return text[: heading.start()], text[heading.end() :]
    return text, ""


def _refuse_non_prose(body: str) -> None:
    stripped = body.strip()
    if not stripped:
        raise ModelMistake("empty-reply", "The reply held no prose. Write the session's prose as plain text.")
    if _JSON_START.match(stripped) and not any(found.kind == "marker" for found in parse_comments(stripped)):
        raise ModelMistake(
            "json-reply" if stripped[-1] in "}]" else "half-json",
            "The reply was JSON. Write the prose as plain text between the INK markers, not inside JSON.",
        )


def _refuse_too_little(reply: SessionReply, words_wanted: int) -> None:
    if words_wanted == 0 and not any(passage.original for passage in reply.reworked):
        raise ModelMistake(
            "no-prose",
            "The reply reworked nothing. Write one INK:REWORKED block for every instruction of the author.",
        )
    if words_wanted > 0 and reply.new_words == 0:
        raise ModelMistake(
            "no-prose", f"The reply held no new prose. Write one INK:NEW block of {words_wanted} words."
        )
    if reply.new_words < SHORTEST_SHARE * words_wanted:
        raise ModelMistake(
            "prose-too-short",
            f"The new prose has {reply.new_words} words. Write one INK:NEW block of {words_wanted} words.",
        )


def _read_blocks(
    body: str, instructions: Sequence[Instruction]
) -> tuple[tuple[ReworkedPassage, ...], str, tuple[str, ...]]:
    """Return reworked passages, new prose, and what had to be repaired."""
    delivery = read_delivery(body)
    repairs = list(delivery.warnings)
    left = list(instructions)
    reworked: list[ReworkedPassage] = []
    for rework in delivery.reworks:
        reworked += _passage(rework, left, repairs)
    pieces = delivery.pieces
    if pieces and not pieces[0].marked and _CHATTER.match(pieces[0].text.strip()):
        pieces = pieces[1:]
        repairs.append("left out a line about the reply")
    new = filter(None, (_tidy(piece.text) for piece in pieces))
    return tuple(reworked), "\n\n".join(new), tuple(repairs)


def _passage(rework: Rework, left: list[Instruction], repairs: list[str]) -> list[ReworkedPassage]:
    """Return the passage of one block; what is missing in it is taken from the instruction it answers."""
    asked, text = _asked(rework, left)
    if asked:
        left.remove(asked)
        if not rework.annotated:
            repairs.append("named the instruction of a rework")
    text, original = _tidy(text), _original(rework, asked)
    if asked and not original:
        repairs.append("took the original of a rework from its instruction")
        original = _addressed(asked)
    if not text:
        repairs.append("left out a rework without text")
        return []
    instruction = asked.instruction if asked else rework.quoted
    return [ReworkedPassage(" ".join(instruction.split()), text, original)]


def _asked(rework: Rework, left: Sequence[Instruction]) -> tuple[Instruction | None, str]:
    """Return the instruction that a rework answers (by wording, quoted passage or order), and its text."""
    for quoted, rest in annotation_readings(rework.body):
        named = [instruction for instruction in left if same_wording(instruction.instruction, quoted)]
        if named:
            return next((each for each in named if _quotes(rework, each)), named[0]), rest
    if rework.annotated:
        return None, rework.text
    if rework.original.strip():
        return next((each for each in left if _quotes(rework, each)), None), rework.body
    return next(iter(left), None), rework.body


def _quotes(rework: Rework, asked: Instruction) -> bool:
    return same_wording(rework.original, _addressed(asked))


def _addressed(asked: Instruction) -> str:
    return (asked.passage or asked.anchor).strip()


def _original(rework: Rework, asked: Instruction | None) -> str:
    """Return the old text; an unclosed one is accepted only if it equals the passage the author addressed."""
    if not rework.closed and rework.original.strip() and not (asked and _quotes(rework, asked)):
        raise ModelMistake(
            "unterminated-original",
            "An INK:ORIGINAL block was never closed, so old and new text cannot be distinguished. "
            "Send the whole reply again with INK:ORIGINAL:END and INK:REWORKED:END in place.",
        )
    return _tidy(rework.original)


def _tidy(text: str) -> str:
    """Remove annotations, trailing blanks, outer blank lines and repeated blank lines."""
    lines = (line.rstrip() for line in without_annotations(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _read_report(tail: str) -> _Report:
    fields: dict[str, str] = {}
    name = ""
    for line in _REPORT_END.sub("", tail).splitlines():
        field = _FIELD.match(line)
        if field:
            name = field.group(1).lower().replace("_", " ")
            fields[name] = field.group(2).strip()
        elif name == "summary":
            fields[name] = f"{fields[name]} {line.strip()}".strip()
    return _Report(
        " ".join(uncommented(fields.get("summary", "")).replace("**", "").split()),
        _is_yes(fields.get("arcs closed", fields.get("arc closed", ""))),
    )


def _is_yes(answer: str) -> bool:
    words = re.findall(r"\w+", answer.casefold())
    return bool(words) and words[0] in _YES


def _summary_of(reworked: Sequence[ReworkedPassage], new_prose: str) -> str:
    """Return the first sentences of the new prose, or the instructions that were answered."""
    visible = " ".join(line for line in uncommented(new_prose).splitlines() if not line.startswith("#"))
    taken: list[str] = []
    for sentence in _SENTENCE_END.split(visible.strip()):
        if taken and len(" ".join([*taken, sentence]).split()) > SUMMARY_WORDS // 2:
            break
        taken.append(sentence)
    words = " ".join(taken).split()
    if words:
        return " ".join(words[:SUMMARY_WORDS])
    return "Reworked on the author's instructions: " + "; ".join(p.instruction for p in reworked) + "."
