"""Estimate of a citation scan's cost, before it is started."""

from dataclasses import dataclass

from gateway.desk.citations import scans
from gateway.desk.manuscript import scenes
from gateway.desk.manuscript.estimating import RoleEstimate, role_estimate
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.targets import windows_of
from schemas.model_catalog import ModelCatalog
from workers.model_catalog import catalog

_PROMPT_TOKENS = 1_200
"""Of a role's own instructions."""
_SIGNS_PER_TOKEN = 3
_RECORD_TOKENS = 6_000
"""Of the records that the generator picks from, with their abstracts."""
_CITATION_TOKENS = 4_000
"""Of the manuscript's own citations in its prompt."""
_LOOK_UPS = 12
"""Questions to registries for one sentence: searches, then each work picked once more."""


@dataclass(frozen=True, slots=True)
class ScanEstimate:
    """Most that a scan may need."""

    roles: tuple[RoleEstimate, ...]
    sentences: int
    """Sentences that may be cited for."""
    targets: int
    """Sentences that are looked up at most."""
    look_ups: int
    """Questions to registries at most."""


def estimate(services: Services, models: ModelCatalog, found: Document, max_targets: int) -> ScanEstimate:
    """The calls of a scan at most; starts nothing.

    Raises:
        NotFound: ``no-such-scene``.
    """
    windows = windows_of(sentences_of(scenes.show(services, found.novel, found.scene).text))
    sentences = sum(len(each.numbers) for each in windows)
    targets = min(max_targets, sentences)
    shown = max((len(each.text) for each in windows), default=0) // _SIGNS_PER_TOKEN
    naming = -(-targets // 10) + len(windows) if windows else 0
    read_naming = _PROMPT_TOKENS + shown
    read_citing = _PROMPT_TOKENS + _CITATION_TOKENS + _RECORD_TOKENS // 2
    return ScanEstimate(
        roles=(
            role_estimate(models, "citation-orchestrator", naming, read_naming),
            role_estimate(models, "citation-generator", 2 * targets, read_citing),
        ),
        sentences=sentences,
        targets=targets,
        look_ups=targets * _LOOK_UPS,
    )


def estimate_now(services: Services, found: Document, max_targets: int | None = None) -> ScanEstimate:
    """The same with the models of this home, and the document's own limit where none is named."""
    most = scans.most_targets(services, found) if max_targets is None else max_targets
    return estimate(services, catalog(services.loaded().settings), found, most)
