"""Two clones that both wrote: the map of intents is no conflict."""

from penwright.adapters.workspace.contents import merge_contents
from penwright.domain.trace.intent_map.mapping import MapState, Notes, fold, parse, render
from penwright.domain.trace.layout import MAP
from tests.support.ledgers.json_records import came, file, record


def a_map(*headings: str, notes: str = "") -> bytes:
    state = fold([record(file("Book.md", *(came("added", heading) for heading in headings)))])
    return render(state if headings else MapState(), names={}, notes=Notes(notes)).encode()


def test_merging_two_maps_has_no_conflicts() -> None:
    merged = merge_contents(MAP, a_map(), a_map("Harbour"), a_map("Letter", notes="Mine."))

    assert merged.conflicts == ()
    parsed = parse(merged.content.decode())
    assert parsed is not None
    assert parsed[1] == Notes("Mine.")
