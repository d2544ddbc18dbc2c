"""What edits by the writer or an editor make of spoilt sessions; the models are scripted, good and bad."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product
from random import Random
from typing import Literal

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from schemas.book import ConfigPayload, SessionPayload
from schemas.outside_session import SessionProse
from schemas.prose import Finding
from tests.support.books.payloads import session_payload
from tests.support.books.writers import WritersDesk, writers_desk
from tests.support.prose.measuring import EACH, STORY, sessions
from tests.support.prose.mutations import MUTATIONS, Session

Who = Literal["mend", "edit"]
"""Whose edits are measured: the writer's, or an editor's after a writer that mends nothing."""
_FAMILIES = ("repeat", "loop", "copy, 0 % changed", "copy, 10 % changed", "name slip", "talk about the task")
"""Faults that edits of passages can mend."""
_NOTHING = "status: satisfied"
_REPORT = "\n\n=== REPORT ===\nsummary: They go on.\ninstructions answered: 0\narcs closed: no\n=== END ===\n"


@dataclass(frozen=True, slots=True)
class Mended:
    """Sums over all spoilt sessions."""

    sessions: int = 0
    found: int = 0
    """Findings in the drafts."""
    left: int = 0
    """Findings in what was kept."""
    better: int = 0
    worse: int = 0
    """Sessions of which less, and more, was found in what was kept."""
    most_calls: int = 0
    """Of one session."""


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A session before and after it was spoilt, and the paragraphs of the story before and after it."""

    good: str
    draft: str
    before: tuple[str, ...]
    after: tuple[str, ...]


Model = Callable[[Random, Spoilt], str]
"""Answers a request for edits."""


async def measure_mends(who: Who, model: Model, *, each: int = EACH) -> Mended:
    """Have as many spoilt sessions of our own text written, and mended by the model."""
    sums = Mended()
    for seed in range(each):
        spoilt = _spoilt(Random(f"mend/{seed}"))
        wanted = count_words(spoilt.good if model is _deleting else spoilt.draft)
        before = (await _written(spoilt, "check", _NOTHING, wanted))[1].craft.findings
        desk, kept = await _written(spoilt, who, model(Random(seed), spoilt), wanted)
        sums = _added(sums, before, kept.craft.findings, len(desk.turns))
    return sums


def _added(sums: Mended, before: tuple[Finding, ...], left: tuple[Finding, ...], calls: int) -> Mended:
    return Mended(
        sums.sessions + 1,
        sums.found + len(before),
        sums.left + len(left),
        sums.better + (len(left) < len(before)),
        sums.worse + (len(left) > len(before)),
        max(sums.most_calls, calls),
    )


def _spoilt(chance: Random) -> Spoilt:
    """A session of the last half with one or two faults."""
    written = tuple(sessions(STORY.read_text("utf-8"), 600, "English"))
    while True:
        at = chance.randrange(len(written) // 2, len(written) - 1)
        session, draft = written[at], written[at].prose
        for name in chance.sample(_FAMILIES, chance.choice((1, 2))):
            made = MUTATIONS[name](chance, Session(draft, session.before, session.index))
            draft = made.draft.prose if made else draft
        if draft != session.prose:
            return Spoilt(session.prose, draft, session.before, paragraphs(written[at + 1].prose))


async def _written(spoilt: Spoilt, craft: str, edits: str, wanted: int) -> tuple[WritersDesk, SessionProse]:
    """The session as it is kept."""
    block = f"<!-- INK:NEW:START -->\n{spoilt.draft}\n<!-- INK:NEW:END -->"
    mend = ScriptedAnswer(call=2, text=edits if craft == "mend" else _NOTHING)
    answers = (ScriptedAnswer(op="*/editor#*", text=edits), mend, ScriptedAnswer(text=block + _REPORT))
    desk = writers_desk(*answers, book="\n\n".join(spoilt.before))
    prose = await desk.write(_payload(wanted, craft))
    assert isinstance(prose, SessionProse), prose
    return desk, prose


def _payload(words: int, craft: str) -> SessionPayload:
    made = session_payload(words=words, global_material=())
    config = ConfigPayload.model_validate({**made.config.model_dump(), "craft": craft})
    return made.model_copy(update={"config": config})


def _perfect(chance: Random, spoilt: Spoilt) -> str:
    """Edits that put good prose in the place of each fault, about as long as it."""
    return _edits(spoilt, spoilt.after)


def _deleting(chance: Random, spoilt: Spoilt) -> str:
    """The same with nothing in the place of what should not be there; as many words are wanted as the good
    session has."""
    return _edits(spoilt, ())


def _edits(spoilt: Spoilt, fill: Sequence[str]) -> str:
    """The good session in edits; a paragraph on either side finds the place of each."""
    had, good, spare = paragraphs(spoilt.draft), paragraphs(spoilt.good), [*fill]
    made = []
    for kind, start, end, first, last in SequenceMatcher(None, had, good, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        before, after = int(start > 0), int(end < len(had))
        find, new = had[start - before : end + after], [*good[first - before : last + after]]
        while spare and sum(map(count_words, find)) - sum(map(count_words, new)) > 40:
            new.insert(before, spare.pop(0))
        made.append(_edit("\n\n".join(find), "\n\n".join(new)))
    return "\n".join(made)


def _useless(chance: Random, spoilt: Spoilt) -> str:
    """No edits, edits of nothing that stands there, a whole rewrite, or words."""
    return chance.choice(
        (
            _NOTHING,
            "I have looked it over and would not change a word.",
            _edit("nothing that stands there", "anything"),
            _edit("", "anything").removesuffix("@@@ end\n"),
            f"<!-- INK:NEW:START -->\n{spoilt.good}\n<!-- INK:NEW:END -->",
        )
    )


def _worsening(chance: Random, spoilt: Spoilt) -> str:
    """A passage of the book again, a paragraph said twice, or half of the draft taken out."""
    parts = [*paragraphs(spoilt.draft)]
    long = [each for each in parts if parts.count(each) == 1 and count_words(each) >= 25]
    one = chance.choice(long)
    old = max(chance.sample(spoilt.before, 8), key=count_words)
    half = "\n\n".join(parts[len(parts) // 2 :])
    again = chance.choice((old, one))
    return chance.choice((_edit(one, f"{one}\n\n{again}"), _edit(half, "So it went.")))


def _edit(find: str, new: str) -> str:
    return f"@@@ replace\nreason: repeated\n@@@ find\n{find}\n@@@ with\n{new}\n@@@ end\n"


MODELS: Mapping[str, Model] = {
    "perfect": _perfect,
    "deleting": _deleting,
    "useless": _useless,
    "worsening": _worsening,
}


async def mends_table() -> str:
    """The figures of all models, for people."""
    lines = []
    whose: tuple[Who, ...] = ("mend", "edit")
    for who, (name, model) in product(whose, MODELS.items()):
        sums = await measure_mends(who, model)
        lines.append(
            f"{who}, {name}: {sums.found} findings in {sums.sessions} drafts, {sums.left} kept; "
            f"{sums.better} better, {sums.worse} worse; at most {sums.most_calls} calls"
        )
    return "\n".join(lines)
