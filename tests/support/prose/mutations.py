"""Ways in which a model spoils a session, by name; a seeded generator applies them to good prose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from penwright.domain.prose.reading import Word, read, sentences
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from schemas.prose import BeatTold, BookIndex, Draft, Rule

TALK = (
    "Here's the continuation of your chapter, picking up right where the last session left off:",
    "Sure thing! Here is the next part of the story.",
    "Okay, I need to write about 300 words that continue the scene.",
    "The user wants a continuation of the chapter. I should keep the tone quiet.",
    "I'll continue the story from the point where it stopped, keeping the same narrator.",
    "Let me write the next passage in the same style.",
    "First, let me re-read the outline to see which beats are still open.",
    "(Word count: 312)",
    "**Total words: 298**",
    "Approximately 250 words.",
    "I hope you enjoy this chapter!",
    "I hope this captures the tone you were looking for in the story.",
    "Let me know if you would like me to adjust the pacing.",
    "Would you like me to continue with the next scene?",
    "Feel free to let me know what you would like changed.",
    "Please note that this passage follows the outline closely.",
    "This passage maintains the voice of the earlier chapters and advances the plot.",
    "In this session, I focused on the relationship between the two brothers.",
    "In this chapter, we see the protagonist come to terms with the loss.",
    "[End of chapter]",
    "--- End of session ---",
    "To be continued...",
    "As an AI language model, I cannot continue this scene.",
    "As requested, the scene ends with the arrival of the letter.",
    "Note: I have kept the instructions of the author in mind.",
    "Summary: the ferry is mended and the bees find a place.",
    "Your task is to write the next passage of the novel.",
    "We need to continue the story. The outline says that the bell is found.",
    "Now I will write the scene.",
    "Certainly! Below is the revised passage with your changes.",
    "Here is the revised version of the paragraph:",
    "Here are the next 300 words:",
    "Understood, I will follow the outline.",
    "Got it. Let me draft the scene.",
    "I have written the session according to your instructions.",
    "I've kept the prose in the past tense, as the style guide asks.",
    "The scene continues the outline's second beat and ends on a quiet note.",
    "Title: The Ferry",
    "Chapter 3 (continued)",
    "Thank you for sharing your story! I would be happy to continue it.",
)
"""Written as models write, without a look at the patterns that find them; two or three are hard."""
_LOOPS = (2, 3, 5)


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A draft with one fault, and where; an empty place is not compared."""

    draft: Draft
    rule: Rule
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One session of good prose, and the book before it."""

    prose: str
    before: tuple[str, ...]
    """Its paragraphs."""
    index: BookIndex

    @property
    def draft(self) -> Draft:
        """The session as its writer delivers it."""
        return Draft(prose=self.prose, language=self.index.language, words_wanted=count_words(self.prose))


Mutation = Callable[[Random, Session], Spoilt | None]
"""None: the session has nothing that could be spoilt so."""


def _cut(chance: Random, session: Session) -> Spoilt:
    """Cut in the middle of a sentence, in the last half."""
    prose = session.prose
    places = [
        at for at in range(len(prose) // 2, len(prose)) if prose[at - 1].isalpha() and prose[at].isalpha()
    ]
    draft = _with(session, prose[: chance.choice(places)])
    return Spoilt(draft, "cut-end", len(draft.prose) - 1, len(draft.prose))


def _repeat(chance: Random, session: Session) -> Spoilt:
    """Begin with three paragraphs of the book, word for word."""
    at = chance.choice([at for at in range(len(session.before) - 2) if _long(session.before[at])])
    old = "\n\n".join(session.before[at : at + 3])
    return Spoilt(_with(session, f"{old}\n\n{session.prose}"), "echo", 0, len(old))


def _loop(chance: Random, session: Session) -> Spoilt:
    """Say one paragraph, or the last sentence, again and again."""
    parts = paragraphs(session.prose)
    if chance.random() < 0.5:
        again = chance.choice([each for each in parts if _long(each)])
        at = parts.index(again) + 1
        said = "\n\n".join([*parts[:at], *[again] * (chance.choice(_LOOPS) - 1), *parts[at:]])
        start = len("\n\n".join(parts[:at])) + 2
        return Spoilt(_with(session, said), "loop", start, start + len(again))
    last = [words for each in read(session.prose) for words in sentences(each) if len(words) >= 4][-1]
    again = f" {session.prose[last[0].start : last[-1].end]}."
    start = len(session.prose)
    looped = session.prose + again * chance.randint(3, 8)
    return Spoilt(_with(session, looped), "loop", start, len(looped))


def _copy(share: float) -> Mutation:
    """Put a paragraph of the book into the session, with a share of its words changed."""

    def mutation(chance: Random, session: Session) -> Spoilt:
        words = chance.choice([each for each in session.before if _long(each)]).split(" ")
        others = " ".join(session.before).split()
        for at in chance.sample(range(len(words)), round(share * len(words))):
            words[at] = chance.choice(others)
        return _put_in(chance, session, " ".join(words), "echo")

    return mutation


def _name_slip(chance: Random, session: Session) -> Spoilt | None:
    """Change, leave out, double or swap a letter of a name of the book."""
    names = [
        word
        for each in read(session.prose)
        for word in each.words
        if session.index.names.get(word.written, 0) >= 5
        and word.folded not in session.index.vocabulary
        and len(word.written) >= 4
    ]
    if not names:
        return None
    word = chance.choice(names)
    wrong = chance.choice([each for each in _misspelt(chance, word) if each not in session.index.names])
    prose = session.prose[: word.start] + wrong + session.prose[word.end :]
    return Spoilt(_with(session, prose), "name-slip", word.start, word.start + len(wrong))


def _misspelt(chance: Random, word: Word) -> list[str]:
    name, at = word.written, chance.randrange(1, len(word.written))
    swapped = name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :] if at > 1 else name
    letter = chance.choice("aeilmnort")
    return [
        each
        for each in (
            name[:at] + letter + name[at + 1 :],
            name[:at] + name[at + 1 :],
            name[:at] + name[at] + name[at:],
            swapped,
        )
        if each != name
    ]


def _talk(chance: Random, session: Session) -> Spoilt:
    """Talk about the task before, after or between the paragraphs."""
    return _put_in(
        chance, session, chance.choice(TALK), "task-talk", chance.choice((0.0, 1.0, chance.random()))
    )


def _beat(chance: Random, session: Session) -> Spoilt:
    """Say that a beat was told, with a sentence of the book before that the session has not."""
    said = [
        words for each in read("\n\n".join(session.before)) for words in sentences(each) if len(words) > 4
    ]
    quote = " ".join(word.written for word in chance.choice(said))
    told = (BeatTold(beat="the end", quote=session.prose[-60:]), BeatTold(beat="another one", quote=quote))
    return Spoilt(session.draft.model_copy(update={"beats": told}), "beat-untold")


def _length(chance: Random, session: Session) -> Spoilt:
    """Write 40 to 80 % of what was wanted, or 130 to 300 %."""
    share = chance.choice((chance.uniform(0.4, 0.8), chance.uniform(1.3, 3.0)))
    wanted = round(count_words(session.prose) / share)
    return Spoilt(session.draft.model_copy(update={"words_wanted": wanted}), "length")


MUTATIONS: Mapping[str, Mutation] = {
    "cut": _cut,
    "repeat": _repeat,
    "loop": _loop,
    "copy, 0 % changed": _copy(0.0),
    "copy, 10 % changed": _copy(0.1),
    "copy, 20 % changed": _copy(0.2),
    "name slip": _name_slip,
    "talk about the task": _talk,
    "beat not told": _beat,
    "wrong length": _length,
}


def _long(paragraph: str) -> bool:
    """Whether a paragraph can be told from one that may stand twice, and is not somebody's words."""
    return count_words(paragraph) >= 25 and not paragraph.startswith(("“", ">", "*"))


def _with(session: Session, prose: str) -> Draft:
    return session.draft.model_copy(update={"prose": prose, "words_wanted": count_words(prose)})


def _put_in(chance: Random, session: Session, text: str, rule: Rule, place: float | None = None) -> Spoilt:
    parts: Sequence[str] = paragraphs(session.prose)
    at = round((chance.random() if place is None else place) * len(parts))
    before = "".join(f"{each}\n\n" for each in parts[:at])
    prose = "\n\n".join([before + text, *parts[at:]])
    return Spoilt(_with(session, prose), rule, len(before), len(before) + len(text))
