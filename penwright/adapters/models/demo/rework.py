"""The demo model's reworks: simple changes that a reader can recognise."""

import re
from collections.abc import Callable

from penwright.adapters.models.demo.cast import Character
from penwright.adapters.models.demo.prose import DemoProse

_SENTENCES = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][”\"’')]))\s+")
_QUOTED = re.compile(r"(“[^”]*”|\"[^\"]*\")")
_RENAME = re.compile(
    r"\b(?:rename|replace|change)\s+[“\"'‘]?([\w’-]+(?: [\w’-]+)?)[”\"'’]?\s+"
    r"(?:to|with|by|into)\s+[“\"'‘]?([\w’-]+(?: [\w’-]+)?)",
    re.IGNORECASE,
)
_MENTION = re.compile(
    r"\b(?:mention|add|include|bring in|work in|with)\s+((?:(?:some|more|the|a|an|his|her|their)\s+)?"
    r"[\w’' -]{3,60})",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?P<marks>#{1,6}[ \t]+)(?P<title>[^\n]*?)[ \t#]*(?P<gap>\n+|\Z)(?P<below>.*)\Z", re.DOTALL
)
_TITLE = re.compile(r"[“\"‘]([^“”\"‘’\n]{1,80})[”\"’]")
_NUMBER = re.compile(r"\w+ \d+:[ \t]*")
"""Part that a title keeps: the number of its chapter."""
_FORMS = (("am", "was"), ("is", "was"), ("are", "were"), ("has", "had"), ("have", "had"), ("does", "did"))
_PRESENT = {
    **{
        "was": "is",
        "were": "are",
        "had": "has",
        "did": "does",
        "went": "goes",
        "came": "comes",
        "said": "says",
    },
    **{
        "stood": "stands",
        "sat": "sits",
        "saw": "sees",
        "knew": "knows",
        "thought": "thinks",
        "felt": "feels",
    },
    **{"took": "takes", "found": "finds", "kept": "keeps", "could": "can", "would": "will", "made": "makes"},
    **{"gave": "gives", "left": "leaves", "heard": "hears", "told": "tells", "ran": "runs", "put": "puts"},
    **{"looked": "looks", "asked": "asks", "turned": "turns", "walked": "walks", "watched": "watches"},
    **{"opened": "opens", "closed": "closes", "waited": "waits", "listened": "listens", "counted": "counts"},
    **{"smiled": "smiles", "nodded": "nods", "crossed": "crosses", "moved": "moves", "seemed": "seems"},
    **{"lay": "lies", "began": "begins", "spoke": "speaks", "held": "holds", "got": "gets", "read": "reads"},
}
_PAST = {present: past for past, present in _PRESENT.items() if past != present}


def rework(passage: str, instruction: str, *, prose: DemoProse, hero: Character) -> str:
    """Change ``passage`` by the simple rules that match ``instruction``; the result always differs.

    A heading at its beginning stays a heading: text below it is changed in its place, else its title.
    """
    heading = _HEADING.match(passage.strip())
    if heading is None:
        return _rework_text(passage, instruction, prose=prose, hero=hero)
    if heading["below"].strip():
        below = _rework_text(heading["below"], instruction, prose=prose, hero=hero)
        return f"{heading['marks']}{heading['title']}{heading['gap']}{below}"
    return f"{heading['marks']}{_retitled(heading['title'], instruction, hero)}"


def _retitled(title: str, instruction: str, hero: Character) -> str:
    """The title that the instruction quotes, or the old one renamed as it asks, or with the hero in it."""
    renamed = _renamed(title, instruction)
    if renamed != title:
        return renamed
    quoted, number = _TITLE.search(instruction), _NUMBER.match(title)
    wanted = f"{number[0] if number else ''}{quoted[1]}" if quoted else title
    return wanted if wanted != title else f"{title}, and {hero.name}"


def _rework_text(passage: str, instruction: str, *, prose: DemoProse, hero: Character) -> str:
    asked = instruction.casefold()
    changes: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
        (
            ("third person", "3rd person"),
            lambda text: _outside_quotes(text, lambda t: _third_person(t, hero)),
        ),
        (
            ("first person", "1st person"),
            lambda text: _outside_quotes(text, lambda t: _first_person(t, hero)),
        ),
        (("present tense",), lambda text: _outside_quotes(text, lambda t: _mapped(t, _PRESENT))),
        (("past tense",), lambda text: _outside_quotes(text, lambda t: _mapped(t, _PAST))),
        (("short", "trim", "tighten", "condense", "cut "), _shorter),
        (("dialog", "conversation", "talk", "speak"), lambda text: f"{text}\n\n{prose.sentence('talk')}"),
        (("dark", "tense", "grim", "sad", "threat"), lambda text: f"{text} {prose.sentence('tone_dark')}"),
        (("funn", "humo", "light", "warm", "cheer"), lambda text: f"{text} {prose.sentence('tone_light')}"),
        (("long", "expand", "detail", "describe", "slow", "vivid"), lambda text: _longer(text, prose)),
    )
    changed = _renamed(passage.strip(), instruction)
    for words, change in changes:
        if any(word in asked for word in words):
            changed = change(changed)
    if changed == passage.strip():
        changed = _mentioning(changed, instruction, prose)
    return changed


def _renamed(text: str, instruction: str) -> str:
    for old, new in _RENAME.findall(instruction):
        # A backslash in the new name must not be a group reference.
        text = re.sub(rf"\b{re.escape(old)}\b", str(new).replace("\\", r"\\"), text)
    return text


def _shorter(text: str) -> str:
    """Keep the first sentence, every second one after it, and the last."""
    sentences = _SENTENCES.split(text)
    if len(sentences) < 2:
        words = text.split()
        return " ".join(words[: max(3, len(words) * 2 // 3)]).rstrip(",;:—-.") + "."
    kept = [sentences[0], *sentences[2:-1:2]]
    return " ".join(kept if len(sentences) < 3 else [*kept, sentences[-1]])


def _longer(text: str, prose: DemoProse) -> str:
    return " ".join((text, prose.sentence("detail"), prose.sentence("setting"), prose.sentence("thought")))


def _mentioning(text: str, instruction: str, prose: DemoProse) -> str:
    """Append a sentence about what the instruction names; else one more detail."""
    wanted = _MENTION.search(instruction)
    if wanted is None:
        return f"{text} {prose.sentence('detail')}"
    subject = wanted.group(1).strip(" -'’")
    article = "" if re.match(r"(?:some|more|the|a|an|his|her|their)\b", subject, re.IGNORECASE) else "the "
    return f"{text} And there was {article}{subject.removeprefix('more ')}, which nobody could have missed."


def _outside_quotes(text: str, change: Callable[[str], str]) -> str:
    """Apply ``change`` outside of quoted speech."""
    return "".join(part if _QUOTED.fullmatch(part) else change(part) for part in _QUOTED.split(text))


def _third_person(text: str, hero: Character) -> str:
    """Replace ``I`` by the hero: by name the first time, by pronoun after that."""
    for present, past in _FORMS:
        text = re.sub(rf"\bI {present}\b", f"I {past if present == 'am' else present}", text)
    text = re.sub(r"\bI[’']m\b", "I was", text)
    text = re.sub(r"\bI[’']d\b", "I had", text)
    text = re.sub(r"\bI[’']ve\b", "I had", text)
    text = re.sub(r"\bI[’']ll\b", "I would", text)
    own = {
        "me": hero.him,
        "my": hero.his,
        "myself": f"{hero.him}self",
        "mine": "hers" if hero.his == "her" else "his",
    }
    for mine, theirs in own.items():
        text = re.sub(rf"\b{mine}\b", theirs, text)
        text = re.sub(rf"\b{mine.capitalize()}\b", theirs.capitalize(), text)
    text = re.sub(r"\bI\b", hero.name, text, count=1)
    text = re.sub(r"(^|[.!?…]\s+)I\b", lambda found: found.group(1) + hero.he.capitalize(), text)
    return re.sub(r"\bI\b", hero.he, text)


def _first_person(text: str, hero: Character) -> str:
    text = re.sub(rf"\b{re.escape(hero.name)}[’']s\b", "my", text)
    text = re.sub(rf"\b(?:{re.escape(hero.name)}|{hero.he}|{hero.he.capitalize()})\b", "I", text)
    text = re.sub(rf"\b{hero.him}self\b", "myself", text)
    if hero.his != hero.him:
        text = re.sub(rf"\b{hero.him}\b", "me", text)
    else:
        text = re.sub(rf"\b{hero.him}(?=[.,;:!?]|$| (?:to|and|in|at|on|with|by|for|from)\b)", "me", text)
    text = re.sub(rf"\b{hero.his}\b", "my", text)
    text = re.sub(rf"\b{hero.his.capitalize()}\b", "My", text)
    return re.sub(r"(^|[.!?…]\s+)my\b", lambda found: found.group(1) + "My", text)


def _mapped(text: str, forms: dict[str, str]) -> str:
    def one(word: re.Match[str]) -> str:
        new = forms.get(word.group().lower(), word.group())
        return new.capitalize() if word.group()[0].isupper() else new

    return re.sub(r"[A-Za-z]+", one, text)
