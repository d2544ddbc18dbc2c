"""Which sentences a scan looks at: offered with numbers, picked by the orchestrator, each once."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.citations.entries import Entry, read_entry, written
from penwright.domain.citations.passages import passages_of
from penwright.domain.citations.references import References, canonical
from penwright.domain.citations.sentences import Sentence
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import NO_SOURCE, keys_named_in, marks_in, without_citations
from schemas.citations import CitationProposal, CitationTarget, TargetKind
from schemas.manuscript_roles import ChosenSentence

WINDOW = 4_000
"""Tokens of sentences that it is shown at once: with its instructions and answer, half of a small window."""
_LONGEST = 2_000
"""Characters of a sentence that can be cited for; what is longer is no sentence."""
ALREADY_VERIFIED = "ALREADY_VERIFIED"
REJECTED_BEFORE = "REJECTED_BEFORE"


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the manuscript as the orchestrator reads it."""

    text: str
    """Headings, and sentences with their numbers."""
    numbers: tuple[int, ...]


def windows_of(sentences: Iterable[Sentence]) -> tuple[Window, ...]:
    """The sentences that may be cited for, in parts that fit a prompt; a sentence is in one part."""
    return tuple(_windows([each for each in sentences if _is_offered(each)]))


def _is_offered(sentence: Sentence) -> bool:
    return sentence.offered and len(_shown(sentence)) <= _LONGEST


def _windows(offered: Sequence[Sentence]) -> Iterator[Window]:
    lines: list[str] = []
    numbers: list[int] = []
    size, section = 0, ""
    for each in offered:
        line = f"[{each.number}] {_shown(each)}"
        tokens = estimate_tokens(line)
        if lines and size + tokens > WINDOW:
            yield Window("\n".join(lines), tuple(numbers))
            lines, numbers, size, section = [], [], 0, ""
        if each.section != section:
            lines.append(f"# {' '.join(each.section.split())}")
        section = each.section
        lines.append(line)
        numbers.append(each.number)
        size += tokens
    if lines:
        yield Window("\n".join(lines), tuple(numbers))


def _shown(sentence: Sentence) -> str:
    """A sentence on one line, of each citation only its key: whole entries would be most of the prompt."""
    parts, behind = [], 0
    for each in sentence.citations:
        parts += [sentence.text[behind : each.start - sentence.start], f"[[@{each.key}]]"]
        behind = each.end - sentence.start
    return " ".join("".join([*parts, sentence.text[behind:]]).split())


def targets_of(
    sentences: Sequence[Sentence], chosen: Iterable[ChosenSentence], references: References
) -> tuple[CitationTarget, ...]:
    """The targets, numbered from 1 in the order of the text; their kinds are read from the text itself.

    A sentence that was not offered, such as a heading, is left out.
    """
    totals = Counter(each.text for each in sentences)
    offered = (each for each in chosen if _is_offered(sentences[each.sentence - 1]))
    ordered = sorted(offered, key=lambda each: each.sentence)
    return tuple(
        _target(number, sentences, each, totals, references) for number, each in enumerate(ordered, 1)
    )


def with_marked(
    sentences: Iterable[Sentence], chosen: Sequence[ChosenSentence]
) -> tuple[ChosenSentence, ...]:
    """The sentences that the orchestrator has chosen, and all others that are marked."""
    named = {each.sentence for each in chosen}
    marked = (
        ChosenSentence(sentence=each.number, kind="insert", reason_citation_target=f"It says {NO_SOURCE}.")
        for each in sentences
        if each.number not in named and marks_in(each.text)
    )
    return (*chosen, *marked)


def _target(
    number: int,
    sentences: Sequence[Sentence],
    chosen: ChosenSentence,
    totals: Counter[str],
    references: References,
) -> CitationTarget:
    sentence = sentences[chosen.sentence - 1]
    before = sentences[: chosen.sentence]
    return CitationTarget(
        number=number,
        kind=kind_of(sentence, references),
        sentence=sentence.number,
        text=sentence.text,
        same=sum(each.text == sentence.text for each in before),
        of_same=totals[sentence.text],
        section=sentence.section,
        reason=chosen.reason_citation_target,
        evidence=chosen.evidence_type_citation_target,
    )


def neighbours(sentences: Sequence[Sentence], target: CitationTarget) -> tuple[str, str]:
    """The sentences right before and behind a target in its section, without citations; else empty."""
    near = {each.number: each.text for each in sentences if each.offered and each.section == target.section}
    if near.get(target.sentence) != target.text:
        return "", ""
    before, after = (near.get(target.sentence + step, "") for step in (-1, 1))
    return without_citations(before).strip(), without_citations(after).strip()


def title_of(text: str) -> str:
    """The title of a manuscript: its first heading; empty without one."""
    found = (each.section for each in passages_of(text, tokens_of(text)) if each.kind == "heading")
    return next(found, "")


def kind_of(sentence: Sentence, references: References) -> TargetKind:
    """Decide the task for a sentence: insert citations, verify them, or normalise their form."""
    if not sentence.citations:
        return "verify" if sentence.keys else "insert"
    forms = [_is_canonical(each.entry, references) for each in sentence.citations]
    return "verify" if all(forms) else "normalise"


def _is_canonical(text: str, references: References) -> bool:
    entry = read_entry(text)
    return isinstance(entry, Entry) and written(canonical(entry, references)) == text


def settled(
    targets: Iterable[CitationTarget], verified: Collection[str], rejected: Collection[str]
) -> dict[int, CitationProposal]:
    """Targets that need no second look, by number; what a key names may have changed outside the sentence.

    Args:
        verified: sentences whose citations earlier scans have verified, as they stood then.
        rejected: sentences for which a person has rejected what was proposed.
    """
    return {
        each.number: CitationProposal(target=each, state="skipped", code=code, message=message)
        for each in targets
        for code, message in _reason(each, verified, rejected)
    }


def _reason(
    target: CitationTarget, verified: Collection[str], rejected: Collection[str]
) -> Iterator[tuple[str, str]]:
    if target.text in verified and not keys_named_in(target.text, tokens_of(target.text)):
        yield ALREADY_VERIFIED, "its citations were verified and have not changed since"
    elif target.text in rejected:
        yield REJECTED_BEFORE, "what was proposed for it was rejected, and it has not changed since"
