"""What a signature covers, which orders are obeyed once, and who may read the key."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from temporalio.api.common.v1 import Payload
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from penwright.errors import PermanentError
from tests.support.each import for_each
from tests.support.gateway.advised_states import steps_in
from workers.orders.key_file import FILE_NAME, new_key, prepare_key, read_key, text_of
from workers.orders.receiving import MOST, SeenOrders
from workers.orders.signatures import ORDER_HEADER, START_HEADER, Key, Order, digest_of
from workers.payloads.values import BoundedPayloadConverter, payloads_of
from workers.settings import EngineSettings, Settings, load

KEY = Key(b"k" * 32, since=1)
ORDER = Order(kind="signal", workflow="book/7", name="kill", arguments="abc", id="1", at=5)


def test_a_sealed_order_is_opened_with_its_key() -> None:
    assert KEY.open({ORDER_HEADER: KEY.seal(ORDER)}, ORDER_HEADER) == ORDER


def test_another_key_opens_nothing() -> None:
    assert Key(b"x" * 32).open({ORDER_HEADER: KEY.seal(ORDER)}, ORDER_HEADER) is None


@for_each(
    "field, value",
    [
        ("kind", "update"),
        ("workflow", "book/8"),
        ("name", "resume"),
        ("arguments", "abd"),
        ("id", "2"),
        ("at", 6),
    ],
)
def test_an_order_that_was_changed_is_not_opened(field: str, value: str | int) -> None:
    sealed = json.loads(KEY.seal(ORDER).data)
    sealed["order"] = json.dumps({**json.loads(sealed["order"]), field: value})

    assert KEY.open({ORDER_HEADER: Payload(data=json.dumps(sealed).encode())}, ORDER_HEADER) is None


@given(st.binary(max_size=80))
def test_a_header_of_any_bytes_is_no_order_and_no_failure(data: bytes) -> None:
    assert KEY.open({START_HEADER: Payload(data=data)}, START_HEADER) is None


@pytest.mark.parametrize(
    "data", [b"[]", b"1", b'{"order": {}, "mac": null}', b'{"order": "\\ud800", "mac": "\\ud800"}']
)
def test_a_header_of_other_json_is_no_order(data: bytes) -> None:
    assert KEY.open({START_HEADER: Payload(data=data)}, START_HEADER) is None


def test_the_secret_is_in_no_description_of_the_key() -> None:
    assert "kkk" not in repr(KEY)


def test_arguments_have_one_digest_before_and_after_their_way() -> None:
    payloads = BoundedPayloadConverter().to_payloads([{"b": 1, "a": [1.5, None]}, None])
    read = BoundedPayloadConverter().from_payloads(payloads)

    assert digest_of(payloads_of(read) or ()) == digest_of(payloads)
    assert digest_of(payloads) != digest_of(payloads[:1])
    assert digest_of([Payload(data=b"ab"), Payload(data=b"c")]) != digest_of(
        [Payload(data=b"a"), Payload(data=b"bc")]
    )


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 60)), max_size=300))
def test_no_order_is_obeyed_twice_however_many_there_were(orders: list[tuple[int, int]]) -> None:
    heard, obeyed = SeenOrders(), []
    for number, at in orders:
        if heard.is_new(str(number), at):
            heard.note(str(number), at)
            obeyed.append((number, at))

    assert len(obeyed) == len({number for number, _ in obeyed})


def test_the_memory_is_bounded_and_what_it_forgets_is_not_new() -> None:
    heard = SeenOrders()
    for number in range(3 * MOST):
        assert heard.is_new(str(number), number + 1), "orders in the sequence of their making are obeyed"
        heard.note(str(number), number + 1)

    assert len(heard.newest) == MOST
    assert not any(heard.is_new(str(number), number + 1) for number in range(3 * MOST))


def test_a_run_that_continues_another_knows_what_that_obeyed() -> None:
    before = SeenOrders(floor=10)
    before.note("a", 20)
    after = SeenOrders(before.newest, before.floor)

    assert not after.is_new("a", 20)
    assert not after.is_new("b", 10)
    assert after.is_new("b", 11)


def settings(home: Path, *, shared: bool) -> Settings:
    """Of an engine in ``home``."""
    return Settings(home=home, engine=EngineSettings(shared=shared))


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    here = settings(tmp_path, shared=True)
    prepare_key(here)
    first = read_key(here)
    prepare_key(here)

    assert first is not None
    assert read_key(here) == first
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_without_the_setting_there_is_no_key(tmp_path: Path) -> None:
    prepare_key(settings(tmp_path, shared=False))

    assert read_key(settings(tmp_path, shared=False)) is None


def test_turned_off_and_on_the_key_stays_and_counts_anew(tmp_path: Path) -> None:
    on, off = settings(tmp_path, shared=True), settings(tmp_path, shared=False)
    prepare_key(on)
    first = read_key(on)
    prepare_key(off)
    between = read_key(off)
    prepare_key(on)
    second = read_key(on)

    assert first is not None
    assert between is not None
    assert second is not None
    assert first.secret == between.secret == second.secret
    assert between.since is None
    assert second.since is not None
    assert first.since is not None
    assert second.since > first.since


def test_a_missing_key_is_there_once_it_was_made_or_set_as_advised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = settings(tmp_path, shared=True)
    with pytest.raises(PermanentError) as missing:
        read_key(here)
    (_, step) = steps_in(missing.value.details["hint"], [])
    ended = output.run(get_command(cli.app), "penwright", step)
    name, _, key = capsys.readouterr().out.strip().partition("=")
    elsewhere = load({"PENWRIGHT_CONFIG": "", "PENWRIGHT_ENGINE__SHARED": "true", name: key}).settings

    assert (missing.value.code, ended) == ("orders-key-missing", 0)
    assert read_key(elsewhere) is not None
    # The other step, `penwright up`, makes it before the engine starts.
    prepare_key(here)
    assert read_key(here) is not None


def test_a_key_that_is_missing_exposed_or_damaged_is_named(tmp_path: Path) -> None:
    here = settings(tmp_path, shared=True)
    with pytest.raises(PermanentError) as missing:
        read_key(here)
    file = tmp_path / FILE_NAME
    file.write_text(text_of(new_key()))
    file.chmod(0o644)
    with pytest.raises(PermanentError) as exposed:
        read_key(here)
    file.chmod(0o600)
    file.write_text("7:c2hvcnQ=")
    with pytest.raises(PermanentError) as damaged:
        read_key(here)

    assert missing.value.code == "orders-key-missing"
    assert exposed.value.code == "orders-key-exposed"
    assert damaged.value.code == "orders-key-damaged"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermanentError) as refused:
        prepare_key(settings(tmp_path, shared=True))
    tmp_path.chmod(0o700)

    assert refused.value.code == "orders-key-not-written"


def test_a_key_of_the_environment_is_used_by_every_process_alike(tmp_path: Path) -> None:
    key = new_key()
    text = SecretStr(text_of(key))
    on = Settings(home=tmp_path, orders_key=text, engine=EngineSettings(shared=True))
    off = Settings(home=tmp_path, orders_key=text)
    prepare_key(on)

    assert read_key(on) == key
    assert read_key(off) == Key(key.secret, None)
    assert not (tmp_path / FILE_NAME).exists()
