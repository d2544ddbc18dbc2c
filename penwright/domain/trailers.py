"""Names of the commit trailers of all pipelines; a pipeline's own is in its profile (``subject_trailer``)."""

from collections.abc import Sequence
from typing import Final

_BETWEEN: Final = ", "
"""Between several models."""
OP: Final = "Penwright-Op"
"""The op id: a repeated attempt finds the commit of the first by it."""
REQUEST: Final = "Penwright-Request"
"""A digest of what was asked under the op id."""
SAVE_OP: Final = "Penwright-Save-Op"
"""The op id of the request before whose work a person's unsaved edits were committed."""
MERGE_OP: Final = "Penwright-Merge-Op"
"""The op id of the request that merged the remote."""
TAG: Final = "Penwright-Tag"
CONTRIBUTOR: Final = "Penwright-Contributor"
SYNC: Final = "Penwright-Sync"
"""The commit up to which people's edits have been read."""
RECONCILED: Final = "Penwright-Reconciled"
TRANSPLANTED: Final = "Penwright-Transplanted"
"""The commit that this one repeats on another parent."""
SESSION: Final = "Penwright-Session"
STEP: Final = "Penwright-Step"
RESET: Final = "reset"
"""Value of ``STEP`` on the commit with which a new life of the subject begins."""
READ: Final = "read"
"""Value of ``STEP`` in a commit of readings."""
RESULT: Final = "Penwright-Result"
"""Digest and size of the stored result of the activity that made the commit."""
INTENT: Final = "Penwright-Intent"
APPROVAL: Final = "Approved-By"
AGENT: Final = "Penwright-Agent"
RUN: Final = "Penwright-Run"
MODEL: Final = "Penwright-Model"
"""The model that wrote, or several: see ``joined_models``."""
OVERRIDES: Final = "Penwright-Overrides"
"""Tag of the override set with which the model's agent worked."""
AUTHORSHIP: Final = "Penwright-Authorship"
"""Author of the new text, where declared: ``human``, ``model``, ``mixed`` or ``unknown``."""
RESTORED: Final = "Penwright-Restored"
"""The commit whose text of one file came back; ``none`` for the empty text before the first."""
PERSON: Final = "Penwright-Person"
"""The principal who typed, where logins tell people apart."""
CO_AUTHOR: Final = "Co-authored-by"
"""Another author of a squash, as git's hosts note them; several with commas between."""


def co_authors(people: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The trailer that names other authors, who have no address here; none without any."""
    names = (" ".join(name.translate(_NO_NAME).split()) for name in people)
    return ((CO_AUTHOR, _BETWEEN.join(f"{name} <>" for name in names)),) if people else ()


_NO_NAME = str.maketrans("<>,", "   ")


def joined_models(*models: str) -> str:
    """One value of some, each once, in order; each of them may be such a value itself."""
    return _BETWEEN.join(dict.fromkeys(each for value in models for each in models_in(value)))


def models_in(value: str) -> tuple[str, ...]:
    """The models that a value names."""
    return tuple(filter(None, value.split(_BETWEEN)))
