"""Turns a session payload into what the writer is told."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penwright.domain.paragraphs import paragraphs
from penwright.domain.token_estimate import estimate_messages, estimate_tokens
from penwright.domain.words import count_words
from penwright.errors import BrokenBook
from penwright.roles.book_text import BookText
from penwright.roles.prompt_file import PromptFile
from schemas.book import Instruction, SessionPayload
from schemas.model import Message

ROLE = "writer"

_HERE = "penwright.roles.ink_writer"
_SYSTEM = PromptFile.load(_HERE, "system.md", "language")
_SESSION = PromptFile.load(
    _HERE,
    "session.md",
    *("material", "tag", "language", "words_wanted", "instructions", "chapter", "chapters", "intent"),
    *("chapter_words", "chapter_target", "total_words", "target_words", "human_edits", "task"),
)
_INTENT = PromptFile.load(_HERE, "intent.md", "intent")
_WRITE = PromptFile.load(_HERE, "write.md", "words_wanted")
_REWORK_ONLY = PromptFile.load(_HERE, "rework_only.md")
_GO_ON = PromptFile.load(_HERE, "go_on.md", "written", "words_wanted", "missing")
_AGAIN = PromptFile.load(_HERE, "again.md", "problem")

_TOKENS_PER_WORD = 2
"""Generous, so that a language with long words is not cut off."""
_REPORT_TOKENS = 1_000
_SPARE_TOKENS = 500
"""Left free in the context window: our estimate is an estimate."""
_SMALLEST_PIECE = 60
"""Tokens; a piece cut shorter than this says nothing."""
# What gives way last when the material does not fit, first name first.
_IMPORTANCE = ("Soul.md", "Outline.md", "Characters.md", "Summary.md", "Lore.md")


@dataclass(frozen=True, slots=True)
class SessionPrompt:
    """What the writer is told, and how much it may answer."""

    messages: tuple[Message, ...]
    max_output_tokens: int
    digest: str
    """SHA-256 over every message, for logs and bundles."""


def words_wanted(payload: SessionPayload) -> int:
    """New words of this session; 0 when it only reworks."""
    return 0 if payload.session_type == "rewrite" else payload.config.words_per_session


def render(payload: SessionPayload) -> SessionPrompt:
    """The prompt of a session; the same payload gives the same prompt, byte for byte.

    Raises:
        BrokenBook: ``context-too-small`` when not even the instructions fit into ``context_window_tokens``.
    """
    answer = _answer_tokens(payload)
    system = _SYSTEM.fill(language=_line(payload.config.language))
    frame = estimate_messages((system, _order(payload, "")))
    room = payload.config.context_window_tokens - answer - frame - _SPARE_TOKENS
    material = "\n\n".join(piece.fenced for piece in _fitted(payload, room))
    messages = (
        Message(role="system", content=system),
        Message(role="user", content=_order(payload, material)),
    )
    return SessionPrompt(messages, answer, _digest(messages))


def go_on(prompt: SessionPrompt, said: str, *, written: int, wanted: int) -> SessionPrompt:
    """The prompt for the one continuation of a session that came out short."""
    ask = _GO_ON.fill(written=str(written), words_wanted=str(wanted), missing=str(wanted - written))
    return _following(prompt, said, ask)


def ask_again(prompt: SessionPrompt, said: str, problem: str) -> SessionPrompt:
    """The prompt for the one repetition of a reply that could not be used."""
    return _following(prompt, said, _AGAIN.fill(problem=problem))


def _following(prompt: SessionPrompt, said: str, ask: str) -> SessionPrompt:
    answered = (Message(role="assistant", content=said),) if said.strip() else ()
    messages = (*prompt.messages, *answered, Message(role="user", content=ask))
    return SessionPrompt(messages, prompt.max_output_tokens, _digest(messages))


def _answer_tokens(payload: SessionPayload) -> int:
    """Room for the new words, for each reworked passage and its original, and for the report."""
    reworked = sum(
        estimate_tokens(each.passage or each.anchor) * 3 for each in payload.current_review.instructions
    )
    return int(words_wanted(payload) * _TOKENS_PER_WORD * 1.2) + reworked + _REPORT_TOKENS


def _order(payload: SessionPayload, material: str) -> str:
    config = payload.config
    wanted = words_wanted(payload)
    return _SESSION.fill(
        material=material,
        tag=_line(payload.snapshot_tag) or "no tag",
        language=_line(config.language),
        words_wanted=str(wanted),
        instructions=str(len(payload.current_review.instructions)),
        chapter=str(config.current_chapter),
        chapters=str(config.chapter_count),
        chapter_words=str(payload.current_chapter_word_count),
        chapter_target=str(config.words_per_chapter),
        total_words=str(payload.word_count.total),
        target_words=str(payload.word_count.target or config.target_length),
        human_edits=", ".join(map(_line, payload.human_edits)) or "none",
        intent=_INTENT.fill(intent=payload.intent) if payload.intent else "",
        task=_WRITE.fill(words_wanted=str(wanted)) if wanted else _REWORK_ONLY.fill(),
    )


def _fitted(payload: SessionPayload, room: int) -> tuple[BookText, ...]:
    """The material within ``room`` tokens: instructions always, the rest by importance."""
    instructions = [_instruction(at, each) for at, each in enumerate(payload.current_review.instructions, 1)]
    left = room - sum(_tokens(piece) for piece in instructions)
    if left < _SMALLEST_PIECE:
        raise BrokenBook(
            "context-too-small",
            f"The session needs more than the {payload.config.context_window_tokens} tokens that "
            "`context_window_tokens` in Config.yml allows. Raise it, lower `words_per_session`, or "
            "answer some instructions by hand.",
        )
    kept: dict[int, BookText] = {}
    pieces = _material(payload)
    for place, piece in sorted(pieces, key=lambda item: _rank(item[1])):
        fitting = piece if _tokens(piece) <= left else _cut(piece, left)
        if fitting is not None:
            kept[place] = fitting
            left -= _tokens(fitting)
    return (*(kept[place] for place, _ in pieces if place in kept), *instructions)


def _material(payload: SessionPayload) -> list[tuple[int, BookText]]:
    """Everything but the instructions, in reading order."""
    pieces = [BookText("material", each.filename, each.content) for each in payload.global_material]
    chapters = payload.chapters
    pieces += [
        BookText(kind, outline.path, outline.content)
        for kind, outline in (("current-outline", chapters.current), ("next-outline", chapters.next))
        if outline is not None
    ]
    if payload.current_review.content.strip():
        pieces.append(BookText("prose", "Review/current.md", payload.current_review.content))
    return [(place, piece) for place, piece in enumerate(pieces) if piece.text.strip()]


def _rank(piece: BookText) -> tuple[int, int]:
    """Lower is kept longer."""
    if piece.kind == "current-outline":
        return 0, 0
    if piece.kind == "prose":
        return 1, 0
    if piece.name in _IMPORTANCE:
        return 2, _IMPORTANCE.index(piece.name)
    return 3, 0


def _instruction(number: int, instruction: Instruction) -> BookText:
    passage = (instruction.passage or instruction.anchor).strip()
    wish = f"instruction: {_line(instruction.instruction)}\npassage: {passage}"
    return BookText("instruction", str(number), wish)


def _cut(piece: BookText, room: int) -> BookText | None:
    """As many whole paragraphs as fit: of prose the last, of everything else the first; None if none fits."""
    if room < _SMALLEST_PIECE:
        return None
    note = f"[{count_words(piece.text)} words in all; cut to fit]"
    available = room - _tokens(BookText(piece.kind, piece.name, note + "\n\n"))
    from_end = piece.kind == "prose"
    whole = paragraphs(piece.text)
    taken = _taken(reversed(whole) if from_end else whole, available)
    if not taken:
        return None
    text = "\n\n".join([note, *reversed(taken)] if from_end else [*taken, note])
    return BookText(piece.kind, piece.name, text)


def _taken(whole: Iterable[str], available: int) -> Sequence[str]:
    taken: list[str] = []
    for paragraph in whole:
        available -= estimate_tokens(paragraph) + 2
        if available < 0:
            break
        taken.append(paragraph)
    return taken


def _tokens(piece: BookText) -> int:
    return estimate_tokens(piece.fenced) + 2


def _line(text: str) -> str:
    """``text`` on one line: nothing of the author's may start a line of our own."""
    return " ".join(text.split())


def _digest(messages: Sequence[Message]) -> str:
    digest = hashlib.sha256()
    for message in messages:
        digest.update(f"{message.role}\0{message.content}\0".encode())
    return digest.hexdigest()
