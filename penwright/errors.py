"""The tree of our own errors, by who must act.

PenwrightError
├── PermanentError        a retry fails again until a person changes something
│   ├── UsageMistake        the call itself is wrong
│   ├── NotFound            the named thing does not exist
│   ├── ChainBroken         messages of a run are missing in the store; its workflow appends them again
│   ├── Refused             a rule forbids it; nothing was changed
│   ├── BrokenBook          the author must fix a file of the book
│   ├── BrokenWorkspace     the repository is in a state that we must not touch
│   ├── BrokenDefinition    the definition of an agent is invalid; its developer must fix it
│   ├── ModelFinal          the provider would give the same answer again
│   └── BudgetSpent         a cap is reached; raise it or wait
├── PassingError          a retry may succeed
│   ├── WorkspaceBusy       another process holds the repository
│   ├── RemoteUnavailable   the git remote did not answer
│   ├── StoreUnavailable    PostgreSQL did not answer
│   ├── EngineUnavailable   Temporal did not answer
│   └── ModelUnavailable    the provider did not answer, or asked us to wait
└── ModelMistake          the model can correct it; the message is advice to the model
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from penwright.masking import masked


class PenwrightError(Exception):
    """One of our own errors: a stable code, a message that ends in what to do, and details for programs."""

    retryable = False
    family: ClassVar[str] = ""
    """Names the class of this tree wherever an error travels as data; a subclass defined elsewhere keeps its
    base's."""

    def __init__(self, code: str, message: str, **details: str) -> None:
        self.message = masked(message)
        super().__init__(self.message)
        self.code = code
        self.details: Mapping[str, str] = {name: masked(value) for name, value in details.items()}

    def __reduce__(self) -> tuple[object, ...]:
        return (_revive, (type(self), self.code, self.message, dict(self.details)))


def _revive(kind: type[PenwrightError], code: str, message: str, details: dict[str, str]) -> PenwrightError:
    return kind(code, message, **details)


class PermanentError(PenwrightError):
    """A retry fails again until a person changes something."""

    family = "permanent"


class UsageMistake(PermanentError):
    """The call itself is wrong."""

    family = "usage"


class NotFound(PermanentError):
    """The named thing does not exist."""

    family = "not-found"


class ChainBroken(PermanentError):
    """Messages of a run are missing in the store; its workflow appends them again."""

    family = "chain-broken"


class Refused(PermanentError):
    """A rule forbids it; nothing was changed."""

    family = "refused"


class BrokenBook(PermanentError):
    """The author must fix a file of the book."""

    family = "broken-book"


class BrokenWorkspace(PermanentError):
    """The repository is in a state that we must not touch."""

    family = "broken-workspace"


class BrokenDefinition(PermanentError):
    """The definition of an agent is invalid; its developer must fix it."""

    family = "broken-definition"


class ModelFinal(PermanentError):
    """The provider would give the same answer again."""

    family = "model-final"


class BudgetSpent(PermanentError):
    """A cap is reached; raise it or wait."""

    family = "budget-spent"


class PassingError(PenwrightError):
    """A retry may succeed."""

    family = "passing"
    retryable = True


class WorkspaceBusy(PassingError):
    """Another process holds the repository."""

    family = "workspace-busy"


class RemoteUnavailable(PassingError):
    """The git remote did not answer."""

    family = "remote-unavailable"


class StoreUnavailable(PassingError):
    """PostgreSQL did not answer."""

    family = "store-unavailable"


class EngineUnavailable(PassingError):
    """Temporal did not answer."""

    family = "engine-unavailable"


class ModelUnavailable(PassingError):
    """The provider did not answer, or asked us to wait ``retry_after_s`` seconds."""

    family = "model-unavailable"

    def __init__(
        self, code: str, message: str, *, retry_after_s: float | None = None, **details: str
    ) -> None:
        super().__init__(code, message, **details)
        self.retry_after_s = retry_after_s


class ModelMistake(PenwrightError):
    """The model can correct it; the message is advice to the model."""

    family = "model-mistake"


_FAMILIES: Final[Mapping[str, type[PenwrightError]]] = {
    kind.family: kind
    for kind in (
        PermanentError,
        UsageMistake,
        NotFound,
        ChainBroken,
        Refused,
        BrokenBook,
        BrokenWorkspace,
        BrokenDefinition,
        ModelFinal,
        BudgetSpent,
        PassingError,
        WorkspaceBusy,
        RemoteUnavailable,
        StoreUnavailable,
        EngineUnavailable,
        ModelUnavailable,
        ModelMistake,
    )
}


def error_of(
    family: str, code: str, message: str, details: Mapping[str, str], *, retryable: bool = False
) -> PenwrightError:
    """The error that travelled as data.

    Args:
        family: ``PenwrightError.family``; unknown or empty means ``PassingError`` if ``retryable``, else
            ``PermanentError``.
        details: facts about it; ``code`` and ``message`` are left out, because they stand for themselves.
    """
    kind = _FAMILIES.get(family, PassingError if retryable else PermanentError)
    facts = {name: value for name, value in details.items() if name not in ("code", "message")}
    return kind(code, message, **facts)
