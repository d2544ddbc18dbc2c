"""Make the writer's prompt parameters from a session payload."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penwright.agents.prompt import rendering
from penwright.agents.prompt.parameters import bind
from penwright.agents.state import empty_state
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, SUMMARY
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.models.token_estimate import estimate_messages, estimate_tokens
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from penwright.domain.trace.layout import LESSONS
from penwright.errors import BrokenBook
from penwright.roles.book_text import BookText
from penwright.roles.ink_writer.answer import SessionTask
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.ink_writer.intent_lines import intent_lines
from penwright.roles.ink_writer.tools import RESULT_TOKENS, TOOL_CALLS
from penwright.roles.prompt_file import PromptFile
from schemas.base import BlobRef
from schemas.book import Instruction, SessionPayload, Voice

_HERE = "penwright.roles.ink_writer"
_SESSION = PromptFile.load(
    _HERE,
    "session.md",
    *("material", "tag", "language", "words_wanted", "instructions", "chapter", "chapters", "intent"),
    *("chapter_words", "chapter_target", "chapter_left", "total_words", "target_words", "human_edits"),
    "beats_told",
)

_SUMMARY = SUMMARY.rpartition("/")[2]
_NOTHING_DONE = empty_state(INK_WRITER.registry)
_TOKENS_PER_WORD = 2
"""Generous, so that a language with long words is not cut off."""
_REPORT_TOKENS = 1_500
"""The plan and the report."""
_SPARE_TOKENS = 500
"""Left free in the context window: our estimate is an estimate."""
_LOOKING_TOKENS = TOOL_CALLS * (RESULT_TOKENS + 100) + 1_500
"""Tokens reserved for tool calls, their results and their offers."""
_WINDOW_TO_LOOK = 3 * _LOOKING_TOKENS
"""In a smaller window the material matters more."""
_SMALLEST_PIECE = 60
"""Tokens; a text truncated below this is left out."""
_STYLE = ("Soul.md", "Craft.md", LESSONS)
"""Texts in which the author says how the book is to be written."""
_GROWING = ("prose", "voice")
# What gives way last when the material does not fit, first name first.
_IMPORTANCE = ("Soul.md", "Outline.md", "Characters.md", "Summary.md", "Craft.md", LESSONS, "Lore.md")
# What changes least stands first, so that vendors can cache the prompt up to there; others stand behind it.
_STABLE = (*_STYLE, "Characters.md", "Lore.md", "Outline.md")


@dataclass(frozen=True, slots=True)
class SessionPrompt:
    """The writer's prompt, and the most it may answer."""

    system: str
    """Rendered from the agent's definition; for display only, the run renders it itself."""
    task: SessionTask
    text: str
    """The user's message."""
    max_output_tokens: int
    left_out: tuple[str, ...] = ()
    """Texts of the author's for which there was no room, or not for all of them."""


def words_wanted(payload: SessionPayload) -> int:
    """New words of this session; 0 when it only reworks."""
    if payload.session_type == "rewrite":
        return 0
    return payload.words_wanted or payload.config.words_per_session


def render(
    payload: SessionPayload, kept: BlobRef | None = None, index: BlobRef | None = None
) -> SessionPrompt:
    """The prompt of a session; the same payload gives the same prompt, byte for byte.

    Args:
        kept: where the payload is stored.
        index: see ``SessionTask.index``.

    Raises:
        BrokenBook: ``context-too-small`` when not even the instructions fit into ``context_window_tokens``.
    """
    window = payload.config.context_window_tokens
    task = SessionTask(
        language=_line(payload.config.language),
        words_wanted=words_wanted(payload),
        may_look=window >= _WINDOW_TO_LOOK,
        payload=kept,
        index=index,
    )
    system = rendering.render(INK_WRITER, bind(INK_WRITER, [task]), _NOTHING_DONE).text
    answer = _answer_tokens(payload)
    frame = estimate_messages((system, _order(payload, "")))
    room = window - answer - frame - _SPARE_TOKENS - (_LOOKING_TOKENS if task.may_look else 0)
    fitted = _fitted(payload, room)
    material = "\n\n".join(piece.fenced for piece in fitted)
    return SessionPrompt(system, task, _order(payload, material), answer, _left_out(payload, fitted))


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
        chapter_target=str(_chapter_target(payload)),
        chapter_left=_chapter_left(payload),
        total_words=str(payload.word_count.total + payload.word_count.waiting),
        target_words=str(payload.word_count.target or config.target_length),
        human_edits=", ".join(map(_line, payload.human_edits)) or "none",
        beats_told="; ".join(map(_line, payload.beats_told)) or "none",
        intent="\n".join(intent_lines(payload.intent)),
    )


def _chapter_target(payload: SessionPayload) -> int:
    """The length of the chapter; the last one takes what that of the book leaves."""
    if _in_last_chapter(payload):
        return payload.current_chapter_word_count + payload.chapter_words_left
    return payload.config.words_per_chapter


def _chapter_left(payload: SessionPayload) -> str:
    if not payload.last_session_of_chapter:
        return str(payload.chapter_words_left)
    ends = "the book" if _in_last_chapter(payload) else "this chapter"
    return f"{payload.chapter_words_left}; last session of {ends}: bring it to its end"


def _in_last_chapter(payload: SessionPayload) -> bool:
    return payload.config.current_chapter >= payload.config.chapter_count


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


def _left_out(payload: SessionPayload, fitted: Sequence[BookText]) -> tuple[str, ...]:
    """The names of cut texts; the book's prose and summary, of which there is ever more, do not count."""
    whole = {(each.kind, each.name): each.text for _, each in _material(payload)}
    shown = {(each.kind, each.name): each.text for each in fitted}
    return tuple(
        name
        for (kind, name), text in whole.items()
        if kind not in _GROWING and name != _SUMMARY and shown.get((kind, name)) != text
    )


def _material(payload: SessionPayload) -> list[tuple[int, BookText]]:
    """Everything but the instructions, what changes least first; nothing of a template is left unfilled."""
    texts = {each.filename: each.content for each in payload.global_material}
    summary = texts.pop(_SUMMARY, "")
    texts[LESSONS] = payload.author_rules
    pieces = [
        BookText("style" if name in _STYLE else "material", name, filled_in(texts[name]))
        for name in sorted(texts, key=_stability)
    ]
    chapters = payload.chapters
    pieces += [
        BookText(kind, outline.path, filled_in(outline.content))
        for kind, outline in (("current-outline", chapters.current), ("next-outline", chapters.next))
        if outline is not None
    ]
    pieces.insert(len(texts), BookText("voice", FULL_BOOK, _voice(payload.voice)))
    pieces += [BookText("material", _SUMMARY, summary)]
    pieces += [BookText("prose", REVIEW, payload.current_review.content)]
    return [(place, piece) for place, piece in enumerate(pieces) if piece.text.strip()]


def _voice(voice: Voice | None) -> str:
    """The numbers of the approved prose, as far as there are any, and the sample."""
    if voice is None:
        return ""
    told = [
        f"sentences: half up to {voice.sentence_words} words, one in ten {voice.long_sentence_words} or more",
        f"dialogue: {voice.dialogue_percent} % of the text",
        *([f"person: {voice.person}"] if voice.person else []),
        *([f"tense: {voice.tense}"] if voice.tense else []),
    ]
    return "\n".join([*told, "", voice.sample])


def _stability(filename: str) -> tuple[int, str]:
    return (_STABLE.index(filename) if filename in _STABLE else len(_STABLE)), filename


def _rank(piece: BookText) -> tuple[int, int]:
    """Lower is kept longer."""
    if piece.kind == "current-outline":
        return 0, 0
    if piece.kind == "prose":
        return 1, 0
    if piece.kind == "voice":
        return 2, len(_IMPORTANCE)
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
