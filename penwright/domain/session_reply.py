"""What a writer answers in a session: blocks of prose, then a short report; read leniently.

The prose stands outside JSON. A complete reply looks like this; everything but the prose may be missing::

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
    next chapter: no
    === END ===
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from penwright.domain.words import count_words
from penwright.errors import ModelMistake
from schemas.book import Instruction

SHORTEST_SHARE = 0.20
"""Less than this share of the wanted words is no session."""
CONTINUE_BELOW = 0.85
"""Below this share of the wanted words the writer is asked once to go on."""
SUMMARY_WORDS = 80
"""At most, when the summary has to be taken from the prose."""

_APOSTROPHE = "(?:'|\u2019)"
_MARKER = re.compile(
    r"<!--[ \t]*INK:[ \t]*(NEW|REWORKED|ORIGINAL)[ \t]*:[ \t]*(START|END)[ \t]*-->", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ANNOTATION = re.compile(r"^[ \t]*>?[ \t]*\*\*\[Rework\]\*\*[ \t]*:?(.*)$", re.IGNORECASE | re.MULTILINE)
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
_REFUSAL = re.compile(
    rf"\A\W*(?:(?:i{_APOSTROPHE}m|i am) (?:very |really |so )?sorry\b|sorry,|i apologi[sz]e\b|as an ai\b|"
    rf"i (?:cannot|can{_APOSTROPHE}t|won{_APOSTROPHE}t|am not able to|am unable to) "
    r"(?:help|assist|write|continue|comply|provide|create|fulfil|do that))",
    re.IGNORECASE,
)
_REFUSAL_WORDS = 120
"""A longer text that begins like a refusal is a character speaking."""
_JSON_START = re.compile(r"[{\[]\s*[\"'{\[\]}]")
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u3002])[\"\u201d\u00bb)]*\s+")
_YES = frozenset({"yes", "true", "y", "1", "done"})


@dataclass(frozen=True, slots=True)
class ReworkedPassage:
    """A passage rewritten on an author's instruction."""

    instruction: str
    text: str
    original: str


@dataclass(frozen=True, slots=True)
class SessionReply:
    """A reply, taken apart."""

    reworked: tuple[ReworkedPassage, ...]
    new_prose: str
    summary: str
    arcs_closed: bool = False
    wants_next_chapter: bool = False
    repairs: tuple[str, ...] = ()
    """What had to be put right, for the log."""

    @property
    def prose(self) -> str:
        """The blocks as the book keeps them: reworked passages first, then the new prose."""
        blocks = [_reworked_block(passage) for passage in self.reworked]
        if self.new_prose:
            blocks.append(f"<!-- INK:NEW:START -->\n{self.new_prose}\n<!-- INK:NEW:END -->")
        return "\n\n".join(blocks) + "\n"

    @property
    def new_words(self) -> int:
        """Words of the new prose; what was reworked does not count."""
        return count_words(self.new_prose)

    def with_more(self, prose: str) -> "SessionReply":
        """The same reply with ``prose`` behind its own."""
        return replace(self, new_prose="\n\n".join(part for part in (self.new_prose, prose) if part))

    @property
    def words(self) -> int:
        """Words a reader sees, reworked passages included."""
        return self.new_words + sum(count_words(passage.text) for passage in self.reworked)


@dataclass(frozen=True, slots=True)
class _Report:
    """The tail of a reply."""

    summary: str = ""
    arcs_closed: bool = False
    wants_next_chapter: bool = False


def parse_session_reply(
    text: str, *, words_wanted: int, instructions: Sequence[Instruction] = ()
) -> SessionReply:
    """Take a reply apart; ``words_wanted`` is 0 in a session that only reworks.

    Raises:
        ModelMistake: ``empty-reply``, ``refusal-text``, ``json-reply``, ``half-json``,
            ``unterminated-original``, ``no-prose`` or ``prose-too-short``; advice to the model.
    """
    body, tail = _split_report(_clean(text))
    _refuse_what_is_no_prose(body)
    reworked, new_prose, repairs = _read_blocks(body, instructions)
    report = _read_report(tail)
    if words_wanted == 0 and new_prose:
        # A session that only reworks must not grow the book.
        new_prose, repairs = "", (*repairs, "left out new prose nobody asked for")
    reply = SessionReply(
        reworked,
        new_prose,
        report.summary or _summary_of(reworked, new_prose),
        arcs_closed=report.arcs_closed,
        wants_next_chapter=report.wants_next_chapter,
        repairs=repairs if tail else (*repairs, "summary taken from the prose"),
    )
    _refuse_too_little(reply, words_wanted)
    return reply


def parse_continuation(text: str) -> str:
    """The new prose of an answer to "go on"; empty when the answer holds none."""
    try:
        body, _ = _split_report(_clean(text))
        _refuse_what_is_no_prose(body)
        return _read_blocks(body, ())[1]
    except ModelMistake:
        return ""


def is_short(reply: SessionReply, words_wanted: int) -> bool:
    """Whether the writer should be asked, once, to go on."""
    return words_wanted > 0 and reply.new_words < CONTINUE_BELOW * words_wanted


def _reworked_block(passage: ReworkedPassage) -> str:
    return (
        "<!-- INK:REWORKED:START -->\n"
        f"> **[Rework]** {passage.instruction}\n\n"
        f"{passage.text}\n\n"
        f"<!-- INK:ORIGINAL:START -->\n{passage.original}\n<!-- INK:ORIGINAL:END -->\n"
        "<!-- INK:REWORKED:END -->"
    )


def _clean(text: str) -> str:
    """LF line ends, no NUL, no code fence around the whole."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").removeprefix("\ufeff")
    fence = _WHOLE_FENCE.match(text)
    return fence.group(2) if fence and fence.group(1) not in fence.group(2) else text


def _split_report(text: str) -> tuple[str, str]:
    """Prose and report: from the last heading that a field follows; no report when there is none."""
    for heading in reversed(list(_REPORT.finditer(text))):
        following = [line for line in text[heading.end() :].splitlines() if line.strip()][:3]
        if any(_FIELD.match(line) for line in following):
            return text[: heading.start()], text[heading.end() :]
    return text, ""


def _refuse_what_is_no_prose(body: str) -> None:
    stripped = body.strip()
    if not stripped:
        raise ModelMistake("empty-reply", "The reply held no prose. Write the session's prose as plain text.")
    if _REFUSAL.match(stripped) and count_words(stripped) <= _REFUSAL_WORDS:
        raise ModelMistake(
            "refusal-text",
            "The reply declined instead of writing. Write the session's prose within the outline.",
        )
    if _JSON_START.match(stripped) and not _MARKER.search(stripped):
        raise ModelMistake(
            "json-reply" if stripped[-1] in "}]" else "half-json",
            "The reply was JSON. Write the prose as plain text between the INK markers, not inside JSON.",
        )


def _refuse_too_little(reply: SessionReply, words_wanted: int) -> None:
    if words_wanted == 0 and not reply.reworked:
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
    """Reworked passages, new prose, and what had to be repaired."""
    reworked: list[ReworkedPassage] = []
    new: list[str] = []
    repairs: list[str] = []
    for block in _cut(body):
        if not block.closed:
            repairs.append(f"closed an INK:{block.kind} block")
        if block.kind == "REWORKED":
            reworked += _passage(block, instructions, len(reworked), repairs)
        elif block.kind == "" and not new and _CHATTER.match(block.text.strip()):
            repairs.append("left out a line about the reply")
        else:
            new.append(_tidy(block.text))
    return tuple(reworked), "\n\n".join(part for part in new if part), tuple(repairs)


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    """``NEW``, ``REWORKED``, or empty for text between blocks."""
    text: str
    original: str = ""
    closed: bool = True


def _cut(body: str) -> Iterator[_Block]:
    """The blocks of ``body`` in order; one that is not closed ends where the next begins."""
    position = 0
    while opening := _find(body, position, {"NEW:START", "REWORKED:START"}):
        if body[position : opening.start()].strip():
            yield _Block("", body[position : opening.start()])
        if _name(opening) == "NEW:START":
            block, position = _new_block(body, opening.end())
        else:
            block, position = _reworked(body, opening.end())
        yield block
    if body[position:].strip():
        yield _Block("", body[position:])


def _new_block(body: str, start: int) -> tuple[_Block, int]:
    end = _find(body, start, {"NEW:END", "NEW:START", "REWORKED:START"})
    if end is None:
        return _Block("NEW", body[start:], closed=False), len(body)
    closed = _name(end) == "NEW:END"
    return _Block("NEW", body[start : end.start()], closed=closed), end.end() if closed else end.start()


def _reworked(body: str, start: int) -> tuple[_Block, int]:
    stop = _find(body, start, {"ORIGINAL:START", "REWORKED:END", "NEW:START", "REWORKED:START"})
    if stop is None:
        return _Block("REWORKED", body[start:], closed=False), len(body)
    text = body[start : stop.start()]
    if _name(stop) == "REWORKED:END":
        return _Block("REWORKED", text), stop.end()
    if _name(stop) != "ORIGINAL:START":
        return _Block("REWORKED", text, closed=False), stop.start()
    original, position, ended = _original(body, stop.end())
    end = _find(body, position, {"REWORKED:END", "NEW:START", "REWORKED:START"})
    if end is None or _name(end) != "REWORKED:END":
        return _Block("REWORKED", text, original, closed=False), position
    behind = body[position : end.start()]
    return _Block("REWORKED", f"{text}\n{behind}", original, closed=ended), end.end()


def _original(body: str, start: int) -> tuple[str, int, bool]:
    """The old text, the position behind it, and whether it was closed. Markers inside were copied."""
    end = _find(body, start, {"ORIGINAL:END", "ORIGINAL:START"})
    if end and _name(end) == "ORIGINAL:END":
        return body[start : end.start()], end.end(), True
    end = _find(body, start, {"REWORKED:END", "NEW:START", "REWORKED:START"})
    if end is None:
        raise ModelMistake(
            "unterminated-original",
            "An INK:ORIGINAL block was never closed, so old and new text cannot be told apart. "
            "Send the whole reply again with INK:ORIGINAL:END and INK:REWORKED:END in place.",
        )
    return body[start : end.start()], end.start(), False


def _find(body: str, start: int, names: set[str]) -> re.Match[str] | None:
    return next((marker for marker in _MARKER.finditer(body, start) if _name(marker) in names), None)


def _name(marker: re.Match[str]) -> str:
    return f"{marker.group(1)}:{marker.group(2)}".upper()


def _passage(
    block: _Block, instructions: Sequence[Instruction], position: int, repairs: list[str]
) -> list[ReworkedPassage]:
    """The passage of one block; what the block does not say is taken from the author's instruction."""
    annotation = _ANNOTATION.search(block.text)
    literal = annotation.group(1).strip() if annotation else ""
    asked = _asked(literal, instructions, position)
    text = _tidy(block.text)
    original = _tidy(block.original)
    if asked and not literal:
        repairs.append("named the instruction of a rework")
        literal = asked.instruction
    if asked and not original:
        repairs.append("took the original of a rework from its instruction")
        original = (asked.passage or asked.anchor).strip()
    if not text or not original:
        repairs.append("left out a rework without text or original")
        return []
    return [ReworkedPassage(" ".join(literal.split()), text, original)]


def _asked(literal: str, instructions: Sequence[Instruction], position: int) -> Instruction | None:
    """The instruction a rework answers: by its words, or by its place when it names none."""
    wanted = literal.casefold().split()
    for instruction in instructions:
        if wanted and instruction.instruction.casefold().split() == wanted:
            return instruction
    return instructions[position] if not wanted and position < len(instructions) else None


def _tidy(text: str) -> str:
    """Without stray markers and annotations, blanks at line ends, outer blank lines and runs of them."""
    lines = (line.rstrip() for line in _ANNOTATION.sub("", _MARKER.sub("", text)).split("\n"))
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
        # A summary is one paragraph, and may not smuggle a comment into the book's summary file.
        " ".join(_COMMENT.sub(" ", fields.get("summary", "")).replace("**", "").split()),
        _is_yes(fields.get("arcs closed", fields.get("arc closed", ""))),
        _is_yes(fields.get("next chapter", fields.get("wants next chapter", ""))),
    )


def _is_yes(answer: str) -> bool:
    words = re.findall(r"\w+", answer.casefold())
    return bool(words) and words[0] in _YES


def _summary_of(reworked: Sequence[ReworkedPassage], new_prose: str) -> str:
    """The first sentences of the new prose, or what was reworked."""
    visible = " ".join(line for line in _COMMENT.sub("", new_prose).splitlines() if not line.startswith("#"))
    taken: list[str] = []
    for sentence in _SENTENCE_END.split(visible.strip()):
        if taken and len(" ".join([*taken, sentence]).split()) > SUMMARY_WORDS // 2:
            break
        taken.append(sentence)
    words = " ".join(taken).split()
    if words:
        return " ".join(words[:SUMMARY_WORDS])
    return "Reworked on the author's instructions: " + "; ".join(p.instruction for p in reworked) + "."
