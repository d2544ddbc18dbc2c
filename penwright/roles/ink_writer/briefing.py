"""Make the writer's prompt parameters from a session payload."""

from collections.abc import Sequence
from dataclasses import dataclass

from penwright.agents.prompt import rendering
from penwright.agents.prompt.parameters import bind
from penwright.agents.state import empty_state
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, SUMMARY
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.trace.layout import LESSONS
from penwright.roles.book_text import BookText, language_line
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
    *("beats_told", "beats_open"),
)

_SUMMARY = SUMMARY.rpartition("/")[2]
_NOTHING_DONE = empty_state(INK_WRITER.registry)
_TOKENS_PER_WORD = 2
"""Generous, so that a language with long words is not cut off."""
_REPORT_TOKENS = 1_500
"""The plan and the report."""
_WINDOW_TO_LOOK = 3 * TOOL_CALLS * RESULT_TOKENS
"""In a smaller window the material matters more."""
_STYLE = ("Soul.md", "Craft.md", LESSONS)
"""Texts in which the author says how the book is to be written."""
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
    """
    task = SessionTask(
        language=_line(payload.config.language),
        words_wanted=words_wanted(payload),
        may_look=payload.config.context_window_tokens >= _WINDOW_TO_LOOK,
        payload=kept,
        index=index,
    )
    system = rendering.render(INK_WRITER, bind(INK_WRITER, [task]), _NOTHING_DONE).text
    instructions = payload.current_review.instructions
    reworked = sum(estimate_tokens(each.passage or each.anchor) for each in instructions)
    material = "\n\n".join(piece.fenced for piece in _material(payload))
    answer = answer_tokens(words_wanted(payload), reworked)
    return SessionPrompt(system, task, _order(payload, material), answer)


def answer_tokens(words: int, reworked: int = 0) -> int:
    """Room for the new words, for ``reworked`` tokens with their originals, and for the report."""
    return int(words * _TOKENS_PER_WORD * 1.2) + reworked * 3 + _REPORT_TOKENS


def _order(payload: SessionPayload, material: str) -> str:
    config = payload.config
    wanted = words_wanted(payload)
    return _SESSION.fill(
        material=material,
        tag=_line(payload.snapshot_tag) or "no tag",
        language=language_line(config.language),
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
        beats_told=_listed(payload.beats_told),
        beats_open=_listed(payload.beats_open),
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


def _material(payload: SessionPayload) -> tuple[BookText, ...]:
    """All texts, what changes least first and instructions last; nothing of a template is left unfilled."""
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
    if payload.lore is not None:
        pieces += [BookText("lore", "lorebooks", payload.lore.text)]
    if payload.continuity is not None:
        pieces += [BookText("continuity", FULL_BOOK, payload.continuity.text)]
    pieces += [BookText("earlier-prose", FULL_BOOK, payload.earlier_prose)]
    path = FULL_BOOK if payload.rewrite_chapter else REVIEW
    pieces += [BookText("prose", path, payload.current_review.content)]
    instructions = [_instruction(at, each) for at, each in enumerate(payload.current_review.instructions, 1)]
    return (*(piece for piece in pieces if piece.text.strip()), *instructions)


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


def _instruction(number: int, instruction: Instruction) -> BookText:
    passage = (instruction.passage or instruction.anchor).strip()
    wish = f"instruction: {_line(instruction.instruction)}\npassage: {passage}"
    return BookText("instruction", str(number), wish)


def _listed(beats: Sequence[str]) -> str:
    """One under the other, behind a colon; `` none`` without any."""
    return "".join(f"\n  - {_line(each)}" for each in beats) or " none"


def _line(text: str) -> str:
    """``text`` on one line: nothing of the author's may start a line of our own."""
    return " ".join(text.split())
