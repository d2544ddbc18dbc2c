"""What `scene show --envelope` tells of an envelope adds up."""

from hypothesis import given, settings

from penwright.domain.models.cautious_tokens import cautious_counts
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.sizes import dropped_reasons, size_line, size_rows
from schemas.envelope import Envelope, EnvelopeCase, PromptRoom
from tests.support.scenes.envelopes import ROOM, built, case, cases, rounds


@settings(max_examples=40, deadline=None)
@given(cases())
def test_the_rows_add_up_to_the_context_and_count_every_item(case: EnvelopeCase) -> None:
    envelope = build(case, cautious_counts, ROOM)
    if not isinstance(envelope, Envelope):
        return
    rows = size_rows(envelope)

    assert sum(row.used for row in rows) == envelope.budget.context
    assert all(row.allotted + row.given == row.used for row in rows)
    assert sum(row.kept + row.dropped for row in rows if row.section != "cast") == sum(
        item.section != "people" for item in envelope.items
    )


def test_a_long_scene_shows_its_rows_and_what_was_dropped() -> None:
    envelope = built(case("director", messages=rounds(60), round=61))
    rows = {row.section: row for row in size_rows(envelope)}

    assert list(rows)[:2] == ["answer", "instructions"]
    assert list(rows)[-1] == "left"
    assert (rows["answer"].used, rows["instructions"].used) == (700, 300)
    assert rows["history"].kept > 3
    assert rows["history"].kept + rows["history"].dropped == 180
    assert rows["cast"].kept == 3
    assert {item.section for item in dropped_reasons(envelope)} == {"history", "summaries"}


def test_the_line_says_whether_counts_are_estimates() -> None:
    estimated = built(case(), PromptRoom(counter="about (by letters)"))
    exact = built(case(), PromptRoom(counter="gpt-4o"))

    assert size_line(estimated.budget).endswith("700 of them for the answer; counter: about (by letters)")
    assert size_line(exact.budget).endswith("700 of them for the answer; counter: gpt-4o")
