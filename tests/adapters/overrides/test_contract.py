"""The contract of ``OverrideFiles``, over files and the double in memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penwright.adapters.overrides import JsonOverrideFiles
from penwright.errors import PenwrightError, Refused, UsageMistake
from penwright.ports.agents import OverrideFiles
from schemas.overrides import Override, OverrideSet
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.each import for_each
from tests.support.sweeps import examples


def an_override(text: str = "Rake it.", path: str = "yard") -> Override:
    return Override(path=path, field="body", expected="0" * 64, text=text)


def a_set(*texts: str, tag: str = "latest", key: str = "keeper") -> OverrideSet:
    overrides = tuple(an_override(text, f"yard-{number}") for number, text in enumerate(texts))
    return OverrideSet(namespace="garden", key=key, tag=tag, overrides=overrides)


@pytest.fixture(params=["memory", "files"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> OverrideFiles:
    return MemoryOverrideFiles() if request.param == "memory" else JsonOverrideFiles(tmp_path / "overrides")


def test_a_tag_that_was_never_kept_has_no_set(files: OverrideFiles) -> None:
    assert files.read("garden", "keeper", "latest") is None
    assert files.tags("garden", "keeper") == ()


@settings(
    max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(st.text(), max_size=4))
def test_every_override_text_round_trips(files: OverrideFiles, texts: list[str]) -> None:
    before = files.keep(a_set("first"))

    files.replace(before, a_set(*texts))

    assert files.read("garden", "keeper", "latest") == a_set(*texts)


def test_a_stored_set_is_not_overwritten_by_keep(files: OverrideFiles) -> None:
    first = files.keep(a_set("first"))

    stands = files.keep(a_set("second"))

    assert stands == first == files.read("garden", "keeper", "latest")


def test_sets_are_apart_by_agent_and_tag(files: OverrideFiles) -> None:
    for known in (a_set("a", tag="b"), a_set("b", tag="a"), a_set("c", key="other")):
        files.keep(known)

    assert files.read("garden", "keeper", "a") == a_set("b", tag="a")
    assert files.tags("garden", "keeper") == ("a", "b")
    assert files.tags("garden", "other") == ("latest",)
    assert files.tags("garden", "nobody") == ()


def test_a_set_that_changed_meanwhile_is_not_written_over(files: OverrideFiles) -> None:
    read = files.keep(a_set("read"))
    files.replace(read, a_set("somebody else's"))

    with pytest.raises(Refused) as caught:
        files.replace(read, a_set("mine"))

    assert caught.value.code == "overrides-changed"
    assert files.read("garden", "keeper", "latest") == a_set("somebody else's")


def test_a_missing_set_and_a_set_of_another_place_are_not_replaced(files: OverrideFiles) -> None:
    for before, after in ((a_set("a"), a_set("b")), (a_set("a"), a_set("b", tag="other"))):
        with pytest.raises(Refused):
            files.replace(before, after)

    assert files.tags("garden", "keeper") == ()


def test_only_one_of_concurrent_writers_replaces_a_set(files: OverrideFiles) -> None:
    before = files.keep(a_set("before"))

    def replacing(number: int) -> bool:
        try:
            files.replace(before, a_set(f"writer {number}"))
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(8) as writers:
        won = list(writers.map(replacing, range(8)))

    assert won.count(True) == 1
    assert files.read("garden", "keeper", "latest") == a_set(f"writer {won.index(True)}")


READINGS: list[Callable[[OverrideFiles, str], object]] = [
    lambda files, name: files.read(name, "keeper", "latest"),
    lambda files, name: files.read("garden", name, "latest"),
    lambda files, name: files.read("garden", "keeper", name),
    lambda files, name: files.keep(a_set(tag=name)),
    lambda files, name: files.tags("garden", name),
]


@pytest.mark.parametrize("reading", READINGS)
def test_an_invalid_file_name_is_refused(
    files: OverrideFiles, reading: Callable[[OverrideFiles, str], object]
) -> None:
    with pytest.raises(UsageMistake) as caught:
        reading(files, "../up")

    assert caught.value.code == "bad-override-name"


@for_each("name", ["", ".", "..", "a/b", "A", ".hidden", "x" * 65, "a\n", "a\x00", "é"])
def test_names_that_are_unsafe_as_file_names_are_invalid(name: str) -> None:
    with pytest.raises(UsageMistake, match="name"):
        MemoryOverrideFiles().read(name, "keeper", "latest")


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        (a_set("half a pair \ud83d"), "overrides-malformed"),
        (a_set("x" * 5_000_000), "overrides-too-long"),
        (a_set().model_copy(update={"overrides": (an_override(), an_override())}), "overrides-malformed"),
    ],
    ids=["surrogate", "long", "twice"],
)
def test_a_set_that_could_not_be_read_again_is_never_written(
    files: OverrideFiles, overrides: OverrideSet, code: str
) -> None:
    standing = files.keep(a_set("sound"))

    with pytest.raises(PenwrightError) as caught:
        files.replace(standing, overrides)

    assert caught.value.code == code
    assert files.read("garden", "keeper", "latest") == standing
