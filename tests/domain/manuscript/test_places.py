"""Lines of a joined text are found again in its scenes."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.manuscript.places import places_of
from penwright.domain.text.words import without_comments

_PIECES = st.sampled_from(["a", " ", "\n", "<!-- x -->", "<!-- x\n\ny -->", "<!-->", "<!--", "b\n"])
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)


def joined(texts: list[str]) -> str:
    bare = [without_comments(text).strip("\n") for text in texts]
    return "\n\n".join(text for text in bare if text.strip())


def test_a_line_behind_comments_and_blank_lines_has_the_number_it_has_in_its_scene() -> None:
    scenes = {"-": "\n<!-- a\nb -->\nOne.\n", "Pier": "<!-- c -->\n\nTwo.\nThree.\n"}

    found = dict(zip(joined(list(scenes.values())).split("\n"), places_of(scenes), strict=True))

    assert (found["One."], found["Two."], found["Three."]) == (("-", 4), ("Pier", 3), ("Pier", 4))


@given(st.lists(_TEXTS, max_size=4))
def test_every_line_of_the_joined_text_has_a_place(texts: list[str]) -> None:
    text = joined(texts)

    places = places_of({str(at): each for at, each in enumerate(texts)})

    assert len(places) == (text.count("\n") + 1 if text else 0)
    for line, (scene, number) in zip(text.split("\n"), places, strict=False):
        if line.strip() and "<!" not in texts[int(scene)]:
            assert texts[int(scene)].split("\n")[number - 1] == line
