"""Take one accepted citation out of the text again; the others stay."""

import asyncio

from gateway.desk.citations import scans
from gateway.desk.manuscript import editing, scenes
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.citations.changes import without_change
from penwright.errors import Refused
from schemas.manuscript_text import TextSaved


async def take_back(
    services: Services, found: Document, number: int, *, who: str = editing.LOCAL
) -> TextSaved:
    """Put a sentence back as it was before its citation was accepted, whatever was written since elsewhere.

    Its proposal waits for a decision again.

    Args:
        number: of the target.
        who: who asks.

    Raises:
        NotFound: ``no-scan``.
        Refused: ``scan-runs``, ``unknown-target``, ``not-cited``, ``changed-since`` or ``saved-meanwhile``.
    """
    shown = await scans.review(services, found)
    if shown.running:
        said = "a scan runs; kill it or wait for its end, then take the citation back"
        raise Refused("scan-runs", said, hint=f"`penwright cite kill {found.options}` ends it")
    text = await asyncio.to_thread(scenes.show, services, found.novel, found.scene)
    without = _without(found, shown, number, text.text)
    saved = await editing.save(services, found.novel, found.scene, without, base=text.revision, principal=who)
    if saved.outcome in ("conflict", "refused"):
        said = saved.message or "the sentence was changed at the same time; nothing was done, try again"
        raise Refused(saved.code or "saved-meanwhile", said, hint=_listed(found))
    return saved


def _without(found: Document, shown: scans.Review, number: int, text: str) -> str:
    about = next((each for each in shown.targets if each.standing.number == number), None)
    if about is None:
        raise Refused("unknown-target", f"there is no target {number}", hint=_listed(found))
    if not about.standing.applied:
        said = f"the citation of sentence {number} is not in the text: it is {about.standing.state}"
        raise Refused("not-cited", said, hint=_listed(found))
    without = without_change(text, about.proposal, [each.proposal for each in shown.targets])
    if without is None:
        said = f"sentence {number} was changed since it was cited; take the citation out by hand"
        raise Refused(
            "changed-since", said, hint=f"`penwright manuscript show {found.words}` prints the text"
        )
    return without


def _listed(found: Document) -> str:
    return f"`penwright cite review {found.options}` lists the sentences with their numbers"
