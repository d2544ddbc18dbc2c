"""``penwright intent`` and ``penwright trace`` in a novel's folder."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from activities.manuscripts.text import ManuscriptTextActivities
from gateway.desk.works import novels
from schemas.base import Effect, OpId
from schemas.intents import ApprovalNeed, ApprovalRequest
from schemas.manuscript_text import ApplyOperations, OperationsApplied, SelectSceneIntent
from schemas.patching import Operation
from tests.gateway.cli.manuscript.conftest import DRAFT
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.services import NOW, Run, StageServices, git_in


def written_by_a_model(services: StageServices, novel: Path, find: str, by: str) -> OperationsApplied:
    """What the loop does: one operation under the novel's intent."""
    found = novels.at(services, novel)
    ask = ManuscriptTextActivities(services.workspaces("novel"), services.store.blobs)
    order = SelectSceneIntent(subject=found.novel_id, workspace=found.workspace, scene="-")
    operation = Operation(kind="replace", find=find, replace=by)
    request = ApplyOperations(
        effect=Effect(op_id=OpId(f"t:{find}"), issued_at=services.clock.now()),
        subject=found.novel_id,
        workspace=found.workspace,
        session="s1",
        scene="-",
        snapshot=services.store.blobs.put(DRAFT.encode()),
        operations=services.store.blobs.put(f"[{operation.model_dump_json()}]".encode()),
        pin=ask.select_scene_intent(order).pin,
        model="scripted/one",
    )
    return ask.apply_operations(request)


def answer(run: Run, *arguments: str) -> Any:  # JSON
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_the_intents_of_a_novel_are_listed_shown_added_and_blocked(run: Run, novel: Path) -> None:
    (first,) = answer(run, "intent", "list", str(novel))["intents"]
    added = answer(
        run, "intent", "add", str(novel), "--name", "Tighten", "--scope", "scenes/pier.md", "--start"
    )
    blocked = answer(run, "intent", "block", "INT-001", str(novel))
    shown = answer(run, "intent", "show", "INT-002", str(novel))
    checked = answer(run, "intent", "check", str(novel))
    selected = answer(run, "intent", "select", "INT-002", str(novel))

    assert first["owned_scope"] == ["scenes/**", "manuscript.md", "references.bib"]
    assert (added["intent"]["id"], blocked["intent"]["status"]) == ("INT-002", "BLOCKED")
    assert (shown["name"], checked["status"]) == ("Tighten", "healthy")
    assert "INT-002" in selected["context"]


def test_a_blocked_intent_stops_the_models_and_not_the_person(
    run: Run, services: StageServices, novel: Path
) -> None:
    answer(run, "intent", "add", str(novel), "--name", "Other", "--scope", "scenes/x.md", "--start")
    done = written_by_a_model(services, novel, "the lamps", "the boats")
    answer(run, "intent", "block", "INT-001", str(novel))

    undone = answer(run, "manuscript", "undo", str(novel), "--yes")

    assert done.outcome == "applied"
    assert undone["status"] == "restored"


def test_the_trace_of_a_novel_is_verified_blamed_and_disclosed(
    run: Run, services: StageServices, novel: Path
) -> None:
    written_by_a_model(services, novel, "The keeper counts the lamps at dusk.", "The keeper counts nothing.")

    verified = answer(run, "trace", "verify", str(novel))
    blamed = run("trace", "blame", "manuscript.md", str(novel))
    why = answer(run, "trace", "why", "HEAD", str(novel))
    disclosed = answer(run, "trace", "disclose", str(novel))
    mapped = run("trace", "map", str(novel), "--check")

    assert (verified["clean"], verified["findings"]) == (True, [])
    assert "scripted/one" in blamed[1]
    assert "INT-001" in json.dumps(why)
    assert disclosed["path"] == "manuscript.md"
    assert disclosed["total"]["mixed"] == 4
    assert mapped[0] == 0


def test_a_change_past_the_gate_is_found(run: Run, services: StageServices, novel: Path) -> None:
    written_by_a_model(services, novel, "the lamps", "the boats")
    ledger = novel / ".orchestration/agent_trace.jsonl"
    ledger.write_text(ledger.read_text().replace("INT-001", "INT-009"))
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qam", "tamper")

    code, _, _ = run("trace", "verify", str(novel))

    assert code == 1


@pytest.fixture
def waiting(services: StageServices, novel: Path) -> ApprovalRequest:
    """A run on the manuscript that waits for a person."""
    found = novels.at(services, novel)
    need = ApprovalNeed(
        plan_digest="sha256:1",
        intent_id="INT-001",
        codes=("SCOPE_VIOLATION",),
        reasons=("'notes.md' is not in its scope",),
        hint="leave it",
        paths=("notes.md",),
        denied=("notes.md",),
        diff="-One.\n+Two.\n",
    )
    request = ApprovalRequest(
        id="AP-1",
        need=need,
        effect=Effect(op_id=OpId("m:1"), issued_at=NOW),
        expires_at=datetime(2026, 2, 22, 15, tzinfo=UTC) + timedelta(hours=1),
    )
    services.approvals.asked[found.novel_id, "-"] = request
    return request


def test_what_waits_on_a_scene_is_shown_and_approved(
    run: Run, services: StageServices, novel: Path, waiting: ApprovalRequest
) -> None:
    shown = answer(run, "intent", "pending", str(novel))
    said = run("intent", "pending", str(novel))[1]

    decided = answer(run, "intent", "approve", str(novel), "--reason", "fine")

    assert (shown["pending"][0]["id"], shown["pending"][0]["scene"]) == (waiting.id, "-")
    assert "scene '-'" in said
    assert (decided["status"], decided["by"]) == ("approved", "ada")
    ((_, scene, decision),) = services.approvals.decided
    assert (scene, decision.plan_digest, decision.reason) == ("-", "sha256:1", "fine")


def test_of_several_that_wait_one_must_be_named(
    run: Run, services: StageServices, novel: Path, waiting: ApprovalRequest
) -> None:
    found = novels.at(services, novel)
    services.approvals.asked[found.novel_id, "pier"] = waiting.model_copy(update={"id": "AP-2"})

    code, _, err = run("intent", "deny", str(novel))
    followed = ends_of_steps(run, err)
    answer(run, "intent", "deny", str(novel), "AP-2")

    assert (code, "error[which-approval]" in err, "AP-1, AP-2" in err) == (3, True, True)
    assert followed == [0]
    assert [scene for _, scene, _ in services.approvals.decided] == ["pier"]


def test_nothing_to_approve_is_said(run: Run, novel: Path) -> None:
    code, _, err = run("intent", "approve", str(novel))

    assert (code, "error[nothing-to-approve]" in err, "penwright manuscript" in err) == (3, True, True)
    assert answer(run, "intent", "pending", str(novel))["pending"] == []
