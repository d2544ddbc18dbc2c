"""Packing the repositories of this host."""

from collections.abc import Mapping
from dataclasses import dataclass

from temporalio import activity

from penwright.errors import PenwrightError, WorkspaceBusy
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from schemas.housekeeping import PackRepositories, RepositoriesPacked
from schemas.records import BookRow, WorkspaceKind
from schemas.workspace import Workspace

MOST_REASONS = 10


@dataclass(frozen=True)
class PackingActivities:
    """Packs what sessions left loose; ``workspaces``: by kind of work, ``branch``: as the settings say."""

    records: Records
    workspaces: Mapping[WorkspaceKind, Workspaces]
    branch: str

    @activity.defn(no_thread_cancel_exception=True)
    def pack_repositories(self, request: PackRepositories) -> RepositoriesPacked:
        """One after the other; one that is in use, or cannot be packed, is left for the next night."""
        done = RepositoriesPacked(queue=request.queue)
        for row in self._books(request.queue):
            done = self._packed(row, done)
        return done

    def _books(self, queue: str) -> list[BookRow]:
        return [row for kind in self.workspaces for row in self.records.books(kind) if row.queue == queue]

    def _packed(self, row: BookRow, done: RepositoriesPacked) -> RepositoriesPacked:
        workspaces, workspace = self.workspaces[row.kind], Workspace(path=row.path, branch=self.branch)
        done = done.model_copy(update={"looked_at": done.looked_at + 1})
        try:
            with workspaces.kept_open(workspace):
                freed = workspaces.pack(workspace)
        except WorkspaceBusy:
            return done.model_copy(update={"busy": done.busy + 1})
        except PenwrightError as error:
            why = f"{row.book_id}: {error.code}: {error.message}"
            return done.model_copy(update={"failed": (*done.failed, why)[:MOST_REASONS]})
        if freed is None:
            return done.model_copy(update={"needless": done.needless + 1})
        return done.model_copy(update={"packed": done.packed + 1, "freed": done.freed + freed})
