"""The report at the end of a writer's reply, and the summary of one without it."""

import re
from dataclasses import dataclass

from penwright.domain.book.files.summary import uncommented
from penwright.domain.book.review.session_plan import MOST_BEATS, beat_told
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.words import count_words
from schemas.prose import BeatTold

SUMMARY_WORDS = 80
"""Most words of a summary that is taken from the prose."""

_NEAR = 2_000
"""Characters after a heading in which a field follows."""
_REPORT = re.compile(
    r"^[ \t]*(?:[=#*_-]{2,}+[ \t]*+)?+\**+REPORT\**+:?[ \t]*+(?:[=#*_-]{2,}+)?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_REPORT_END = re.compile(r"^[ \t]*[=#*_-]{2,}[ \t]*END\b.*\Z", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_FIELD = re.compile(
    r"^[ \t>*-]*+(summary|instructions[ _]answered|arcs?[ _]closed|(?:beats[ _])?told|"
    r"(?:wants[ _])?next[ _]chapter)\**[ \t]*[:=][ \t]*\**[ \t]*(.*)$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(
    r"(?<=[.!?\u2026])[\"\u201d\u00bb)]*\s+|(?<=[\u3002\uff01\uff1f])(?![\u201d\u300d\u300f)])\s*"
    r"|(?<=[\u3002\uff01\uff1f][\u201d\u300d\u300f)])\s*"
)
_YES = frozenset({"yes", "true", "y", "1", "done"})


@dataclass(frozen=True, slots=True)
class Report:
    """The report at the end of a reply."""

    summary: str = ""
    arcs_closed: bool = False
    told: tuple[BeatTold, ...] = ()
    """Beats of the plan that the session tells, as its writer says."""


def split_report(text: str) -> tuple[str, str]:
    """Split prose and report at the last report heading that a field follows."""
    for heading in reversed(list(_REPORT.finditer(text))):
        near = text[heading.end() : heading.end() + _NEAR]
        following = [line for line in near.splitlines() if line.strip()][:3]
        if any(_FIELD.match(line) for line in following):
            report, rest = _ended(text[heading.end() :])
            return f"{text[: heading.start()]}{rest}", report
    return text, ""


def _ended(tail: str) -> tuple[str, str]:
    """The report, and what follows its end if that holds a block of prose."""
    end = _REPORT_END.search(tail)
    if end is None or not any(each.text == "NEW:START" for each in parse_comments(end[0])):
        return tail, ""
    return tail[: end.start()], end[0].partition("\n")[2]


def read_report(tail: str) -> Report:
    """Parse a report; ``tail``: the reply after its heading."""
    fields: dict[str, str] = {}
    told: list[BeatTold] = []
    name = ""
    for line in _REPORT_END.sub("", tail).splitlines():
        field = _FIELD.match(line)
        if field:
            name = field.group(1).lower().replace("_", " ")
            fields[name] = field.group(2).strip()
        elif name.endswith("told"):
            told += filter(None, (beat_told(line),))
        elif name == "summary":
            fields[name] = f"{fields[name]} {line.strip()}".strip()
    return Report(
        " ".join(uncommented(fields.get("summary", "")).replace("**", "").split()),
        _is_yes(fields.get("arcs closed", fields.get("arc closed", ""))),
        tuple(told[:MOST_BEATS]),
    )


def _is_yes(answer: str) -> bool:
    words = re.findall(r"\w+", answer.casefold())
    return bool(words) and words[0] in _YES


def first_sentences(prose: str) -> str:
    """The first sentences of prose, as the summary of a session without a report; empty without words."""
    visible = " ".join(line for line in uncommented(prose).splitlines() if not line.startswith("#"))
    visible = " ".join(visible.split())
    first, *others = [*(found.end() for found in _SENTENCE_END.finditer(visible)), len(visible)]
    whole = [each for each in others if count_words(visible[:each]) <= SUMMARY_WORDS // 2]
    return _first_words(visible[: max((first, *whole))].rstrip())


def _first_words(text: str) -> str:
    """At most ``SUMMARY_WORDS`` words; of a script without spaces as many signs."""
    if count_words(text) <= SUMMARY_WORDS:
        return text
    return " ".join(text.split()[:SUMMARY_WORDS]) if " " in text else text[:SUMMARY_WORDS]
