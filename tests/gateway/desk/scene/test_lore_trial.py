"""What a text would make fire, told in names that people know."""

from gateway.desk.scene import lore_reasons
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.lorebooks import Place
from schemas.lore import Lorebook, LoreEntry
from tests.support.gateway.services import StageServices


def test_an_entry_without_a_title_is_known_by_its_keys(services: StageServices) -> None:
    entries = (LoreEntry(uid="7f3a", keys=("lamp", "light"), content="The lamp is out."),)
    services.store.worlds.create(Lorebook(id="", name="The Shore", entries=entries))
    lorebooks.attach(services, "The Shore", Place("world", "Skerrow"))

    found = lore_reasons.tried(services, "quay", "Who lit the lamp?")

    assert [found.name_of(each) for each in found.verdicts] == ["“lamp, light” (in The Shore)"]
