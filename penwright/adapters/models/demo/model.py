"""The demo model: needs no key, costs nothing, and computes its answer from the request.

It parses the book from the prompt and fills a grammar with its people, places and outline. The same request
gives the same answer, byte for byte. It writes books in English, Chinese and Japanese, in other languages
English all the same, and every answer is labelled as demo.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence

from penwright.adapters.models.demo.cast import Cast, read_cast
from penwright.adapters.models.demo.characters import TONGUES, CharacterProse
from penwright.adapters.models.demo.clerk import clerk_answer
from penwright.adapters.models.demo.manuscript import manuscript_answer
from penwright.adapters.models.demo.prose import DemoProse
from penwright.adapters.models.demo.rework import rework
from penwright.adapters.models.demo.scene import scene_answer
from penwright.adapters.models.demo.task import LABEL
from penwright.adapters.models.demo.values import DemoValues
from penwright.adapters.models.pieces import speak
from penwright.adapters.models.provider import Hear, checked_answer
from penwright.agents.definition.output import FINAL_ANSWER
from penwright.domain.book.review.session_reply import ReworkedPassage, SessionReply
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.models.token_estimate import estimate_answer, estimate_request
from penwright.domain.text.languages import language_tag
from penwright.domain.text.words import count_words, without_comments
from penwright.roles.book_text import TAG, BookText, read_book_texts
from schemas.agent import ToolCall
from schemas.model import ForcedTool, ModelRequest, ModelResponse, Usage

Prose = DemoProse | CharacterProse
"""Both write sentences and passages."""

_LANGUAGE = re.compile(r"^- language: ([^;\n]+)", re.MULTILINE)
_WANTED = re.compile(r"^- new words wanted: (\d+)$", re.MULTILINE)
_CHAPTER = re.compile(r"^- chapter: (\d+) of \d+, (\d+) of (\d+) words written$", re.MULTILINE)
_BOOK = re.compile(r"^- book: (\d+) of (\d+) words written$", re.MULTILINE)
_GO_ON = re.compile(
    r"^The new prose has \d+ of the \d+ words wanted\..* with (\d+) more words\.", re.MULTILINE
)
_PLANNED = re.compile(
    r"^Plan chapter (\d+) of \d+:$.*?^- beats wanted: about (\d+)$", re.MULTILINE | re.DOTALL
)
_BOOK_PLANNED = re.compile(r"^Plan the book:$.*?^- chapters: (\d+)", re.MULTILINE | re.DOTALL)
_MEND = re.compile(r"^The new prose was read for faults before it is kept\.", re.MULTILINE)
_FOUND = re.compile(r"^\d+\. [^“\n]*“(.+?)”(?: \(.*\))?$", re.MULTILINE)
_SENTENCES = re.compile(r".*(?<! )(?:[.!?…][”’]?(?= |$)|[。！？][”」]?)")
_INSTRUCTION = re.compile(r"\Ainstruction: (.*?)\npassage: (.*)\Z", re.DOTALL)
_PLAIN_WORDS = 180
_READY_SHARE = 0.9
"""From this share of its target on, a book's story counts as finished."""


class DemoProvider:
    """The model called ``demo``."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Same as ``ask``: the demo model never refuses, and its answer is never empty."""
        return checked_answer(request, await self.ask(request))

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        """Compute an answer from ``request`` only; it is heard sentence by sentence, without a wait."""
        calls = await asyncio.to_thread(demanded_calls, request)
        text = "" if calls else await asyncio.to_thread(answer, request)
        await speak(text, hear)
        return ModelResponse(
            text=text,
            model="demo",
            provider="demo",
            finish_reason="tool" if calls else "stop",
            usage=Usage(
                input_tokens=estimate_request(request),
                output_tokens=estimate_answer(text, calls),
                cost_micros=0,
            ),
            tool_calls=calls,
            rung=request.output_rung if request.output_schema is not None else "text",
            demo=True,
        )


def demanded_calls(request: ModelRequest) -> tuple[ToolCall, ...]:
    """Return a call of the tool that takes the answer, or of the one that must be called; else none.

    If any tool must be called, it is the last one offered: by convention, the one that ends the work.
    """
    offers = {offer.name: offer for offer in request.tools}
    match request.tool_choice:
        case ForcedTool(name=name):
            wanted = offers.get(name)
        case "required":
            wanted = next(reversed(request.tools), None)
        case "auto":
            wanted = offers.get(FINAL_ANSWER)
        case "none":
            wanted = None
    if wanted is None:
        return ()
    arguments = answer(request.model_copy(update={"output_schema": wanted.parameters}))
    return (ToolCall(id="call_demo", name=wanted.name, arguments=arguments),)


def answer(request: ModelRequest) -> str:
    """Return the reply of a manuscript agent, a scene's role or a session, JSON for a schema, else prose."""
    for known in (manuscript_answer, scene_answer):
        if (said := known(request.messages, _seed(request))) is not None:
            return said
    prompt = "\n\n".join(message.content for message in request.messages)
    texts = read_book_texts(prompt) or (BookText("text", "", prompt),)
    if (said := clerk_answer(texts)) is not None:
        return said
    cast = read_cast(texts)
    if request.output_schema is not None:
        values = DemoValues(request.output_schema, DemoProse(cast, _seed(request)))
        return json.dumps(values.value(), ensure_ascii=False)
    prose = _prose(_language(prompt), texts, cast, _seed(request))
    order = _order(request)
    if going_on := _GO_ON.search(request.messages[-1].content):
        earlier = next((m.content for m in reversed(request.messages) if m.role == "assistant"), "")
        return _reply(
            (), prose.passage(int(going_on.group(1)), after=_last_paragraph(earlier)), "", closed=False
        )
    if planned := _PLANNED.search(request.messages[-1].content):
        return _outline(prose, cast, *map(int, planned.groups()))
    if planned := _BOOK_PLANNED.search(request.messages[-1].content):
        return _book_outline(prose, int(planned[1]))
    if draft := next((each.text for each in texts if each.kind == "draft"), ""):
        return _edits(_SENTENCES.findall(draft)[:1], prose, reason="reason: flat\n")
    if _MEND.search(request.messages[-1].content):
        return _edits(_FOUND.findall(request.messages[-1].content), prose)
    if wanted := _WANTED.search(order):
        return _session(texts, cast, prose, order=order, wanted=int(wanted.group(1)))
    return prose.passage(min(_PLAIN_WORDS, max(1, request.max_output_tokens // 3)))


def _prose(language: str, texts: Sequence[BookText], cast: Cast, seed: int) -> Prose:
    tongue = TONGUES.get(language)
    return CharacterProse(tongue, texts, seed) if tongue else DemoProse(cast, seed)


def _language(prompt: str) -> str:
    """The tag of the language that the book is written in; empty if the prompt names none."""
    found = _LANGUAGE.search(prompt)
    return language_tag(found[1]).partition("-")[0] if found else ""


def _order(request: ModelRequest) -> str:
    """Return the instructions in the message that asks for a session: they follow the last book text."""
    asked = (each.content.rpartition(f"</{TAG}>")[2] for each in request.messages if each.role == "user")
    return next((each for each in asked if _WANTED.search(each)), "")


def _session(texts: Sequence[BookText], cast: Cast, prose: Prose, *, order: str, wanted: int) -> str:
    waiting = "\n\n".join(text.text for text in texts if text.kind == "prose")
    reworked = [
        _reworked(found.group(1), found.group(2).strip(), cast, prose)
        for text in texts
        if text.kind == "instruction" and (found := _INSTRUCTION.match(text.text))
    ]
    total, target = _numbers(_BOOK, order, 2)
    reached = total + _waiting_words(waiting) + wanted
    closed = target > 0 and reached >= _READY_SHARE * target
    heading = _heading(texts, waiting, order) if wanted > 20 else ""
    words = wanted - count_words(heading)
    body = prose.passage(words, after=_last_paragraph(waiting), ending=closed)
    new = f"{heading}\n\n{body}" if heading else body
    return _reply(reworked, new, _summary(reworked, body, cast), closed=closed)


def _reworked(instruction: str, original: str, cast: Cast, prose: Prose) -> ReworkedPassage:
    if isinstance(prose, CharacterProse):
        return ReworkedPassage(instruction, prose.rework(original, instruction), original)
    mentioned = [person for person in cast.people if person.name in original]
    text = rework(original, instruction, prose=prose, hero=(mentioned or cast.people)[0])
    return ReworkedPassage(instruction, text, original)


def _reply(reworked: Sequence[ReworkedPassage], new: str, summary: str, *, closed: bool) -> str:
    blocks = SessionReply(tuple(reworked), new, summary).prose
    return (
        f"{blocks}\n=== REPORT ===\nsummary: {summary}\ninstructions answered: {len(reworked)}\n"
        f"arcs closed: {'yes' if closed else 'no'}\n=== END ===\n"
    )


def _outline(prose: Prose, cast: Cast, chapter: int, beats: int) -> str:
    """An outline of the book's own people, places and things."""
    told = "\n".join(f"{at}. {prose.sentence('action')}" for at in range(1, beats + 1))
    english = f"Chapter {chapter}: {cast.people[0].name} and {cast.things[0]}"
    title = prose.chapter(chapter) if isinstance(prose, CharacterProse) else english
    return (
        f"=== OUTLINE ===\n# {title}\n\n"
        f"## Goal\n\n{prose.sentence('action')} {LABEL}\n\n## Beats\n\n{told}\n\n"
        f"## Ends\n\n{prose.sentence('closing')}\n=== END ===\n"
    )


def _book_outline(prose: Prose, chapters: int) -> str:
    """An outline of a whole book, with a line for each chapter."""
    acts = "".join(f"## Act {each}\n\n{prose.sentence('action')}\n\n" for each in ("one", "two", "three"))
    lines = "\n".join(f"{at}. {prose.sentence('action')}" for at in range(1, chapters + 1))
    question = f"## Central question\n\n{prose.sentence('closing')} {LABEL}\n\n"
    return f"=== OUTLINE ===\n{question}{acts}## Chapters\n\n{lines}\n=== END ===\n"


def _edits(quotes: Sequence[str], prose: Prose, *, reason: str = "") -> str:
    """Other words in the place of each quote, up to its last whole sentence."""
    wholes = (found[0] for quote in dict.fromkeys(quotes) if (found := _SENTENCES.match(quote)))
    edits = (
        f"@@@ replace\n{reason}@@@ find\n{whole}\n@@@ with\n{prose.passage(count_words(whole))}\n@@@ end"
        for whole in wholes
    )
    return "\n\n".join(edits) or "status: satisfied"


def _summary(reworked: Sequence[ReworkedPassage], body: str, cast: Cast) -> str:
    people = [person.name for person in cast.people if person.name in body]
    aim = next(iter(re.findall(r"\*([^*\n]{8,200})\*", body)), "").rstrip(".")
    parts = []
    if reworked:
        asked = "; ".join(f"“{passage.instruction}”" for passage in reworked)
        parts.append(f"Reworked {len(reworked)} passage{'s' * (len(reworked) > 1)} as asked: {asked}.")
    if people:
        parts.append(
            f"{' and '.join(people[:2])} go on{' towards what the outline asks: ' + aim if aim else ''}."
        )
    return " ".join([*parts, "(Written by the demo model.)"])


def _heading(texts: Sequence[BookText], waiting: str, order: str) -> str:
    """Return the chapter's heading if the chapter begins with this session; else an empty text."""
    chapter, written, _ = _numbers(_CHAPTER, order, 3)
    if written:
        return ""
    outline = next((text.text for text in texts if text.kind == "current-outline"), "")
    titled = re.search(r"^#+\s+(\S.*)$", outline, re.MULTILINE)
    title = re.sub(r"\s*\boutline\b\s*", " ", titled.group(1), flags=re.IGNORECASE).strip() if titled else ""
    heading = f"## {title or f'Chapter {chapter}'}"
    return "" if heading in waiting else heading


def _last_paragraph(text: str) -> str:
    """Return the last visible paragraph."""
    visible = without_comments(read_waiting(text.split("=== REPORT ===")[0]).text)
    paragraphs = [paragraph for paragraph in visible.split("\n\n") if paragraph.strip()]
    return paragraphs[-1] if paragraphs else ""


def _waiting_words(waiting: str) -> int:
    return read_waiting(waiting).words


def _numbers(pattern: re.Pattern[str], order: str, count: int) -> tuple[int, ...]:
    found = pattern.search(order)
    return tuple(map(int, found.groups())) if found else (0,) * count


def _seed(request: ModelRequest) -> int:
    """Derive the random seed from the messages only; op ids and times do not change the answer."""
    messages = [{"role": each.role, "content": each.content} for each in request.messages]
    content = json.dumps(messages, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big")
