"""Finding the passage that a model quotes: the only one, or a refusal."""

from collections import Counter
from random import Random
from time import perf_counter

import pytest

from penwright.domain.text.locating.normal_form import normal_form
from penwright.domain.text.locator import locate
from schemas.patching import Ambiguous, Located, NotFound, Span, Unique
from tests.support.each import for_each
from tests.support.sellers import Expected, expected
from tests.support.sweeps import EXAMPLES

STORY = (
    "The ferry left the island before the storm, and nobody on the quay had seen the keeper go aboard.\n\n"
    "Later the lamp was found cold. A ledger lay open beside it, the ink of the last entry still wet.\n\n"
    "In spring the new keeper came with her daughter and two goats, and the light was lit again.\n"
)
SENTENCE = "A ledger lay open beside it, the ink of the last entry still wet."


def words(chance: Random, letters: str, most: int) -> str:
    made = ["".join(chance.choices(letters, k=chance.randint(1, 6))) for _ in range(most)]
    return "".join(word + chance.choice((" ", " ", " ", ", ", ". ")) for word in made).strip()


def edited(chance: Random, text: str, edits: int, letters: str) -> str:
    for _ in range(edits):
        at = chance.randrange(len(text))
        new = chance.choice(("", chance.choice(letters), chance.choice(letters) + text[at]))
        text = text[:at] + new + text[at + 1 :]
    return text


def outcome(located: Located) -> Expected:
    match located:
        case Unique(span=span, distance=distance):
            return Expected("unique", span.start, span.end, distance)
        case Ambiguous():
            return Expected("ambiguous")
        case NotFound(outcome=why):
            return Expected(why)


def planted(chance: Random, letters: str = "bcfgh ") -> tuple[str, str]:
    """A needle, and a text that holds edited copies of it, one, several or none."""
    needle = words(chance, letters.strip(), 12)[: chance.randint(8, 70)].strip()
    copies = [
        edited(chance, needle, chance.randint(0, 4), letters) for _ in range(chance.choice((0, 1, 1, 1, 2)))
    ]
    pieces = [words(chance, letters.strip(), 14), *copies, words(chance, letters.strip(), 8)]
    chance.shuffle(pieces)
    return needle, normal_form(" ".join(pieces)).text


def test_the_best_passage_or_a_refusal_as_an_exhaustive_search_says() -> None:
    chance, seen = Random(15), Counter[str]()
    for _ in range(40 * EXAMPLES):
        needle, text = planted(chance)

        found = outcome(locate(needle, text))

        assert found == expected(needle, text), (needle, text)
        seen[found.kind] += 1
    assert min(seen[kind] for kind in ("unique", "ambiguous", "not_found", "token_mismatch")) > EXAMPLES / 8


def test_texts_of_very_few_signs_are_searched_as_exactly() -> None:
    chance, seen = Random(16), Counter[str]()
    for _ in range(20 * EXAMPLES):
        letters = chance.choice(("b", "bc", "b "))
        needle, text = planted(chance, letters)
        if needle:
            found = outcome(locate(needle, text))
            assert found == expected(needle, text), (needle, text)
            seen[found.kind] += 1
    assert seen["ambiguous"] > EXAMPLES


def test_a_needle_of_hundreds_of_different_signs_is_searched_as_exactly() -> None:
    chance = Random(17)
    signs = [chr(0x4E00 + at) for at in range(600)]
    for _ in range(max(3, EXAMPLES // 20)):
        needle = "".join(chance.sample(signs, 300))
        copy = edited(chance, needle, chance.randint(0, 25), "".join(signs))
        text = "".join(chance.choices(signs, k=80)) + copy + "".join(chance.choices(signs, k=80))

        found = locate(needle, text)

        wanted = expected(needle, text)
        # Written Chinese has no spaces, so that no word can be cut.
        assert outcome(found).kind == wanted.kind.replace("token_mismatch", "unique")
        assert not isinstance(found, Unique) or wanted.kind == "token_mismatch" or outcome(found) == wanted


@for_each(
    "text, needle",
    [
        ("“It’s late,” she said.", '"It\'s late," she said.'),
        ("pages 10–15 of it", "pages 10-15 of it"),
        ("a\u00a0narrow  \n lane", "a narrow lane"),
        ("he waited… and left", "he waited... and left"),
        ("one line\r\nand the next", "one line\nand the next"),
        ("a cafe\u0301 by the sea", "a café by the sea"),
        ("a soft\u00adened word", "a softened word"),
        ("\u1112\u1161\u11ab river", "한 river"),
    ],
)
def test_what_typography_varies_is_found_and_the_span_is_the_original_one(text: str, needle: str) -> None:
    around = f"Before… that \u2014 this. {text} After  it\u00a0all."

    found = locate(needle, around)

    assert isinstance(found, Unique)
    assert around[found.span.start : found.span.end] == text
    assert (found.distance, found.exact) == (0, False)


def test_whitespace_at_the_ends_of_a_needle_is_not_part_of_a_passage_found_without_it() -> None:
    found = locate("  Later the lamp was found cold.\n", STORY)

    assert isinstance(found, Unique)
    assert STORY[found.span.start : found.span.end] == "Later the lamp was found cold."
    assert not found.exact


def test_edits_are_counted_after_typography_is_made_alike() -> None:
    text = STORY.replace("beside it, the", "beside it\u00a0—  the")

    found = locate(SENTENCE.replace("beside it, the", "beside it - teh"), text)

    assert isinstance(found, Unique)
    assert found.distance == 2
    assert text[found.span.start : found.span.end] == SENTENCE.replace("it, the", "it\u00a0—  the")


def test_a_twentieth_of_the_needle_may_be_edited_and_not_one_sign_more() -> None:
    chance = Random(3)
    passage = words(chance, "bcdfgh", 60)[:199] + "."
    text = f"{words(chance, 'klmnp', 200)} {passage} {words(chance, 'klmnp', 200)}"

    def with_edits(edits: int) -> str:
        places = range(5, 5 + 15 * edits, 15)
        return "".join("z" if at in places else sign for at, sign in enumerate(passage))

    found, missed = locate(with_edits(10), text), locate(with_edits(11), text)

    assert outcome(found) == Expected("unique", text.index(passage), text.index(passage) + 200, 10)
    assert isinstance(missed, NotFound)
    assert missed.nearest is not None
    assert (missed.nearest.distance, missed.nearest.excerpt) == (11, passage)


def test_short_needles_must_be_there_to_the_letter() -> None:
    assert isinstance(locate("the lamp was fuond", STORY), NotFound)
    assert isinstance(locate("the lamp was found cold, so", STORY.replace("cold.", "cold, say")), NotFound)


def test_the_whole_of_three_lines_is_found_when_the_last_has_drifted() -> None:
    lines = "First the boats came in at dusk,\nthen the women with baskets,\nand last the priest on his mule."
    text = STORY + lines.replace("his mule", "the mule") + "\n\n" + STORY.upper()

    found = locate(lines, text)

    assert isinstance(found, Unique)
    assert text[found.span.start : found.span.end] == lines.replace("his mule", "the mule")


def test_the_full_stop_stays_with_its_sentence_and_the_space_with_the_next() -> None:
    for quoted in (SENTENCE[:-1] + "!", SENTENCE.replace("ledger", "leger")):
        found = locate(quoted, STORY)
        assert isinstance(found, Unique)
        assert STORY[found.span.start : found.span.end] == SENTENCE

    found = locate("the new keeper came with her daughterz", STORY)
    assert isinstance(found, Unique)
    assert STORY[found.span.start : found.span.end].endswith("daughter")


@for_each(
    "stands, there, quoted, why",
    [
        ("It was kept at 84 degrees for an hour", "84", "48", "numeric_mismatch"),
        ("It lost 3.5 grams of its weight overnight", "3.5", "35", "numeric_mismatch"),
        ("The depth was -5 metres at the second buoy", "-5", "5", "numeric_mismatch"),
        ("It rose by 5% in the dry season", "5%", "5", "numeric_mismatch"),
        ("The wharf was not safe for small children", "not", "now", "negation_mismatch"),
        ("Such an outcome is unlikely in cold weather", "unlikely", "likely", "negation_mismatch"),
        ("They couldn’t reach the boat before night", "couldn’t", "could", "negation_mismatch"),
        ("Er hat damals kein Wort mit ihr gesprochen", "kein", "ein", "negation_mismatch"),
        ("Le médecin n’est pas venu au village", "n’est", "est", "negation_mismatch"),
        ("El barco llegó sin carga al puerto viejo", "sin", "con", "negation_mismatch"),
        ("Il treno non arriva prima di mezzanotte", "non", "ora", "negation_mismatch"),
        ("De veerman heeft haar niet meer gezien", "niet", "net", "negation_mismatch"),
        ("O navio chegou sem carga ao porto velho", "sem", "com", "negation_mismatch"),
        ("As \\textbf{shown} by the second experiment", "\\textbf", "\\textit", "token_mismatch"),
        ("It was shown [[@book{lee2001, year={n.d.}}]] before", "{lee", "{leo", "token_mismatch"),
        ("The keeper knows [@lee] and other accounts", "@lee", "@leo", "token_mismatch"),
        ("The sum $a + b$ is what the keeper wrote", "a + b", "a - b", "token_mismatch"),
    ],
)
def test_what_decides_the_meaning_is_never_fuzzy(stands: str, there: str, quoted: str, why: str) -> None:
    passage = f"{stands}, while the wind blew over the water and the gulls cried about the tower all day."

    found = locate(passage.replace(there, quoted), f"Before it.\n\n{passage}\n\nAfter it.")

    assert isinstance(found, NotFound)
    assert found.outcome == why
    assert found.nearest is not None
    assert found.nearest.excerpt == passage


def test_a_passage_that_would_cut_a_word_is_refused() -> None:
    found = locate("the new kepper came with her daugh", STORY)

    assert outcome(found) == Expected("token_mismatch")


def test_the_same_letters_inside_a_word_are_found_as_they_are() -> None:
    assert outcome(locate("daugh", STORY)).kind == "unique"


def test_a_letter_is_not_parted_from_its_accent() -> None:
    assert isinstance(locate("the cafe", "the cafe\u0301 by the sea"), NotFound)
    assert outcome(locate("the café", "the cafe\u0301 by the sea")) == Expected("unique", 0, 9, 0)


def test_two_passages_with_the_same_letters_are_both_named() -> None:
    found = locate("keeper", STORY)

    assert isinstance(found, Ambiguous)
    assert [each.span.start for each in found.candidates] == [STORY.index("keeper"), STORY.rindex("keeper")]
    assert found.count == 2


def test_a_passage_that_is_almost_as_like_makes_it_ambiguous() -> None:
    other = SENTENCE.replace("ledger", "letter")

    found = locate(SENTENCE.replace("wet.", "wer."), f"{STORY}\n{other}\n")

    assert isinstance(found, Ambiguous)
    assert [each.excerpt for each in found.candidates] == [SENTENCE, other]
    assert [each.distance for each in found.candidates] == [1, 3]


def test_a_long_excerpt_is_shortened_in_the_middle() -> None:
    passage = words(Random(5), "bcdfgh", 400)

    found = locate(passage, f"{passage}\n\n{passage}\n")

    assert isinstance(found, Ambiguous)
    assert len(found.candidates[0].excerpt) == 603
    assert found.candidates[0].excerpt.endswith(passage[-300:])


@pytest.mark.parametrize("needle", ["", "\n", " \t "])
def test_a_needle_without_words_is_not_found(needle: str) -> None:
    assert isinstance(locate(needle, "One.Two."), NotFound)


@for_each("sign", ["?", "\0", "\ufffe", "\ue000", "😀", "漢", "é"])
@for_each("other", ["ж", "?", "\0", "\ue000", "😁"])
def test_unusual_signs_are_told_apart(sign: str, other: str) -> None:
    rest = " the keeper wrote into her ledger, and closed it for the night."
    text = "漢字\ue000 {} 漢字?"

    found = locate(4 * sign + rest.replace("wrote", "wrot"), text.format(4 * sign + rest))

    assert outcome(found) == Expected("unique", 4, 4 + 4 + len(rest), 1)
    if sign != other:
        assert isinstance(locate(4 * sign + rest, text.format(4 * other + rest)), NotFound)


def test_a_needle_longer_than_the_text_is_not_found() -> None:
    assert isinstance(locate(STORY * 3, STORY), NotFound)
    assert isinstance(locate(STORY, ""), NotFound)


def test_a_normal_form_gives_back_every_character() -> None:
    chance = Random(8)
    for _ in range(10 * EXAMPLES):
        text = "".join(chance.choices("ab  \n\u00a0…’\u00ad\u0301é-—\u1112\u1161", k=30))
        form = normal_form(text)
        start, end = sorted(chance.sample(range(len(form.text) + 1), 2)) if len(form.text) > 1 else (0, 0)

        span = form.original(Span(start=start, end=end))

        assert 0 <= span.start <= span.end <= len(text)
        assert form.text[start:end] in normal_form(text[span.start : span.end]).text


def test_five_passages_of_five_megabytes_are_found_within_a_second() -> None:
    chance = Random(18)
    lexicon = [words(chance, "abcdefghilmnoprstu", 1) for _ in range(5000)]
    text = " ".join(chance.choices(lexicon, k=1_200_000))
    began = perf_counter()
    for part in range(1, 6):
        start = text.index(" ", len(text) * part // 6) + 1
        end = text.index(" ", start + 200)
        needle = edited(Random(part), text[start:end], 6, "xyz")
        found = locate(needle, text)
        assert isinstance(found, Unique | NotFound)
        assert not isinstance(found, Unique) or (found.span.start, found.span.end) == (start, end)
    assert len(text) > 5_000_000
    assert perf_counter() - began < 10
