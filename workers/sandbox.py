"""The workflow sandbox, entered only to run workflow code; unfit starts and orders are told by name."""

from typing import Any

from temporalio.converter import StorageDriverStoreContext
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import Info
from temporalio.workflow import _Definition as Definition

from workers.order_inputs import refuse, take_unfit
from workers.start_inputs import unfit_start

_ANYWHERE = StorageDriverStoreContext(target=None)


class Sandbox(SandboxedWorkflowRunner):
    """The SDK's sandbox without its calls for serialization contexts.

    The SDK enters the sandbox several times per payload, 0.3 ms each, to ask for the converter's context.
    Our converter ignores contexts, so the answer is constant. Nor does it load a workflow that it has loaded
    before for another worker of this process: with the tests' sandbox, which imports all rules again for
    each workflow, that would take most of the start of a worker.
    """

    def __init__(self, restrictions: SandboxRestrictions) -> None:
        super().__init__(restrictions=restrictions)
        self._loaded: set[type] = set()

    def prepare_workflow(self, defn: Definition) -> None:
        if defn.cls not in self._loaded:
            super().prepare_workflow(defn)
            self._loaded.add(defn.cls)

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        return _Run(super().create_instance(det), det)


class _Run(WorkflowInstance):
    def __init__(self, inside: WorkflowInstance, details: WorkflowInstanceDetails) -> None:
        self._inside = inside
        self._details = details

    # Any: messages of the SDK's own protocol, here and below.
    def activate(self, act: Any) -> Any:
        refused = take_unfit(self._details, act)
        completion = self._inside.activate(act)
        if completion.HasField("failed") and (unfit := unfit_start(self._details, act)) is not None:
            completion.successful.Clear()  # the message holds either of both
            completion.successful.commands.add().fail_workflow_execution.failure.CopyFrom(unfit)
        if completion.HasField("successful"):
            refuse(self._details, completion, refused)
        return completion

    def get_info(self) -> Info:
        return self._inside.get_info()

    def get_thread_id(self) -> int | None:
        return self._inside.get_thread_id()

    def get_serialization_context(self, command_info: Any) -> None:
        return None

    def get_external_store_context(self, command_info: Any) -> StorageDriverStoreContext:
        return _ANYWHERE
