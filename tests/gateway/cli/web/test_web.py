"""``penwright web``: a link that signs in once, and tokens."""

import json

from gateway.desk.access import Access
from tests.support.gateway.services import Run, StageServices


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


def test_the_temporal_ui_has_a_link_of_its_own(run: Run) -> None:
    code, out, _ = run("web", "--temporal", "--no-open")

    assert code == 0
    assert out.startswith("http://127.0.0.1:8233/login#")


def test_without_an_engine_the_next_step_is_named(run: Run, services: StageServices) -> None:
    services.runs = False
    code, _, err = run("web")

    assert code == 1
    assert "penwright up" in err


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


def test_an_unknown_scope_is_wrong_use(run: Run) -> None:
    code, _, err = run("web", "tokens", "create", "reader", "--scope", "everything")

    assert code == 2
    assert "read, write, run" in err
