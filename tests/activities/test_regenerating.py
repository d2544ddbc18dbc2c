"""What a model is shown for another take of a reply: the scene as it was before the reply."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.scenes.trees import Tree
from tests.support.sweeps import LONG

_ACTS = (
    "play",
    "play",
    "play",
    "play_again",
    "another_take",
    "choose",
    "undo",
    "redo",
    "branch",
    "summarise",
)
_TREES = st.lists(
    st.tuples(st.sampled_from((*_ACTS, "meet_elsewhere")), st.integers(0, 3), st.integers(0, 3)), max_size=14
)


@settings(max_examples=5_000 if LONG else 15, deadline=None)
@given(_TREES)
def test_no_text_from_the_reply_on_is_in_the_prompt_of_another_take(
    acts: list[tuple[str, int, int]],
) -> None:
    tree = Tree()
    for act, at, more in acts:
        getattr(tree, act)(at, more)
    for scene in list(tree.scenes):
        for message in tree.replies(scene):
            prompt = tree.prompt(message)
            assert tree.later(message, prompt) == [], f"message {message.id} of {acts}"
            assert "- request: regenerate" in prompt


def test_the_prompt_of_another_take_has_what_stood_before_the_reply() -> None:
    tree = Tree()
    tree.meet_elsewhere(0, 0)
    tree.play(0, 1)
    tree.play(0, 1)
    tree.play(0, 1)
    ann, bob = tree.replies(tree.scenes[0])[2:4]
    whole = tree.store.scenes.messages(tree.scenes[0])

    for message in (ann, bob):
        prompt = tree.prompt(message)
        assert [each.number for each in whole if each.text in prompt] == list(range(1, message.number))
        assert "Memories that fit this moment" in prompt
        assert "This round so far\n" in prompt.partition(whole[3].text)[0].rpartition("##")[2]
        assert f"- round: {message.round}\n" in prompt
        assert any(mark in prompt for mark in tree.born)
    assert "Ann: mood: " in tree.prompt(bob)
    assert "this round: acted" in tree.prompt(bob)
    assert "this round: acted" not in tree.prompt(ann)
