"""Evidence for the citations of a sentence: of its own works, and only of what is in the text."""

from collections.abc import Sequence
from datetime import UTC, datetime

from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entry
from penwright.domain.citations.scanning.storing import KeptTarget
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.evidence.citations import Gathered, Known, own_words, sentences_with_evidence
from penwright.domain.text.blocks import blocks_of
from schemas.citations import CitationChange, CitationProposal, CitationTarget, FoundWork, TargetStanding
from schemas.library import LocatedQuote
from schemas.readers_copy import CitationEvidence
from schemas.scholarly import Author, ScholarlyRecord
from schemas.section_evidence import EvidencePassage

LEE = "@article{lee2020, author = {Lee, Ann}, title = {Tides of the northern coast}, year = {2020}}"
ORR = "@book{orr1999, author = {Orr, M.}, title = {Lamps on piers}, year = {1999}}"
SENTENCE = "The water rises twice a day."
QUOTE = LocatedQuote(source="lee.pdf", quote="It rises twice daily.", page=4)


def kept(*entries: str, applied: bool = True) -> KeptTarget:
    """A sentence for which these works were accepted."""
    works = tuple(
        FoundWork(source=source, title=title)
        for source, title in (("crossref", "Tides of the northern coast"), ("openalex", "Lamps on piers"))
    )
    change = CitationChange(
        after=f"{SENTENCE} {' '.join(f'[[{each}]]' for each in entries)}",
        entries=entries,
        verdict="verified",
        sources=("crossref", "pubmed"),
        works=works[: len(entries)],
        quote=QUOTE,
    )
    target = CitationTarget(number=1, kind="insert", sentence=1, text=SENTENCE)
    standing = TargetStanding(number=1, state="accepted", by="ann", applied=applied)
    return KeptTarget(
        proposal=CitationProposal(target=target, state="verified", change=change), standing=standing
    )


def evidence_of(
    text: str, *targets: KeptTarget, shown: Sequence[Gathered] = ()
) -> dict[str, CitationEvidence]:
    """The evidence of a text's one sentence, by key."""
    entries = [each for each in map(read_entry, (LEE, ORR)) if isinstance(each, Entry)]
    works = {each.key: reference_of(each) for each in entries}
    known = [Known(kept=targets, gathered=shown)]
    (found,) = sentences_with_evidence(sentences_of(text), [1], blocks_of(text), works, known)
    return {each.key: each for each in found.citations}


def test_a_citation_has_the_registries_the_quote_and_who_accepted_it() -> None:
    found = evidence_of("The water rises twice a day [@lee2020].", kept(LEE))["lee2020"]

    assert found.found is not None
    assert found.found.sources == ("crossref", "pubmed")
    assert found.found.quote == QUOTE
    assert found.decided is not None
    assert found.decided.by == "ann"


def test_a_sentence_that_was_marked_as_without_a_source_is_found_again() -> None:
    marked = kept(LEE)
    target = marked.proposal.target.model_copy(update={"text": "The water rises twice a day [no source]."})
    proposal = marked.proposal.model_copy(update={"target": target})

    found = evidence_of(
        "The water rises twice a day [@lee2020].", marked.model_copy(update={"proposal": proposal})
    )

    assert found["lee2020"].decided is not None


def test_of_two_works_each_has_the_registry_of_its_own_record() -> None:
    found = evidence_of("The water rises twice a day [@lee2020; @orr1999].", kept(LEE, ORR))

    sources = {key: each.found.sources for key, each in found.items() if each.found}
    assert sources == {"lee2020": ("crossref",), "orr1999": ("openalex",)}


def test_a_work_typed_beside_one_that_was_accepted_has_no_record() -> None:
    found = evidence_of("The water rises twice a day [@lee2020; @orr1999].", kept(LEE))

    assert found["lee2020"].found is not None
    assert found["orr1999"] == CitationEvidence(key="orr1999")


def test_a_work_that_its_writer_was_shown_has_the_passage_with_its_page() -> None:
    record = ScholarlyRecord(
        source="library", title="Tides of the northern coast", authors=(Author(family="Lee"),), year=2020
    )
    said = "Nothing new. On that coast the water rises twice a day."
    passage = EvidencePassage(number=1, text=said, record=record, quote=QUOTE)
    shown = [Gathered(passage, datetime(2026, 5, 1, tzinfo=UTC))]

    found = evidence_of("The water rises twice a day [@lee2020].", shown=shown)["lee2020"].found

    assert found is not None
    assert (found.verdict, found.support, found.overlap, found.on) == (None, "says", 1.0, "2026-05-01")
    assert found.quote == LocatedQuote(
        source="lee.pdf", quote="On that coast the water rises twice a day.", page=4
    )


def test_an_accepted_work_that_is_not_in_the_text_yet_proves_nothing() -> None:
    found = evidence_of("The water rises twice a day [@lee2020].", kept(LEE, applied=False))

    assert found["lee2020"] == CitationEvidence(key="lee2020")


def test_another_sentence_has_no_part_in_it() -> None:
    assert evidence_of("The water falls twice a day [@lee2020].", kept(LEE))["lee2020"].found is None
    assert own_words("So. [[@misc{a, title = {b}}]]") == own_words("So [@a].") == "So"
