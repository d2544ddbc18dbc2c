"""A record as the citation generator reads it."""

from penwright.domain.citations.scanning.offering import line_of
from schemas.scholarly import Author, ScholarlyRecord

LONG = "x" * 20_000


def test_a_record_of_long_fields_takes_little_of_a_prompt() -> None:
    authors = tuple(Author(family=LONG, given=LONG) for _ in range(50))
    record = ScholarlyRecord(
        source="crossref", title=f"Tides {LONG}", authors=authors, container=LONG, doi=LONG, abstract=LONG
    )

    line = line_of(record)

    assert line.startswith("Tides xxx")
    assert len(line) < 4_000


def test_a_record_of_usual_length_is_whole() -> None:
    record = ScholarlyRecord(
        source="crossref",
        title="The tides of the north sea",
        authors=(Author(family="Lee", given="Ann"),),
        container="Shores",
        year=2020,
        doi="10.1000/x",
        abstract="It rises.",
    )

    assert line_of(record) == (
        "The tides of the north sea — Lee, Ann (Shores, 2020, 10.1000/x). Abstract: It rises."
    )
