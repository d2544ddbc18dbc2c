"""Basis of a summary, and whether it still stands: a message may be edited meanwhile."""

from collections.abc import Iterable

from schemas.envelope import Envelope
from schemas.scene import SceneMessage, SceneState, SummaryBasis


def basis_of(envelope: Envelope) -> SummaryBasis:
    """Texts that a summariser's envelope shows."""
    return SummaryBasis(
        summary="\n\n".join(envelope.summarised_history),
        texts={int(line.id.rpartition("/")[2]): line.text for line in envelope.history},
    )


def stands(basis: SummaryBasis, state: SceneState, messages: Iterable[SceneMessage]) -> bool:
    """Whether all that was shown reads the same now.

    Args:
        messages: at least those with the numbers of the basis, without hidden ones.
    """
    now = {message.number: message.text for message in messages}
    return state.summary == basis.summary and all(
        now.get(number) == text for number, text in basis.texts.items()
    )
