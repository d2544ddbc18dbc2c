"""By language: words without a meaning of their own, and those that show tense, person and a turn of phrase.

A rule without data for a language says nothing about its texts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from penwright.domain.text.languages import language_tag


@dataclass(frozen=True, slots=True)
class Language:
    """Facts about one language; an empty field leaves the rules that need it silent."""

    common: frozenset[str] = frozenset()
    """Words that carry grammar, not content."""
    past: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    """Frequent forms of verbs that show the tense of a narration."""
    first: frozenset[str] = frozenset()
    third: frozenset[str] = frozenset()
    """Pronouns that show who tells."""
    not_but: "re.Pattern[str] | None" = None
    """Finds "not X but Y"."""
    inflects_names: bool = False
    """Whether the end of a name changes with its case."""
    capital_nouns: bool = False
    """Whether every noun has a capital letter."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _turn(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern, re.IGNORECASE)


_SOME = r"[^.;:!?\n]{2,60}?"
_INFLECTING = "bg cs el et eu fi hr hu hy is ka la lt lv pl ro ru sk sl sr tr uk"
_LANGUAGES: Mapping[str, Language] = {
    **{tag: Language(inflects_names=True) for tag in _INFLECTING.split()},
    "en": Language(
        common=_words(
            "a about after again all also am an and any are as at away back be because been before "
            "being but by can come could did do does don't down each even ever every few for from "
            "get go had has have he her here hers herself him himself his how i i'm if in into is "
            "it its it's itself just know last like made make many may me might more most much must "
            "my myself never no nor not nothing now of off on once one only or other our out over "
            "own said same say see she should so some something still such than that that's the "
            "their them then there these they thing this those though through till to too two under "
            "until up upon us very was way we well were what when where which while who whom why "
            "will with without would yet you your"
        ),
        past=_words("was were had did said went came could would thought knew took saw stood looked"),
        present=_words("is are has does says goes comes can will thinks knows takes sees stands looks am"),
        first=_words("i me my mine myself"),
        third=_words("he him his himself she her hers herself they them their"),
        not_but=_turn(
            rf"\bnot (?:just |only |merely |simply )?{_SOME},? but\b"
            r"|\b(?:it|this|that|he|she|they)(?: wasn['’]t| isn['’]t| was not| is not) "
            rf"{_SOME}[.,;—–-]+\s*"
            r"(?:it|this|that|he|she|they)(?: was| is|['’]s)\b"
        ),
    ),
    "de": Language(
        common=_words(
            "ab aber alle als also am an auch auf aus bei bis da damit dann das dass daß dem den "
            "denn der des die dies diese dieser doch dort du durch ein eine einem einen einer eines "
            "er es etwas euch für ganz gegen hat hatte hatten hier hin hinter ich ihm ihn ihr ihre "
            "im immer in ins ist ja jetzt kann kein keine konnte machen man mehr mein mich mir mit "
            "nach nicht nichts noch nun nur ob oder ohne sagte schon sehr sein seine sich sie sind "
            "so über um und uns unter vom von vor war waren was weil wenn wer werden wie wieder "
            "will wir wird wo wurde zu zum zur zwei zwischen"
        ),
        past=_words("war waren hatte hatten wurde wurden konnte ging kam sagte stand sah wusste dachte"),
        present=_words("ist sind wird werden kann geht kommt sagt steht sieht weiß denkt bin"),
        first=_words("ich mich mir mein meine meinen meinem meiner"),
        third=_words("er ihn ihm sein seine seinen seinem seiner sie ihr ihre ihren ihrem ihrer"),
        not_but=_turn(rf"\bnicht (?:nur )?{_SOME}, sondern\b"),
        capital_nouns=True,
    ),
    "fr": Language(
        past=_words("était étaient avait avaient fut furent fit dit vit allait pouvait savait"),
        present=_words("est sont va vont peut sait voit fait"),
        first=_words("je j'ai me mon ma mes moi"),
        third=_words("il elle ils elles lui leur leurs"),
        not_but=_turn(rf"\b(?:non|pas) (?:seulement |pas )?{_SOME},? mais\b"),
    ),
    "es": Language(
        past=_words("era eran había habían fue fueron estaba estaban tenía dijo podía sabía"),
        present=_words("es son ha han está están tiene dice puede sabe"),
        not_but=_turn(rf"\bno (?:solo |sólo )?{_SOME},? sino\b"),
    ),
}


def language_of(name: str) -> Language:
    """The facts about a language by its name or tag; none about one that is not known."""
    return _LANGUAGES.get(language_tag(name).partition("-")[0].lower(), Language())
