"""Custom agents: register their definitions beside the built-in ones, and give their tools resources."""

import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from penwright.agents.files.filesystem import Filesystem, TreeFiles
from penwright.agents.tools.plan import PlanPublisher
from penwright.agents.tools.resources import Bindings, Resources, WorkerResources, managed, plain
from penwright.errors import NotFound, PenwrightError, UsageMistake
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from penwright.roles import catalogue
from penwright.roles.workspace.desk import WorkspaceDesk, WorkspacePublisher
from schemas.agent_run import CheckWork, RunToolCall
from schemas.base import BookId
from schemas.workspace import Workspace
from workers.settings import Settings


def register_agents(settings: Settings, *, file: Path | None = None) -> Bindings:
    """Register the agents of the settings' modules in this process; returns the bindings of their tools.

    Args:
        file: the ``penwright.toml`` of the settings; modules beside it are found after installed ones.

    Raises:
        UsageMistake: ``agents-module``, for a module that cannot be imported or has no ``AGENTS``;
            ``agents-module-fails``, for one that raises.
    """
    if settings.agents and file is not None and str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    found = [_module(name) for name in settings.agents]
    for agents, _ in found:
        catalogue.register_agents(*agents)
    return tuple(binding for _, bindings in found for binding in bindings)


def _module(name: str) -> tuple[Sequence[catalogue.Entry], Bindings]:
    try:
        module = import_module(name)
        return tuple(module.AGENTS), tuple(getattr(module, "BINDINGS", ()))
    except (ImportError, AttributeError) as error:
        raise UsageMistake(
            "agents-module",
            f"the setting `agents` names the module {name!r}, which has no agents: {error}; "
            "put it beside penwright.toml, give it `AGENTS`, or remove it from the setting",
        ) from error
    except PenwrightError:
        raise
    except (Exception, SystemExit) as error:
        # The operator's own code may raise anything, or end the process.
        raise UsageMistake(
            "agents-module-fails",
            f"the module {name!r} of the setting `agents` fails with {type(error).__name__}: {error}, in "
            f"{_place_of(error)}; correct it, or remove it from the setting",
        ) from error


def _place_of(error: BaseException) -> str:
    """File and line that an error comes from."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno} of {error.filename}"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"line {frame.lineno} of {frame.filename}"


def overrides_folder(settings: Settings) -> Path:
    """Return the folder of override sets."""
    return settings.overrides or settings.home / "overrides"


@dataclass(frozen=True, slots=True)
class BookWorkbench:
    """The worker's resources, plus for each call the files of the run's book."""

    workshop: WorkerResources
    workspaces: Workspaces
    records: Records
    branch: str

    def call(self, order: RunToolCall | CheckWork) -> AbstractAsyncContextManager[Resources]:
        """Implements ``Workbench``."""
        return self.workshop.call(
            managed(Filesystem, lambda _: self._files(order.subject), scope="call"),
            plain(WorkspaceDesk, lambda _: self._desk(order.subject), scope="call"),
        )

    def publisher(self, order: RunToolCall) -> PlanPublisher | None:
        """Implements ``Workbench``."""
        if self.records.book(BookId(order.subject)) is None:
            return None
        workspace = self._workspace(order.subject)
        return WorkspacePublisher(
            self.workspaces, workspace, order.effect, order.agent, order.run_id, order.tool
        )

    @contextmanager
    def _files(self, subject: str) -> Iterator[Filesystem]:
        with self.workspaces.tree(self._workspace(subject)) as tree:
            yield TreeFiles(tree)

    def _desk(self, subject: str) -> WorkspaceDesk:
        return WorkspaceDesk(self.workspaces, self._workspace(subject))

    def _workspace(self, subject: str) -> Workspace:
        book = self.records.book(BookId(subject))
        if book is None:
            raise NotFound(
                "unknown-book", f"there is no book {subject!r}; `penwright book list` shows them all"
            )
        return Workspace(path=book.path, branch=self.branch)
