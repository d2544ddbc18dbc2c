"""Stands for every type of workflow that there is none of."""

from collections.abc import Sequence

from temporalio import workflow
from temporalio.common import RawValue

from penwright.errors import UsageMistake


@workflow.defn(dynamic=True)
class UnknownWorkflow:
    """Fails by name at once; without it a worker would repeat the first task for ever.

    A child, or what continues another run, is started by a workflow of ours: its type may be one of the next
    release, so that task is repeated until a worker knows it.
    """

    @workflow.run
    async def run(self, given: Sequence[RawValue]) -> None:
        info = workflow.info()
        said = f"there is no workflow {info.workflow_type!r} here; nothing was done"
        if info.parent is not None or info.continued_run_id is not None:
            raise RuntimeError(said)
        raise UsageMistake("workflow-unknown", said, hint="start runs with `penwright`")
