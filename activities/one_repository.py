"""One opened repository for everything that an activity asks of a workspace."""

from collections.abc import Callable
from functools import wraps
from typing import Protocol, TypeVar

from penwright.ports import Workspaces
from schemas.workspace import Workspace


class _Activities(Protocol):
    @property
    def workspaces(self) -> Workspaces: ...


class _Request(Protocol):
    @property
    def workspace(self) -> Workspace: ...


ActivitiesT = TypeVar("ActivitiesT", bound=_Activities)
RequestT = TypeVar("RequestT", bound=_Request)
Result = TypeVar("Result")


def in_one_repository(
    method: Callable[[ActivitiesT, RequestT], Result],
) -> Callable[[ActivitiesT, RequestT], Result]:
    """Open the request's workspace once for the whole of ``method``, and close it in the end."""

    @wraps(method)
    def opened(self: ActivitiesT, request: RequestT) -> Result:
        with self.workspaces.kept_open(request.workspace):
            return method(self, request)

    return opened
