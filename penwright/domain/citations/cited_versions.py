"""Which of a scene's versions brought citations last, and what was there before."""

from collections.abc import Sequence

from penwright.domain.trailers import SESSION, STEP
from penwright.errors import Refused
from schemas.workspace import FileVersion

CITE_STEP = "cite"
"""The step that commits of a citation scan name."""


def last_cited(versions: Sequence[FileVersion]) -> tuple[FileVersion, FileVersion]:
    """The version with the citations that were put in last, and the one before them.

    What one run put in is taken together, unless another change of the scene came in between.

    Args:
        versions: the scene's, newest first.

    Raises:
        Refused: ``nothing-cited``.
    """
    newest = next((at for at, each in enumerate(versions) if is_cited(each)), len(versions))
    before = newest + 1
    while before < len(versions) and _is_of(versions[before], versions[newest]):
        before += 1
    if before >= len(versions):
        raise Refused("nothing-cited", "no citation was put into the text, so there is nothing to take back")
    return versions[newest], versions[before]


def is_cited(version: FileVersion) -> bool:
    """Whether a citation scan made a version."""
    return version.trailers.get(STEP) == CITE_STEP


def _is_of(version: FileVersion, cited: FileVersion) -> bool:
    return is_cited(version) and version.trailers.get(SESSION) == cited.trailers.get(SESSION)
