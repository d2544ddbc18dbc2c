"""Two clones that both wrote: the map of intents is no conflict."""

from penwright.adapters.workspace.contents import merge_contents
from penwright.domain.trace.chain import line_of
from penwright.domain.trace.intent_map.mapping import Notes, notes_in, render
from penwright.domain.trace.intent_map.tallies import map_state
from penwright.domain.trace.layout import MAP
from tests.support.ledgers.json_records import came, file, record


def a_map(*headings: str, notes: str = "") -> bytes:
    lines = line_of(record(file("Book.md", *(came("added", heading) for heading in headings))))
    tallies = map_state([lines] if headings else []).tallies()
    return render(tallies, names={}, notes=Notes(notes)).encode()


def test_merging_two_maps_has_no_conflicts() -> None:
    merged = merge_contents(MAP, a_map(), a_map("Harbour"), a_map("Letter", notes="Mine."))

    assert merged.conflicts == ()
    assert notes_in(merged.content.decode()) == Notes("Mine.")
    assert "| Book.md | Harbour |" in merged.content.decode()
