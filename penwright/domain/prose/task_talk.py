"""Find paragraphs in which a model talks about its task instead of telling the story.

Models put them before and after their prose ("Sure, here is the next scene:", "Word count: 300"), small ones
answer with nothing else. In other languages than English each pattern needs a word of the work ("Szene",
"chapitre"), or stands for itself, so that no letter or speech of a story is taken for it.
"""

import re
from collections.abc import Container, Sequence
from typing import NamedTuple

from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words


class _Talk(NamedTuple):
    """The words of one language."""

    yes: str
    """Beginnings of a reply."""
    work: str
    """Words for the task, or for a text that is to be changed."""
    offer: str
    """Beginnings of an afterword."""
    go_on: str
    """Questions that are talk without a word of the work."""
    counted: str
    """Names of a count of words."""


_TALKS = (
    _Talk(
        r"gerne?|natürlich|klar|sicher|okay|verstanden|hier (?:ist|kommt|folgt)|es folgt|im folgenden",
        r"szene|kapitel|abschnitt|fortsetzung|text|sitzung|entwurf|fassung|passage|prosa|änder|anpass",
        r"ich hoffe|lass(?:en sie)? (?:es )?mich wissen|sag(?:en sie)? (?:mir )?(?:gerne? )?bescheid",
        r"(?:soll|darf) ich (?:weiterschreiben|fortfahren|die (?:nächste )?szene|etwas ändern|das kapitel)"
        r"|(?:möchtest du|möchten sie),? dass ich",
        r"wort(?:an)?zahl|anzahl (?:der )?wörter|wörter",
    ),
    _Talk(
        r"bien sûr|d'accord|certainement|très bien|voici|voilà|ci-dessous",
        r"scène|chapitre|suite|passage|texte|extrait|session|version|modifi|ajust",
        r"j'espère|n'hésite[zs]? pas|dites-moi|dis-moi|faites-moi savoir",
        r"(?:souhaite[zs]|veu[xt]|voule[zs])-(?:vous|tu) que je (?:continue|poursuive|modifie|réécrive)",
        r"nombre de mots|mots",
    ),
    _Talk(
        r"claro|por supuesto|desde luego|aquí (?:está|tienes|va)|a continuación|de acuerdo|entendido",
        r"escena|capítulo|continuación|pasaje|texto|sesión|versión|fragmento|cambi|ajust|modific",
        r"espero que|avísame|dime si|hazme saber|no dudes",
        r"(?:quieres|te gustaría|desea[s]?|quiere) que (?:continúe|siga|escriba|modifique|cambie|ajuste)",
        r"(?:recuento|número|cantidad) de palabras|palabras",
    ),
    _Talk(
        r"certo|certamente|ecco|di seguito|va bene|d'accordo",
        r"scena|capitolo|continuazione|brano|testo|sessione|versione|modific",
        r"spero che|fammi sapere|dimmi se",
        r"(?:vuoi|desideri|vuole) che (?:continui|prosegua|modifichi|scriva)",
        r"(?:numero|conteggio) (?:di|delle) parole|parole",
    ),
    _Talk(
        r"claro|com certeza|aqui (?:está|vai)|segue|a seguir|entendido",
        r"cena|capítulo|continuação|trecho|texto|sessão|versão|mudan|ajust|alter",
        r"espero que|me avise|avise-me|diga-me se",
        r"(?:quer|deseja|gostaria) que eu (?:continue|prossiga|escreva|modifique|altere)",
        r"(?:contagem|número) de palavras|palavras",
    ),
    _Talk(
        r"конечно|хорошо|вот|ниже|понял[а]?",
        r"сцен|глав|продолжени|отрыв|текст|верси|измен|правк",
        r"надеюсь|дайте (?:мне )?знать|дай знать|если (?:хотите|нужно)",
        r"(?:хотите|хочешь),? чтобы я (?:продолжил|изменил|написал)|продолжить\?",
        r"количество слов|слов",
    ),
    _Talk(
        r"好的|当然|没问题|明白了|以下(?:是|为)|下面是|这是",
        r"场景|章|续写|正文|内容|段落|故事|修改|调整",
        r"希望(?:这|你|您)|如果(?:你|您|需要|有)|请告诉我",
        r"(?:需要|要)我(?:继续|修改|调整)",
        r"(?:总)?字数|字数统计",
    ),
    _Talk(
        r"はい|承知|わかりました|以下|こちら|もちろん",
        r"場面|シーン|章|続き|本文|文章|修正",
        r"(?:お気に召|ご希望|ご要望|気に入って)",
        r"(?:続きを)?(?:書き)?続け(?:ます|ましょう)か",
        r"文字数|語数",
    ),
)
_ABOUT_ELSEWHERE = r"(?:ca\.?|circa|etwa|rund|environ|env\.?|unos|aprox\.?|около|约|約)?[ \t~≈]*"
_OPENING_ELSEWHERE = "|".join(rf"(?:{each.yes})[^\n]*(?:{each.work})[^\n]*[:：]\**\Z" for each in _TALKS)
_AFTERWORD = "|".join(rf"(?:{each.offer})[^\n]*(?:{each.work})|[^\n?？]*(?:{each.go_on})" for each in _TALKS)
_COUNTED = "|".join(each.counted for each in _TALKS)
_COUNT_ELSEWHERE = rf"(?:{_COUNTED})\W*[:=：]\W*{_ABOUT_ELSEWHERE}\d[\d., \u00a0]*\w*\W*\Z"
"""A count of words, beside what stands before it."""
_TALK_ELSEWHERE = rf"(?:{_OPENING_ELSEWHERE}|{_AFTERWORD}|{_COUNT_ELSEWHERE})"
"""The beginning of a paragraph about the task, in small letters and capitals alike."""

LONGEST = 120
"""Words of a paragraph that may be talk; a longer one is prose."""
LONGEST_ELSEWHERE = 240
"""The same in characters, for languages whose words are not counted by blanks."""
PLAN_WORDS = 400
"""Most words of notes that are left out before a rule."""

_WORK = (
    r"(?:session|scene|chapter|passage|prose|draft|continuation|paragraphs?|outline|instructions?|story|"
    r"words|text|version|format|blocks?|markers?|task|request|book|report)"
)
_PLANNED = (
    r"(?:session|scene|chapter|passage|prose|draft|continuation|paragraphs?|outline|instructions|format|"
    r"blocks?|markers?|task|\d+ (?:new )?words)"
)
_HERE = rf"(?:here|below) (?:is|are)|here's|here comes|(?:let me|let's|i|i'll|i'd|i'm|i've)\b[^\n]*\b{_WORK}"
_YES = r"(?:sure(?: thing)?|certainly|of course|okay|ok|all right|alright|understood|absolutely|great|got it)"
_WRITE = r"(?:write|continue|craft|draft|produce|generate|answer|output|follow|rewrite|rework)"
_DONE = r"(?:written|kept|tried|continued|included|followed|made sure|ended|ensured|incorporated|avoided)"
_ABOUT = r"(?:about |approximately |around |roughly )?~?"
_COUNT = rf"(?:total )?(?:word ?count|words|length)\W*[:=]\W*{_ABOUT}\d[\d,. ]*(?: ?words)?\W*\Z"
_TALK = (
    rf"{_YES}\b\W+(?:{_HERE})\b",
    rf"(?:{_YES}|here's|(?:here|below) (?:is|are))\b[^\n]*:\Z",
    rf"(?:here's|(?:here|below) (?:is|are)) [^\n]*\b{_WORK}\b",
    rf"(?:first,? |now,? )?let me (?:plan|outline|start|begin|count|re-?read|{_WRITE})\b[^\n]*\b{_PLANNED}\b",
    r"(?:now )?(?:i|we) (?:will|need to|should|must|have to|am going to) (?:now )?"
    rf"{_WRITE}\b[^\n]*\b{_PLANNED}\b",
    rf"(?:now )?i'(?:ll|m going to) (?:now )?{_WRITE}\b[^\n]*\b{_PLANNED}\b",
    r"the user (?:wants|asks|asked|has asked|would like|is asking|needs)\b",
    r"(?:your|the) task (?:is|here is) to\b",
    r"as an ai\b",
    rf"as (?:requested|instructed|you (?:asked|requested))\b[^\n]*\b{_WORK}\b",
    rf"i hope (?:this|that|you)\b[^\n]*\b{_WORK}\b",
    r"(?:please )?let me know (?:if|whether|what|how)\b[^\n]*"
    rf"\b(?:{_WORK}|changes?|adjust\w*|revis\w+|feedback)\b",
    r"(?:please )?let me know (?:what you think|your thoughts)\W*\Z",
    r"(?:would you like|do you want) me to (?:continue|revise|write|adjust|go on|expand|change|proceed)\b",
    r"feel free to (?:ask|adjust|change|edit|modify|revise|let me know)\b",
    _COUNT,
    rf"{_ABOUT}\d[\d,]* (?:new )?words\W*\Z",
    r"\[?end of (?:the )?(?:session|scene|chapter|passage|draft|reply|response)\W*\Z",
    r"note to the (?:author|editor|user|reader)\W",
    rf"(?:please )?note(?: that|:) [^\n]*\b{_PLANNED}\b",
    r"in this (?:session|passage|continuation|draft|scene|chapter),? (?:i|we)\b",
    r"(?:i|we)(?:'ll| will) continue (?:the|your|this) (?:story|book|novel)\b",
    rf"i(?:'ve| have) (?:now )?{_DONE}\b[^\n]*\b(?:{_PLANNED}|tense|tone|style guide|guidelines)\b",
    r"thank you for (?:sharing|providing|the (?:detailed )?(?:outline|instructions))\b",
    r"(?:(?:summary|word count|next steps?|assistant|output|new prose)|"
    r"(?:revised|final|new|first)? ?(?:version|draft|text))\W*[:\n]",
    r"(?:this is )?the end of (?:the|this) (?:session|passage|draft)\W*\Z",
    r"continued in (?:the )?next (?:session|scene|chapter|part)\W*\Z",
    r"this (?:rewording|rephrasing)\b",
    r"(?:this|the) (?:revised|rewritten|reworded) (?:passage|version|text|sentence) (?:is|reads)\W*\Z",
    r"this (?:sentence|rewrite|revision) (?:is meant to|aims to)\b",
    r"this is a (?:minor change|simple, yet effective)\b",
    rf"i(?: tried to| attempted to|'m sorry,? but i)\b[^\n]*\b{_PLANNED}\b",
    r"(?:based on|following|as per|according to) (?:the|your) (?:outline|instructions|plan)\b",
    r"(?:to be continued|chapter \w+ \(continued\))\W*\Z",
    r"(?:this|the) (?:session|passage|continuation|draft|new prose) (?:is|has|continues|advances|ends|moves|"
    r"keeps|stays|follows|maintains|picks|introduces|sets|aims|comes)\b",
)
"""Beginnings of paragraphs about the task."""
_OPENING = re.compile(rf"\W*+(?:{_ABOUT}\d[\d,]* (?:new )?words\W+)?(?:{'|'.join(_TALK)})", re.IGNORECASE)
_ONLY_COUNT = re.compile(
    rf"\W*+(?:{_COUNT}|{_COUNT_ELSEWHERE})|[\[(*_ ]*[\[(*_]{_ABOUT}\d[\d,]* words[\])*_. ]*\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[#*_=\s]*(?:(?:the |your )?(?:next|new) (?:scene|prose|passage|session|section|text|draft)|continuation"
    r"|(?:new )?prose)[#*_=:\s]*",
    re.IGNORECASE,
)
"""A heading that a model puts over its prose."""
_ELSEWHERE = re.compile(rf"\W*+{_TALK_ELSEWHERE}", re.IGNORECASE)
_SPEECH = tuple("\"\u201c\u2018\u00ab'\u2014")
_FENCE = ("```", "~~~")
_RULE = re.compile(r"(?:[-*_=~#\u2014][ \t]*){3,}")
_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,2}[.)])[ \t]+\S")

_TASK = re.compile(
    r"\b(?:(scene|chapter|section|passage|session|draft)s?|(outline)s?|(word (?:count|limit))"
    r"|\d[\d,]* (?:new )?(words)|(continu)(?:ation|e)|(instruction)s?|(beat)s?|(revis)(?:e|ed|ions?)"
    r"|(protagonist)|(narrat)(?:or|ion)|(prose)|(pacing)|(expectations)|(left off)|(style guide)|(the story)"
    r"|(writ)(?:e|ing)|(the user)|(requirements))\b",
    re.IGNORECASE,
)
_MOST_WORDS = 50
"""Words of a paragraph that may be talk for its words alone."""


def seems_talk(paragraph: str, usual: Container[str] = ()) -> bool:
    """Whether a paragraph is talk, or a short one that speaks of two things of the task.

    A story may do that, too: enough for a question, not enough to leave the paragraph out.

    Args:
        usual: words that are nothing unusual in this book, as ``chapter`` is in one about a writer.
    """
    if is_talk(paragraph):
        return True
    shown = paragraph.strip().replace("\u2019", "'")
    if shown.startswith(_SPEECH) or count_words(shown) > _MOST_WORDS:
        return False
    things = (found for found in _TASK.finditer(shown) if found[found.lastindex or 0].casefold() not in usual)
    return len({found.lastindex for found in things}) > 1


def is_talk(paragraph: str) -> bool:
    """Whether a paragraph is about the task, a count of words, or an offer to go on."""
    shown = paragraph.strip().replace("\u2019", "'")
    if not shown or shown.startswith((*_SPEECH, *_FENCE)) or count_words(shown) > LONGEST:
        return False
    if _OPENING.match(shown) or _LABEL.fullmatch(shown):
        return True
    return len(shown) <= LONGEST_ELSEWHERE and _ELSEWHERE.match(shown) is not None


def is_word_count(paragraph: str) -> bool:
    """Whether a paragraph only counts the words before it, such as ``*(Word count: 300)*``."""
    return _ONLY_COUNT.match(paragraph.strip()) is not None


def is_all_talk(text: str) -> bool:
    """Whether there is no paragraph of prose."""
    return all(is_talk(part) or _belongs_to_talk(part) for part in paragraphs(text))


def without_talk(text: str) -> str:
    """The text without the talk at its beginning and its end, and without rules and lists next to it; also
    without rules that frame it."""
    parts = paragraphs(text)
    framed = 0
    while 2 * framed < len(parts) - 2 and _is_rule(parts[framed]) and _is_rule(parts[-1 - framed]):
        framed += 1
    parts = parts[framed : len(parts) - framed]
    parts = parts[_opening_talk(parts) :]
    parts = parts[: len(parts) - _closing_talk(parts)]
    return "\n\n".join(parts)


def without_counts(text: str) -> str:
    """The text without counts of words at its end."""
    while (parts := paragraphs(text)) and is_word_count(parts[-1]):
        text = text.rstrip().removesuffix(parts[-1]).rstrip()
    return text


def _opening_talk(parts: Sequence[str]) -> int:
    """Number of paragraphs at the beginning that are no prose."""
    if not parts or not is_talk(parts[0]):
        return 0
    count = 1
    while count < len(parts) and (is_talk(parts[count]) or _belongs_to_talk(parts[count])):
        count += 1
    return max(count, _notes_before_rule(parts))


def _notes_before_rule(parts: Sequence[str]) -> int:
    """Length of notes that begin with talk and end with a rule; 0 without a rule, or after too much."""
    rule = next((at for at, part in enumerate(parts) if _is_rule(part)), 0)
    before, after = (sum(map(count_words, some)) for some in (parts[:rule], parts[rule + 1 :]))
    return rule + 1 if rule and before <= min(PLAN_WORDS, after) else 0


def _closing_talk(parts: Sequence[str]) -> int:
    """Number of paragraphs at the end that are no prose."""
    count = 0
    while count < len(parts) and is_talk(parts[-1 - count]):
        count += 1
    while count and count < len(parts) and _is_rule(parts[-1 - count]):
        count += 1
    return count


def _is_rule(paragraph: str) -> bool:
    return _RULE.fullmatch(paragraph.strip()) is not None


def _belongs_to_talk(paragraph: str) -> bool:
    return all(_ITEM.match(line.strip()) or _RULE.fullmatch(line.strip()) for line in paragraph.splitlines())
