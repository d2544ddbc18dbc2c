"""The sandbox of workflows loads each of them once in a process."""

import pytest
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxRestrictions
from temporalio.workflow import _Definition

from workers.sandbox import Sandbox
from workflows.holding import DocumentLock
from workflows.notification import Notification


async def test_a_workflow_is_loaded_for_the_first_worker_only(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[type] = []

    def create(self: Sandbox, det: WorkflowInstanceDetails) -> WorkflowInstance:
        loaded.append(det.defn.cls)
        return made(self, det)

    made = Sandbox.create_instance
    monkeypatch.setattr(Sandbox, "create_instance", create)
    sandbox = Sandbox(SandboxRestrictions.default)
    for each in (DocumentLock, Notification, DocumentLock):
        sandbox.prepare_workflow(_Definition.must_from_class(each))

    assert loaded == [DocumentLock, Notification]


async def test_a_workflow_that_did_not_load_is_refused_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Sandbox, det: WorkflowInstanceDetails) -> WorkflowInstance:
        raise RuntimeError("not to be loaded")

    monkeypatch.setattr(Sandbox, "create_instance", refuse)
    sandbox = Sandbox(SandboxRestrictions.default)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="not to be loaded"):
            sandbox.prepare_workflow(_Definition.must_from_class(DocumentLock))
