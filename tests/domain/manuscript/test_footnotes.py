"""Labels of footnotes, where several texts become one."""

import re

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.manuscript.footnotes import with_own_labels


def test_a_label_of_two_texts_gets_another_name_in_the_second() -> None:
    one, two = with_own_labels(["A[^1] and b[^b].\n\n[^1]: Of A.\n\n[^b]: B.\n", "C[^1].\n\n[^1]: Of C.\n"])

    assert one == "A[^1] and b[^b].\n\n[^1]: Of A.\n\n[^b]: B.\n"
    assert two == "C[^1-2].\n\n[^1-2]: Of C.\n"


def test_labels_differ_without_regard_to_case_and_a_new_name_is_nobodys() -> None:
    assert with_own_labels(["[^A] [^a-2]", "[^a]", "[^a-2]"]) == ("[^A] [^a-2]", "[^a-2x]", "[^a-2-3]")


def test_what_looks_like_a_label_in_code_stays() -> None:
    code = "`[^1]` and\n\n```\n[^1]\n```\n\n~~~\n[^1]\n~~~\n\n\\[^1] "

    assert with_own_labels(["[^1]", code + "[^1]"]) == ("[^1]", code + "[^1-2]")


@given(
    st.lists(
        st.lists(st.sampled_from(["[^1]", "[^2]", "[^1-2]", "word", "[^1-3]"])).map(" ".join), max_size=5
    )
)
def test_no_two_texts_share_a_label_and_nothing_else_changes(texts: list[str]) -> None:
    made = with_own_labels(texts)

    labels = [set(re.findall(r"\[\^([^]]+)\]", text)) for text in made]
    assert sum(map(len, labels)) == len(set[str]().union(*labels))
    bare = [re.sub(r"\[\^[^]]+\]", "*", text) for text in texts]
    assert [re.sub(r"\[\^[^]]+\]", "*", text) for text in made] == bare
