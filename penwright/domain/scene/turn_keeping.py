"""A turn as the store gets it: what it reports or its words say of the speaker, and the state after it."""

from typing import Final

import regex

from penwright.domain.scene import presence, states
from penwright.domain.scene.states import LONGEST
from schemas.director import StateChange, StatePatch
from schemas.director_round import KeepSpoken
from schemas.scene import CharacterState, KeepTurn, SceneState

_SCANNED: Final = 20_000
"""Characters of a reply that are looked at."""
_QUOTED = regex.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]')
_SENTENCES = regex.compile(r"(?<=[.!?…])\s+|[\n;*]+")
_NAMED = regex.compile(r"(?<=[\p{Ll},] )\p{Lu}\p{Ll}+")
"""Words that begin with a capital inside a sentence: other people, and at worst places."""
_DOUBTS = "not never cannot would could should might may if almost nearly unless"
_DOUBTFUL = regex.compile(rf"\b(?:{_DOUBTS.replace(' ', '|')}|no longer)\b|n['’]t\b", regex.I)
_GO = (
    "go goes went walk walks walked run runs ran step steps stepped climb climbs climbed head heads headed "
    "hurry hurries hurried move moves moved slip slips slipped return returns returned come comes came"
)
_HOW = r"(?:(?:quickly|slowly|quietly|back|up|down|out|over|away|straight) )*"
_OWN = r"(?:the|a|an|his|her|their|my|its)"
_WORD = r"[\p{L}'’-]+"
_LINKS = r"(?:and|but|then|while|where|with|to|as|at|for|before|without)\b"
_PLACE = rf"(?P<value>{_OWN} {_WORD}(?: (?!{_LINKS}){_WORD}){{0,3}})"
_BEGIN = "begin begins began start starts started keep keeps kept"
_MEAN = (
    "decide decides decided plan plans planned intend intends intended "
    "mean means meant resolve resolves resolved"
)
_BE = "am is was feel feels felt look looks looked become becomes became grow grows grew"
_DRESS = (
    r"put on|puts on|pull on|pulls on|pulled on|change into|changes into|changed into|"
    r"take off|takes off|took off"
)
_POSTURES: Final = {
    **dict.fromkeys(("sit", "sits", "sat"), "sitting"),
    **dict.fromkeys(("kneel", "kneels", "knelt"), "kneeling"),
    **dict.fromkeys(("lie", "lies", "lay"), "lying down"),
    **dict.fromkeys(("stand", "stands", "stood"), "standing"),
}
_MOODS: Final = (
    "afraid amused angry annoyed anxious ashamed bitter bored calm cheerful confident confused "
    "content curious defiant desperate disgusted embarrassed excited exhausted frightened furious "
    "glad gloomy grateful grim happy hopeful hurt impatient jealous lonely melancholy nervous "
    "playful proud relaxed relieved restless sad scared serene shy sorry sullen surprised suspicious "
    "tense terrified tired uneasy wary weary worried"
)


def _starting(verbs: str, rest: str) -> regex.Pattern[str]:
    """A clause that begins with one of the verbs."""
    return regex.compile(rf"^(?:{verbs.replace(' ', '|')}) {rest}", regex.I)


_GOING = _starting(_GO, rf"{_HOW}(?:to|into|onto|inside) {_PLACE}")
_ENTERING = _starting("enter enters entered", _PLACE)
_POSTURE = regex.compile(rf"^(?P<value>{'|'.join(_POSTURES)})(?: down| up| still)?\b", regex.I)
_DOING = _starting(_BEGIN, r"(?P<value>(?:to \p{L}+|\p{L}+ing\b)[^,.!?…]{0,80})")
_DRESSING = regex.compile(
    rf"^(?P<how>{_DRESS}) (?P<value>{_OWN} [^,.!?…]{{1,60}}?)(?= (?:and|but|then)\b|[,.!?…]|$)", regex.I
)
_INTENDING = _starting(_MEAN, r"(?P<value>to [^,.!?…]{1,120})")
_FEELING = _starting(_BE, rf"(?:\w+ly |very |so |quite )?(?P<value>{_MOODS.replace(' ', '|')})\b")


def inferred(text: str, state: CharacterState, name: str = "") -> StatePatch:
    """Return what the narration of a reply says of its speaker, by few, plain rules (English).

    Only narration counts, never what stands in quotation marks, and of narration only sentences whose subject
    is the speaker: ``I``, the speaker's name, an action between asterisks, or, as long as no other person is
    named, ``She``, ``He``, ``They``. A sentence that denies or supposes (``not``, ``would``, ``if`` …) is
    passed over. Of two sentences about one field the later counts.

    - location: goes, walks, runs … to, into, onto *a place*; enters *a place*.
    - activity: sits, kneels, lies … (down); begins to, starts to, keeps *doing*.
    - clothing: changes into *clothes* replaces it; puts on *clothes* adds to it; takes off *clothes* removes.
    - mood: is, feels, looks, becomes, grows *mood*, for moods of a fixed list.
    - intentions: decides, plans, intends, means, resolves *to do something*.

    Args:
        text: the reply.
        state: the speaker's state before it; clothes are added to it and taken from it.
        name: the speaker's name as narration has it.
    """
    found: dict[str, str] = {"clothing": state.clothing}
    for clause in _own_clauses(text[:_SCANNED], name):
        found |= _told(clause, found["clothing"])
    if found["clothing"] == state.clothing:
        del found["clothing"]
    return StatePatch.model_validate(
        {field: value for field, value in found.items() if len(value) <= LONGEST}
    )


def _own_clauses(text: str, name: str) -> list[str]:
    """List the speaker's actions, each clause without its subject."""
    narration = _QUOTED.sub(" ", text)
    others = [each for each in _NAMED.findall(narration) if each.casefold() not in name.casefold().split()]
    pronouns = [] if others else ["She", "He", "They"]
    subject = "|".join(["I", *pronouns, *([regex.escape(name)] if name else [])])
    named = regex.compile(rf"^(?:{subject}) (?P<rest>.+)$", regex.I)
    acted = set(regex.findall(r"\*([^*\n]+)\*", narration))
    clauses = []
    for sentence in _SENTENCES.split(narration):
        sentence = " ".join((sentence or "").split())
        if not sentence or _DOUBTFUL.search(sentence):
            continue
        if (match := named.match(sentence)) is not None:
            clauses.append(match["rest"])
        elif any(" ".join(each.split()).startswith(sentence) for each in acted):
            clauses.append(sentence)
    return clauses


def _told(clause: str, clothing: str) -> dict[str, str]:
    """Read the fields that one clause states."""
    if (match := _GOING.match(clause) or _ENTERING.match(clause)) is not None:
        return {"location": match["value"]}
    if (match := _DRESSING.match(clause)) is not None:
        return {"clothing": _dressed(match["how"].casefold(), match["value"], clothing)}
    if (match := _FEELING.match(clause)) is not None:
        return {"mood": match["value"].casefold()}
    if (match := _INTENDING.match(clause)) is not None:
        return {"intentions": match["value"].strip()}
    if (match := _DOING.match(clause)) is not None:
        return {"activity": match["value"].removeprefix("to ").strip()}
    if (match := _POSTURE.match(clause)) is not None:
        return {"activity": _POSTURES[match["value"].casefold()]}
    return {}


def _dressed(how: str, what: str, clothing: str) -> str:
    worn = [each.strip() for each in clothing.split(",") if each.strip()]
    bare = what.split(" ", 1)[1]
    if how.startswith("change"):
        return what
    if how.startswith("t"):
        return ", ".join(each for each in worn if each.split(" ", 1)[-1] != bare and each != bare) or clothing
    return ", ".join([*worn, what]) if what not in worn else clothing


def changes_by(request: KeepSpoken, text: str) -> tuple[StateChange, ...]:
    """Changes of the speaker by the words of a turn, from the request and the words alone."""
    if request.own is None or request.record.outcome != "spoken":
        return ()
    own = request.own
    before = SceneState(characters=(own,))
    by_rules = inferred(text, own, request.name)
    return states.reported_or_inferred(before, own.id, request.reported, by_rules)


def stored_turn(request: KeepSpoken, changes: tuple[StateChange, ...], now: SceneState) -> KeepTurn:
    """The request to the store.

    Args:
        now: the stored state, as the turns before left it.
    """
    after = presence.entered(now, request.entering)
    if request.own is not None:
        after = presence.acted(states.fold(after, changes), request.own.id)
    after = presence.left(after, request.leaving)
    fields = {name: getattr(request, name) for name in KeepTurn.model_fields}
    return KeepTurn(**fields | {"changes": changes, "state": after})
