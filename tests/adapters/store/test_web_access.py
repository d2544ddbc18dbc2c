"""The contracts of ``Credentials`` and ``KeptAnswers``."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from schemas.base import OpId
from schemas.web import Credential, CredentialKind, KeptAnswer
from schemas.worlds import Arc, Scene
from tests.adapters.store.builders import NOON, AnyStore, SetClock
from tests.adapters.store.scenes.builders import a_scene

OP = OpId("POST /books 1")
ANSWER = KeptAnswer(status=201, headers={"location": "/somewhere"}, body='{"ok": true}')


def a_credential(
    id: str = "1",
    kind: CredentialKind = "token",
    *,
    valid_s: float = 60,
    subjects: tuple[str, ...] | None = None,
) -> Credential:
    return Credential(
        id=id,
        kind=kind,
        name="reader",
        scopes=("read",),
        subjects=subjects,
        created_at=NOON,
        expires_at=NOON + timedelta(seconds=valid_s),
    )


def test_a_credential_is_found_by_its_digest_until_it_expires(store: AnyStore) -> None:
    credential = a_credential(subjects=("book/tide",))
    store.credentials.add(credential, "d1")

    assert store.credentials.find("d1", NOON) == credential
    assert store.credentials.find("d1", credential.expires_at) is None
    assert store.credentials.find("d2", NOON) is None


def test_with_a_scene_its_tokens_go_and_others_lose_it(store: AnyStore) -> None:
    quay, roof = a_scene(store, title="Quay").id, a_scene(store, title="Roof").id
    for name, subjects in (
        ("one", (f"scene/{quay}",)),
        ("two", ("book/tide", f"scene/{quay}", f"scene/{roof}")),
        ("other", (f"scene/{roof}",)),
        ("nothing", ()),
        ("all", None),
    ):
        store.credentials.add(a_credential(name, subjects=subjects), f"gone-{name}")

    arc = store.worlds.read(Scene, quay)
    assert arc is not None
    assert store.worlds.remove(Arc, arc.arc)

    left = {name: store.credentials.find(f"gone-{name}", NOON) for name in ("two", "other", "nothing", "all")}
    assert store.credentials.find("gone-one", NOON) is None
    assert {name: each and each.subjects for name, each in left.items()} == {
        "two": ("book/tide", f"scene/{roof}"),
        "other": (f"scene/{roof}",),
        "nothing": (),
        "all": None,
    }
    assert all(left.values())


def test_one_of_many_callers_takes_a_code(store: AnyStore) -> None:
    store.credentials.add(a_credential("code", "code"), "d3")

    with ThreadPoolExecutor(8) as callers:
        taken = list(callers.map(lambda _: store.credentials.take("d3", NOON), range(16)))

    assert sum(each is not None for each in taken) == 1


def test_an_expired_code_cannot_be_taken(store: AnyStore) -> None:
    store.credentials.add(a_credential("late", "code", valid_s=60), "d4")

    assert store.credentials.take("d4", NOON + timedelta(seconds=60)) is None


def test_use_is_noted_and_moves_the_end(store: AnyStore) -> None:
    store.credentials.add(a_credential("used"), "d5")
    later = NOON + timedelta(hours=1)
    store.credentials.used("used", NOON, later)

    found = store.credentials.find("d5", NOON + timedelta(minutes=30))

    assert found is not None
    assert (found.last_used_at, found.expires_at) == (NOON, later)


def test_valid_credentials_of_a_kind_are_listed_and_removed(store: AnyStore) -> None:
    # Stores of other tests may hold some, too.
    store.credentials.add(a_credential("t1"), "d6")
    store.credentials.add(a_credential("s1", "session"), "d7")

    listed = [each.id for each in store.credentials.listed("token", NOON)]
    removed = store.credentials.remove("t1", "session"), store.credentials.remove("t1", "token")

    assert "t1" in listed
    assert "s1" not in listed
    assert removed == (False, True)
    assert store.credentials.find("d6", NOON) is None


def test_an_answer_is_given_again_to_the_same_request_only(store: AnyStore, clock: SetClock) -> None:
    first = store.answers.reserve(OP, "body", NOON)
    waiting = store.answers.reserve(OP, "body", NOON)
    store.answers.keep(OP, ANSWER)
    again = store.answers.reserve(OP, "body", NOON)
    other = store.answers.reserve(OP, "other body", NOON)

    assert [each.state for each in (first, waiting, again, other)] == [
        *("fresh", "under-way", "answered", "other-request"),
    ]
    assert again.answer == ANSWER


def test_a_reservation_given_up_or_left_behind_is_free_again(store: AnyStore) -> None:
    given_up, left = OpId("given up"), OpId("left")
    store.answers.reserve(given_up, "body", NOON)
    store.answers.release(given_up)
    store.answers.reserve(left, "body", NOON)

    assert store.answers.reserve(given_up, "body", NOON).state == "fresh"
    assert store.answers.reserve(left, "body", NOON + timedelta(minutes=4)).state == "under-way"
    assert store.answers.reserve(left, "body", NOON + timedelta(minutes=5)).state == "fresh"


def test_an_answer_is_forgotten_after_a_day_and_is_not_released_before(store: AnyStore) -> None:
    day = OpId("a day")
    store.answers.reserve(day, "body", NOON)
    store.answers.keep(day, ANSWER)
    store.answers.release(day)

    assert store.answers.reserve(day, "body", NOON + timedelta(hours=23)).state == "answered"
    assert store.answers.reserve(day, "body", NOON + timedelta(hours=24)).state == "fresh"


def test_one_of_concurrent_requests_is_fresh(store: AnyStore) -> None:
    at_once = OpId("at once")
    with ThreadPoolExecutor(8) as callers:
        found = list(callers.map(lambda _: store.answers.reserve(at_once, "body", NOON).state, range(16)))

    assert sorted(set(found)) == ["fresh", "under-way"]
    assert found.count("fresh") == 1
