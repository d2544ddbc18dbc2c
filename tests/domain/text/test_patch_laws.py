"""What no operation can do: touch a citation, or change a passage that it does not name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.locating.citation_marks import citation_marks
from penwright.domain.text.patches import apply
from schemas.patching import Operation, Patched
from tests.support.each import for_each

CITED = (
    "Lamps were lit with oil [[@book{lee2001lamps, title={On [18F] lamps}, year={2001}}]]. Later came gas "
    "[[@article{moss1910gas, title={Gas}, year={1910}}]]. The rest is known [@lee; -@moss]. The end.\n"
)


def outcomes(patched: Patched) -> list[str]:
    return [result.outcome for result in patched.results]


def replaced(find: str, replace: str) -> Operation:
    return Operation(find=find, replace=replace)


@for_each(
    "operation",
    [
        replaced("title={Gas}", "title={Gas lamps}"),
        replaced("Later came gas [[@article{moss1910gas, title={Gas}, year={1910}}]]", "Later came gas"),
        replaced("Later", "Later [[@book{new, year={1}}]]"),
        replaced("Later", "Later [[@book{new"),
        replaced("[@lee; -@moss]", "[@lee]"),
        replaced("The end.", "The end. [@new]"),
        Operation(kind="delete", find="year={1910}}]]"),
        Operation(kind="insert_after", find="lee2001lamps", replace="b"),
        Operation(kind="append", replace="[[@misc{x}]]"),
    ],
)
def test_an_operation_that_touches_a_citation_is_refused(operation: Operation) -> None:
    patched = apply([operation], CITED)

    assert outcomes(patched) == ["citation_touched"]
    assert patched.text == CITED
    assert apply([operation], CITED, new_citations=None).changed


@pytest.mark.parametrize(
    "cited",
    ["[see @lee, p. 3; also -@moss]", r"\cite{lee}", r"\citep[see][p.~3]{lee,moss}", r"\textcite*{moss}"],
)
def test_citations_of_other_programs_stay_too(cited: str) -> None:
    text = f"Lamps were lit with oil {cited}. Later came gas.\n"

    touched = apply([replaced(cited, cited.replace("lee", "moss").replace("moss", "orr"))], text)
    beside = apply([replaced(f"lit with oil {cited}", f"filled with oil {cited}")], text)

    assert (outcomes(touched), touched.text) == (["citation_touched"], text)
    assert (outcomes(beside), citation_marks(beside.text)) == (["applied"], (cited,))


def test_an_address_in_brackets_is_no_citation() -> None:
    patched = apply([replaced("[ann@example.org]", "[the keeper]")], "Write to us [ann@example.org].")

    assert patched.text == "Write to us [the keeper]."


def test_citations_may_be_repeated_unchanged_around_new_words() -> None:
    gas = "[[@article{moss1910gas, title={Gas}, year={1910}}]]"

    patched = apply([replaced(f"Later came gas {gas}.", f"Gas came later {gas}, at first in towns.")], CITED)

    assert outcomes(patched) == ["applied"]
    assert citation_marks(patched.text) == citation_marks(CITED)


def test_two_operations_cannot_make_a_citation_together() -> None:
    operations = [replaced("left", "[[@book{left"), replaced("right", "right}]]")]
    halves = [replaced("left", "[["), replaced(" and", "@book{")]

    assert outcomes(apply(operations, "left and right")) == ["citation_touched", "applied"]
    assert outcomes(apply(halves, "left and right}]]")) == ["citation_touched", "citation_touched"]


SIGNS = st.text(alphabet="ab .\n[]@{}$\\1", max_size=12)
OPERATION = st.builds(
    Operation,
    kind=st.sampled_from(["replace", "insert_after", "append", "delete"]),
    find=SIGNS,
    replace=SIGNS,
    count=st.sampled_from([1, 1, 1, 2, "all", 0, "x"]),
)


@given(st.lists(OPERATION, max_size=5), st.text(alphabet="ab .\n[]@{}", max_size=80), st.integers(0, 5))
def test_whatever_is_asked_every_operation_has_a_result_and_citations_stay(
    operations: list[Operation], text: str, limit: int
) -> None:
    patched = apply(operations, text, max_hunks=limit)

    assert [result.index for result in patched.results] == list(range(len(operations)))
    assert citation_marks(patched.text) == citation_marks(text)
    assert patched.changed == (patched.text != text)
    if not any(result.outcome == "applied" for result in patched.results):
        assert patched.text == text
    assert apply(operations, text, max_hunks=limit) == patched


@given(st.permutations(range(12)), st.integers(1, 12), st.data())
def test_operations_on_different_passages_change_those_and_nothing_else(
    order: list[int], many: int, data: st.DataObject
) -> None:
    passages = [f"passage number {'abcdefghijkl'[at]} of this text" for at in range(12)]
    chosen = order[:many]
    new = {at: data.draw(st.text(alphabet="xyz $\\", min_size=1, max_size=9)) for at in chosen}

    patched = apply([replaced(passages[at], new[at]) for at in chosen], "; ".join(passages))

    assert outcomes(patched) == ["applied"] * many
    assert patched.text == "; ".join(new.get(at, passage) for at, passage in enumerate(passages))
