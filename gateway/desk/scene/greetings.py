"""Opening of a scene by a character's card: its first message, the other openings as alternatives.

A scene of several characters begins with an opening that is meant for groups, if the card has one.
"""

from collections.abc import Iterator

from gateway.desk.scene.exchanges import Exchange, ExchangeKeeper, speaker_of
from gateway.desk.scene.views import located
from gateway.desk.services import CommandStore, Services
from penwright.domain.lore.macros import Moment, with_macros
from penwright.domain.scene.merging import merged_at
from schemas.cards import ChatMessage
from schemas.scene import Author
from schemas.worlds import Character, Located, Scene


def greet(services: Services, store: CommandStore, scene: Scene, who: str) -> str:
    """Have the first of the cast whose card has an opening open the scene; returns its name, empty if none.

    Args:
        who: who makes the scene.
    """
    above = located(store, scene)
    cast = tuple(_cast(store, above))
    openings = ((each, _texts(each, is_group=len(cast) > 1)) for each in cast)
    opening, texts = next(((each, texts) for each, texts in openings if texts), (None, ()))
    if opening is None:
        return ""
    moment = Moment(
        character=opening.nickname or opening.name,
        user=above.persona.name if above.persona else who,
        group=tuple(each.name for each in cast),
        now=services.now(),
        seed=(scene.id, "greeting"),
        lasting_seed=(scene.id,),
    )
    said = ChatMessage(
        name=opening.name,
        speaker="character",
        alternatives=tuple(with_macros(each, moment) for each in texts),
    )
    author = Author(kind="person", name=opening.creator or who)
    keeper = ExchangeKeeper(services, scene, {speaker_of(said): opening.id}, who, author=author)
    keeper.keep(store, Exchange(None, (said,)))
    return opening.name


def _texts(character: Character, *, is_group: bool) -> tuple[str, ...]:
    """Openings of a card: those for a group first, if it is one."""
    for_groups = character.group_greetings if is_group else ()
    texts = (*for_groups, character.first_message, *character.alternate_greetings)
    return tuple(each for each in texts if each.strip())


def _cast(store: CommandStore, above: Located) -> Iterator[Character]:
    """Those present, as they are in the scene's campaign."""
    for id in above.scene.roster:
        if (character := store.worlds.read(Character, id)) is not None:
            overrides = store.worlds.overrides(id)
            yield merged_at(character, overrides, above.world.id, above.campaign.id)
