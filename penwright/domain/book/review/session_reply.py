"""Parse a writer's reply leniently: blocks of prose, then a short report.

The prose is not inside JSON. A complete reply looks like this; only the prose is required. Where a NEW block
exists, only its inside is prose; without one, what is neither rework nor talk about the task is::

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
    told:
    - a beat of the plan — "the words that tell it"
    arcs closed: no
    === END ===

A plan may stand before the blocks, see ``session_plan``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from penwright.domain.book.review.delivery import Delivery, Rework, read_delivery
from penwright.domain.book.review.markers import (
    annotation_readings,
    new_block,
    rework_block,
    without_annotations,
)
from penwright.domain.book.review.reply_report import first_sentences, read_report, split_report
from penwright.domain.book.review.reworks import same_wording
from penwright.domain.book.review.session_plan import NO_PLAN, SessionPlan, split_plan
from penwright.domain.prose.cut_end import ends_whole, joined, unfinished
from penwright.domain.prose.loops import is_loop
from penwright.domain.prose.task import SHORTEST
from penwright.domain.prose.task_talk import is_all_talk, without_counts, without_talk
from penwright.domain.text.counted import counted
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from schemas.book import Instruction
from schemas.prose import BeatTold

SHORTEST_SHARE = 0.20
"""A reply with less than this share of the wanted words is refused."""

_WHOLE_FENCE = re.compile(r"\A\s*(`{3,}|~{3,})[^\n`]*\n(.*?)\n?[ \t]*\1[ \t]*\s*\Z", re.DOTALL)
_WHOLE_TAG = re.compile(
    r"\A\s*<(prose|scene|story|text|chapter|continuation|new_prose|output|draft)>[ \t]*\n"
    r"(.*?)\n?[ \t]*</\1>\s*\Z",
    re.DOTALL | re.IGNORECASE,
)
_SPEAKER = re.compile(r"\A\s*\**(?:assistant|output|response|answer)\**[ \t]*:\**[ \t]*(?=\S)", re.IGNORECASE)
_JSON_START = re.compile(r"[{\[]\s*[\"'{\[\]}]")
_HARDLY_INDENTED = re.compile(r" {1,3}\S")
"""Prose that began on the line of its marker; verse is indented by more."""
_SHOWN = "the run's transcript has the whole reply"


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
    """Repairs made, for the log."""
    warnings: tuple[str, ...] = ()
    """Parts of the reply that are not in the book, for its author."""
    summarised: bool = True
    """Whether the summary is the writer's own; else it was taken from the prose."""
    tail: str = ""
    """Blanks and line ends after the new prose, if it was cut off there."""
    cut: bool = False
    """Whether the new prose was cut off, or stops in the middle of a sentence."""
    unanswered: tuple[Instruction, ...] = ()
    """Instructions that it has no passage for."""
    plan: SessionPlan = NO_PLAN
    told: tuple[BeatTold, ...] = ()
    """Beats that it tells, as its writer says."""

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

    @property
    def unfinished(self) -> str:
        """The sentence in which the new prose stops; empty if it ends whole."""
        return unfinished(self.new_prose) if self.cut and not ends_whole(self.new_prose) else ""

    def with_more(self, more: "Continuation") -> "SessionReply":
        """Return the reply with what the writer wrote when it was asked to go on."""
        if not more.prose:
            return self
        told = [self.summary] if self.summarised else []
        return replace(
            self,
            new_prose=joined(self.new_prose + self.tail, more.raw, whole=not self.unfinished),
            summary=" ".join([*told, more.summary]) if more.summary else self.summary,
            summarised=self.summarised or bool(more.summary),
            arcs_closed=more.arcs_closed if more.reported else self.arcs_closed,
            told=(*self.told, *more.told),
            tail="",
            cut=more.cut,
        )

    def with_answers(self, more: "Answers") -> "SessionReply":
        """Return the reply with the passages that the writer reworked when it was asked again."""
        return replace(self, reworked=(*self.reworked, *more.reworked), unanswered=more.unanswered)

    def ended(self) -> "SessionReply":
        """Return the reply without the sentence in which its new prose stops, if there is another one."""
        fragment = self.unfinished
        kept = self.new_prose.removesuffix(fragment).rstrip() if fragment else ""
        if not kept:
            return self
        words = counted(count_words(fragment), "word")
        note = f"Left out of the writer's reply: an unfinished sentence of {words}; {_SHOWN}."
        return replace(self, new_prose=kept, cut=False, warnings=(*self.warnings, note))

    @property
    def words(self) -> int:
        """Words that a reader sees, including reworked passages."""
        return self.new_words + sum(count_words(passage.text) for passage in self.reworked)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answer of a writer that was asked for instructions it had left out, parsed."""

    reworked: tuple[ReworkedPassage, ...] = ()
    unanswered: tuple[Instruction, ...] = ()


@dataclass(frozen=True, slots=True)
class Continuation:
    """The answer of a writer that was asked to go on, parsed."""

    raw: str = ""
    """New prose, with the blanks and line ends before it."""
    summary: str = ""
    arcs_closed: bool = False
    reported: bool = False
    """Whether it ends with a report."""
    told: tuple[BeatTold, ...] = ()
    cut: bool = False

    @property
    def prose(self) -> str:
        """The new prose; empty if it has none."""
        return self.raw.strip()


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The parts of a reply without its report."""

    reworked: tuple[ReworkedPassage, ...]
    new: str
    """New prose, with the blanks and line ends around it."""
    repairs: tuple[str, ...]
    """Repairs, for the log."""
    warnings: tuple[str, ...]
    """Notes on the parts that were left out, for the author."""
    open: bool
    """Whether the NEW block has no end."""
    unanswered: tuple[Instruction, ...]


def parse_session_reply(
    text: str, *, words_wanted: int, instructions: Sequence[Instruction] = (), cut_off: bool = False
) -> SessionReply:
    """Parse a reply.

    Args:
        words_wanted: 0 in a session that only reworks.
        cut_off: whether it stopped at the token limit.

    Raises:
        ModelMistake: ``empty-reply``, ``json-reply``, ``half-json``, ``task-talk``,
            ``loop``, ``unterminated-original``, ``no-prose`` or ``prose-too-short``; advice to the model.
    """
    body, tail = split_report(_clean(text))
    plan, body = split_plan(body)
    _refuse_non_prose(body)
    found = _read_blocks(body, instructions)
    report = read_report(tail)
    new_prose, repairs = _tidy(found.new), found.repairs
    if words_wanted == 0 and new_prose:
        # A session that only reworks must not grow the book.
        new_prose, repairs = "", (*repairs, "left out unwanted new prose")
    reply = SessionReply(
        found.reworked,
        new_prose,
        report.summary or first_sentences(new_prose) or _instructions_of(found.reworked),
        arcs_closed=report.arcs_closed,
        repairs=repairs if tail else (*repairs, "summary taken from the prose"),
        warnings=found.warnings,
        summarised=bool(report.summary),
        tail=found.new[len(found.new.rstrip()) :] if new_prose else "",
        cut=_is_cut(new_prose, cut_off=not tail and (cut_off or found.open)),
        unanswered=found.unanswered,
        plan=plan,
        told=report.told,
    )
    _refuse_too_little(reply, words_wanted)
    return reply


def parse_continuation(text: str, *, cut_off: bool = False) -> Continuation:
    """Parse what the writer wrote when it was asked to go on; without prose if there is none, or a loop."""
    try:
        body, tail = split_report(_clean(text))
        _refuse_non_prose(body)
        found = _read_blocks(body, ())
        if is_loop(found.new):
            return Continuation()
    except ModelMistake:
        return Continuation()
    report = read_report(tail)
    prose = _tidy(found.new)
    return Continuation(
        _before(found.new) + prose.lstrip() if prose else "",
        report.summary,
        arcs_closed=report.arcs_closed,
        reported=bool(tail),
        told=report.told,
        cut=_is_cut(prose, cut_off=not tail and (cut_off or found.open)),
    )


def parse_answers(text: str, asked: Sequence[Instruction]) -> Answers:
    """Parse what the writer wrote when asked for instructions it had left out; new prose is ignored."""
    try:
        body, _ = split_report(_clean(text))
        _refuse_non_prose(body)
        found = _read_blocks(body, asked)
    except ModelMistake:
        return Answers(unanswered=tuple(asked))
    answered = tuple(each for each in found.reworked if each.original)
    return Answers(answered, found.unanswered)


def _before(raw: str) -> str:
    return raw[: len(raw) - len(raw.lstrip())]


def _is_cut(prose: str, *, cut_off: bool) -> bool:
    return bool(prose) and (cut_off or not ends_whole(prose, lines_may_end=True))


def is_short(new_words: int, words_wanted: int) -> bool:
    """Whether the writer should be asked, once, to continue."""
    return words_wanted > 0 and new_words < SHORTEST * words_wanted


def _clean(text: str) -> str:
    """Normalize line ends to LF; remove NUL characters and what stands around the whole reply."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").removeprefix("\ufeff")
    return _unwrapped(_SPEAKER.sub("", text))


def _unwrapped(text: str) -> str:
    """The text without a code fence or a tag around the whole of it."""
    fence = _WHOLE_FENCE.match(text)
    if fence and fence.group(1) not in fence.group(2):
        return fence.group(2)
    tag = _WHOLE_TAG.match(text)
    return tag.group(2) if tag and f"<{tag.group(1)}>" not in tag.group(2) else text


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
    if is_loop(reply.new_prose):
        raise ModelMistake(
            "loop",
            "The reply repeats the same sentences. Write the session's prose once, from its beginning.",
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


def _read_blocks(body: str, instructions: Sequence[Instruction]) -> _Blocks:
    delivery = read_delivery(body)
    repairs = list(delivery.warnings)
    left = list(instructions)
    reworked: list[ReworkedPassage] = []
    for rework in delivery.reworks:
        reworked += _passage(rework, left, repairs)
    new = _new_prose(delivery)
    left_out = delivery.new_words - count_words(new)
    words = counted(left_out, "word")
    note = f"Left out of the writer's reply: {words} outside of the prose; {_SHOWN}."
    return _Blocks(
        tuple(reworked), new, tuple(repairs), (note,) if left_out else (), delivery.cut, tuple(left)
    )


def _new_prose(delivery: Delivery) -> str:
    """The inside of the NEW blocks; without one, what is outside of reworks, without talk about the task."""
    said = [piece for piece in delivery.pieces if piece.marked or not delivery.marked]
    written = "\n\n".join(piece.text for piece in said)
    prose = _unwrapped(without_counts(written) if delivery.marked else without_talk(written))
    if written.strip() and not delivery.reworks and is_all_talk(prose):
        raise ModelMistake(
            "task-talk",
            "The reply talked about the task instead of telling the story. Write the session's prose itself.",
        )
    if prose != written or not said:
        return prose
    return _before(said[0].raw) + written.lstrip() + said[-1].raw[len(said[-1].raw.rstrip()) :]


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
    tidy = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return tidy.lstrip(" ") if _HARDLY_INDENTED.match(tidy) else tidy


def _instructions_of(reworked: Sequence[ReworkedPassage]) -> str:
    return "Reworked on the author's instructions: " + "; ".join(p.instruction for p in reworked) + "."
