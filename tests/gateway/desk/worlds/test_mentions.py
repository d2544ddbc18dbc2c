"""Mentions of a lorebook in a text, as the desk finds them."""

import pytest

from gateway.desk.principals import Principal, local_user
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.mentions import MentionDesk
from gateway.desk.worlds.storing import EntityFields
from penwright.errors import NotFound, Refused
from schemas.lore import Lorebook, LoreEntry
from tests.support.gateway.services import StageServices

ADA = local_user("ada")
TEXT = "The lamp of the ferry is out."


@pytest.fixture
def book(services: StageServices) -> str:
    """Id of a lorebook with one entry, about a lamp."""
    entries = (LoreEntry(uid="1", title="Lamp", keys=("lamp",), content="It is out."),)
    return services.store.worlds.create(Lorebook(id="", name="The Shore", entries=entries)).id


def words(desk: MentionDesk, book: str) -> list[str]:
    return [TEXT[each.start : each.end] for each in desk.find(ADA, book, TEXT)]


def test_an_entry_is_mentioned_as_soon_as_it_is_stored(services: StageServices, book: str) -> None:
    desk = MentionDesk(services)
    before = words(desk, book)
    lorebooks.add_entry(
        services, book, EntityFields(values={"content": "Slack water only.", "keys": ["ferry"]})
    )

    assert before == ["lamp"]
    assert words(desk, book) == ["lamp", "ferry"]


def test_the_keys_of_a_book_are_read_once(
    services: StageServices, book: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def build(book: Lorebook) -> object:
        built.append(book.id)
        return real(book)

    from penwright.domain.lore import index

    real = index.build
    monkeypatch.setattr(index, "build", build)
    desk = MentionDesk(services)

    assert words(desk, book) == words(desk, book) == ["lamp"]
    assert built == [book]


def test_a_caller_who_may_not_see_lore_learns_nothing(services: StageServices, book: str) -> None:
    writer = Principal("ben", frozenset({"read", "write"}), frozenset({"book/1"}))

    with pytest.raises(Refused, match="may not touch worlds"):
        MentionDesk(services).find(writer, book, TEXT)


def test_a_book_that_is_not_there_is_named(services: StageServices) -> None:
    with pytest.raises(NotFound, match="there is no lorebook 'mars'"):
        MentionDesk(services).find(ADA, "mars", TEXT)
