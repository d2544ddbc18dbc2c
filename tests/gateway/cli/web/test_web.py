"""``penwright web``: a link that signs in once, and tokens."""

import json

import pytest

from gateway.cli.times import minute
from gateway.desk.access import Access
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import NOW, Run, StageServices


def test_the_link_signs_in_once(run: Run, services: StageServices) -> None:
    code, out, _ = run("web", "--json")
    link = json.loads(out)["link"]
    address, _, secret = link.partition("/login#")

    assert code == 0
    assert address == "http://127.0.0.1:7280"
    assert Access(services).sign_in(secret).credential.name == "ada"


def test_the_link_is_printed_alone_for_pipes(run: Run) -> None:
    code, out, err = run("web", "--no-open")

    assert code == 0
    assert out.startswith("http://127.0.0.1:7280/login#")
    assert "once" in err


def test_that_it_waits_for_the_workspace_is_said_beside_the_answer(run: Run) -> None:
    said = "waiting for the workspace to start …"

    assert said in run("web", "--no-open")[2].splitlines()
    assert run("web", "--json")[2] == ""


def test_the_temporal_ui_has_a_link_of_its_own(run: Run) -> None:
    code, out, _ = run("web", "--temporal", "--no-open")

    assert code == 0
    assert out.startswith("http://127.0.0.1:8233/login#")


def test_without_an_engine_the_next_step_is_named(run: Run, services: StageServices) -> None:
    services.runs = False
    code, _, err = run("web")

    assert code == 1
    assert "penwright up" in err


@pytest.mark.usefixtures("in_vienna")
def test_a_token_is_listed_with_times_where_the_user_is(run: Run, services: StageServices) -> None:
    made = json.loads(run("web", "tokens", "create", "reader", "--scope", "read", "--json")[1])
    Access(services).of_token(made["secret"])

    listed = run("web", "tokens", "list")[1]

    assert f"used {minute(NOW)}" in listed
    assert "CET" in minute(NOW)


def test_tokens_are_made_listed_and_revoked(run: Run, services: StageServices) -> None:
    made = json.loads(run("web", "tokens", "create", "reader", "--scope", "read", "--json")[1])
    caller = Access(services).of_token(made["secret"])
    listed = run("web", "tokens", "list")[1]
    revoked = run("web", "tokens", "revoke", made["id"])[0]

    assert caller is not None
    assert caller.principal.scopes == {"read"}
    assert made["id"] in listed
    assert made["secret"] not in listed
    assert revoked == 0
    assert Access(services).of_token(made["secret"]) is None


@pytest.mark.parametrize(
    ("subject", "code", "exit_code"),
    [
        ("everything", "bad-subject", 2),
        ("scene/", "bad-subject", 2),
        ("worlds/1", "bad-subject", 2),
        ("scene/atlantis", "no-such-subject", 1),
        ("book/tide", "no-such-subject", 1),
        ("novel/tide", "no-such-subject", 1),
    ],
)
def test_a_token_is_for_subjects_that_exist(run: Run, subject: str, code: str, exit_code: int) -> None:
    order = ("web", "tokens", "create", "reader", "--scope", "read", "--subject")
    refused, _, err = run(*order, subject)
    later = run(*order, subject, "--future")[0]

    assert (refused, f"error[{code}]" in err) == (exit_code, True)
    assert later == (0 if code == "no-such-subject" else 2)
    assert len(json.loads(run("web", "tokens", "list", "--json")[1])["tokens"]) == (later == 0)


def test_a_token_of_a_removed_scene_opens_no_new_scene_of_that_id(run: Run, services: StageServices) -> None:
    scene = a_scene(services, a_world(services))
    order = ("web", "tokens", "create", "player", "--scope", "read", "--subject", f"scene/{scene}", "--json")
    secret = json.loads(run(*order)[1])["secret"]
    before = Access(services).of_token(secret)
    run("scene", "remove", scene, "--yes")
    again = creating.create(services, NewScene(title="The Quay", world="skerrow")).scene.id

    assert (before is not None, again) == (True, scene)
    assert Access(services).of_token(secret) is None


def test_an_unknown_scope_is_wrong_use(run: Run) -> None:
    code, _, err = run("web", "tokens", "create", "reader", "--scope", "everything")

    assert code == 2
    assert "read, write, run" in err
