"""Which entries of the active lorebooks a text would make fire."""

from gateway.desk.lore_reasons import untitled
from gateway.desk.scene import finding
from gateway.desk.scene.lore_reasons import LoreReasons
from gateway.desk.scene.numbers import numbering
from gateway.desk.scene.views import located
from gateway.desk.services import Services
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain.lore.scanning import scan
from schemas.lore import LoreCase


def tried(services: Services, named: str, text: str) -> LoreReasons:
    """Try the lorebook entries that ``text`` would touch if it were said; raises as ``finding.scene``.

    Entries of which no key occurs are not named.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        above = located(store, scene)
        newest = store.scenes.messages(scene.id, newest=1)
        next_round = numbering(store, scene.id).newest + 1
        case = LoreCase(
            books=store.worlds.active_books(scene.id),
            messages=(text,),
            message_number=newest[-1].number if newest else 0,
            seed=f"{scene.id}/{scene.rounds + 1}",
            timers=store.scenes.state(scene.id).timers,
            scan_messages=scene.settings.lore_scan_messages,
            tokens=scene.settings.lore_tokens,
            user=above.persona.name if above.persona else "",
        )
    counter = EstimatedTokens()
    found = scan(case, lambda content: counter.count("", [content])[0])
    return LoreReasons(
        scene=scene.id,
        round=next_round,
        step="trial",
        who="",
        verdicts=found.verdicts,
        books={each.id: each.name for each in case.books},
        untitled=dict(untitled(case.books)),
    )
