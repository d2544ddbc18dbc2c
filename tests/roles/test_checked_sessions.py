"""A session's prose is checked before it is kept: its writer is asked once for what is missing or wrong."""

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.review.session_plan import beat_told, split_plan
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import index_of
from penwright.domain.prose.intended import decision
from penwright.domain.prose.mending import mended
from penwright.domain.prose.task import located
from penwright.roles.ink_writer.completion import ROUNDS
from schemas.book import ConfigPayload, SessionPayload
from schemas.outside_session import SessionProse
from schemas.prose import BeatTold, BookRule, Draft
from tests.support.books.payloads import SHORE, session_payload
from tests.support.books.writers import CutOff, WritersDesk, writers_desk
from tests.support.each import for_each
from tests.support.prose.measuring_mends import MODELS, Who, measure_mends

EARLIER = (
    "The keeper of the northern light wrote down every ship that passed between the first snow and the thaw, "
    "and when the book was full he threw it into the sea and bought another."
)
FRESH = (
    "Mara counted the steps from the door to the rail, as she did each morning, and found one too many.\n\n"
    "Somebody had laid a plank across the gap. It was wet on one side only, so it had come by boat, and "
    "whoever brought it had not meant to stay."
)
END = (
    "\n\n=== REPORT ===\nsummary: She counts the steps.\ninstructions answered: 0\n"
    "arcs closed: no\n=== END ===\n"
)


def block(prose: str) -> str:
    return f"<!-- INK:NEW:START -->\n{prose}\n<!-- INK:NEW:END -->"


def rework(instruction: str) -> str:
    return (
        f"<!-- INK:REWORKED:START -->\n> **[Rework]** {instruction}\n\nI went down.\n"
        f"<!-- INK:ORIGINAL:START -->\n{SHORE}\n<!-- INK:ORIGINAL:END -->\n<!-- INK:REWORKED:END -->"
    )


def edit(find: str, new: str) -> str:
    return f"@@@ replace\n@@@ find\n{find}\n@@@ with\n{new}\n@@@ end\n"


OLD = f"{FRESH}\n\n{EARLIER}"
NEW_ENDING = (
    "She carried it up, measured it against the door, and sat down on it to think. The northern light went "
    "on turning above her, and down at the landing a rope knocked twice against the stone."
)
MENDS = edit(EARLIER, NEW_ENDING)


def payload(
    *instructions: str, words: int = 90, craft: str = "mend", off: tuple[BookRule, ...] = ()
) -> SessionPayload:
    made = session_payload(*instructions, words=words)
    config = ConfigPayload.model_validate({**made.config.model_dump(), "craft": craft, "craft_off": off})
    return made.model_copy(update={"config": config})


async def written(desk: WritersDesk, asked: SessionPayload) -> SessionProse:
    prose = await desk.write(asked)
    assert isinstance(prose, SessionProse)
    return prose


async def test_prose_without_a_fault_is_asked_for_once() -> None:
    desk = writers_desk(ScriptedAnswer(text=block(f"{FRESH}\n\n{NEW_ENDING}") + END), book=EARLIER)

    prose = await written(desk, payload())

    assert (len(desk.turns), prose.craft.findings, prose.craft.mended) == (1, (), 0)


async def test_what_a_rule_that_is_off_would_find_is_not_sent_back() -> None:
    desk = writers_desk(ScriptedAnswer(text=block(OLD) + END), book=EARLIER)

    prose = await written(desk, payload(off=("echo",)))

    assert (len(desk.turns), prose.craft.findings) == (1, ())


async def test_a_passage_that_stands_in_the_book_already_is_sent_back_and_mended() -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, text=MENDS), ScriptedAnswer(text=block(OLD) + END), book=EARLIER
    )

    prose = await written(desk, payload())

    assert (len(desk.turns), prose.craft.findings, prose.craft.mended) == (2, (), 1)
    assert prose.craft.unmended == ""
    assert desk.prose(prose).strip() == block(f"{FRESH}\n\n{NEW_ENDING}")
    assert prose.summary == "She counts the steps."


@for_each(
    "answer, why",
    [
        ("I have looked it over and would not change a word.", "proposed no edits"),
        ("status: satisfied", "proposed no edits"),
        ("@@@ replace\n@@@ find\nMara counted", "no usable edits (truncated-block)"),
        (edit("nothing that stands there", "anything"), "none of the writer's edits could be made"),
        (edit("Mara counted the steps", "Mara slowly counted the steps"), "as much would be found as before"),
        (
            edit("Mara counted the steps", f"{EARLIER}\n\nMara counted the steps"),
            "3 hard findings would be left where there were 1",
        ),
        (edit(f"{FRESH}\n\n{EARLIER}", "She slept."), "would become 2, which is more than a tenth"),
        (edit(EARLIER, f"{NEW_ENDING}\n\n<!-- INK:NEW:END -->"), "no usable edits (no-prose)"),
        (block(f"{FRESH}\n\n{NEW_ENDING}") + END, "proposed no edits"),
        ("", "reply"),
    ],
)
async def test_a_draft_stands_and_says_why_whatever_useless_edits_come_for_it(answer: str, why: str) -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, text=answer), ScriptedAnswer(text=block(OLD) + END), book=EARLIER
    )

    prose = await written(desk, payload())

    assert desk.prose(prose).strip() == block(OLD)
    assert ([each.rule for each in prose.craft.findings], prose.craft.mended) == (["echo"], 0)
    assert len(desk.turns) == 2
    assert why in prose.craft.unmended


def taking_out(passage: str) -> str:
    return f"@@@ delete\n@@@ find\n{passage}\n@@@ end\n"


@for_each(
    "wanted, taken_out, mended",
    [
        (90, EARLIER, True),  # what is left is as long as was asked for
        (62, EARLIER, True),  # too long still, but nearer
        (125, EARLIER, False),  # too short then
        (90, f"{EARLIER}\n\n{NEW_ENDING}", False),  # more than the repeat
    ],
)
async def test_a_repeat_may_be_taken_out_where_the_length_is_right_without_it(
    wanted: int, taken_out: str, mended: bool
) -> None:
    draft = f"{FRESH}\n\n{EARLIER}\n\n{NEW_ENDING}"
    desk = writers_desk(
        ScriptedAnswer(call=2, text=taking_out(taken_out)),
        ScriptedAnswer(text=block(draft) + END),
        book=EARLIER,
    )

    prose = await written(desk, payload(words=wanted))

    assert (prose.craft.mended > 0) is mended, prose.craft.unmended
    assert desk.prose(prose).strip() == block(f"{FRESH}\n\n{NEW_ENDING}" if mended else draft)


async def test_edits_that_were_cut_off_are_not_made_and_the_session_says_so() -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, text=MENDS.removesuffix("@@@ end\n")),
        ScriptedAnswer(text=block(OLD) + END),
        book=EARLIER,
    )
    desk.model = CutOff(desk.model, whole=1)

    prose = await written(desk, payload())

    assert (prose.craft.mended, prose.craft.unmended) == (0, "the writer's edits were cut off")


async def test_what_is_checked_only_is_not_sent_back_and_what_is_off_is_not_looked_at() -> None:
    for craft, found in (("check", 1), ("off", 0)):
        desk = writers_desk(ScriptedAnswer(text=block(OLD) + END), book=EARLIER if found else "")

        prose = await written(desk, payload(craft=craft))

        assert (len(desk.turns), len(prose.craft.findings)) == (1, found)


async def test_an_instruction_that_was_left_out_is_asked_for_once_more() -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, text=rework("make it shorter")),
        ScriptedAnswer(text=block(f"{FRESH}\n\n{NEW_ENDING}") + END),
    )

    prose = await written(desk, payload("make it shorter"))

    assert rework("make it shorter") in desk.prose(prose)
    assert desk.prose(prose).count("INK:NEW:START") == 1
    assert len(desk.turns) == 2


async def test_a_writer_that_never_gets_done_is_asked_for_each_thing_once() -> None:
    short = "\n\n".join(OLD.split("\n\n")[1:])
    desk = writers_desk(
        ScriptedAnswer(call=1, text=block(short) + END),
        ScriptedAnswer(text="Sure! Here is the next scene:"),
        book=EARLIER,
    )

    prose = await written(desk, payload("make it shorter", words=90))

    assert len(desk.turns) == 1 + ROUNDS
    assert desk.prose(prose).strip() == block(short)


@for_each(
    "thought",
    [
        "<think>\nPlan: 90 words.\n" + block("Not this.") + "\n</think>\n\n",
        "Okay, the user wants 90 words.\n</think>\n\n",
        "[THINK]Mara, or Jonas?[/THINK]\n",
        "<|channel|>analysis<|message|>Plan it.<|end|><|start|>assistant<|channel|>final<|message|>",
    ],
)
async def test_a_writer_that_thinks_aloud_is_mended_as_any_other_and_none_of_it_is_kept(thought: str) -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, text=thought + MENDS),
        ScriptedAnswer(text=thought + block(OLD) + END),
        book=EARLIER,
    )

    prose = await written(desk, payload())

    assert (len(desk.turns), prose.craft.mended) == (2, 1)
    assert desk.prose(prose).strip() == block(f"{FRESH}\n\n{NEW_ENDING}")


@for_each("who", ["mend", "edit"])
async def test_edits_of_a_good_model_are_kept_and_those_of_a_bad_one_never(who: Who) -> None:
    kept = {name: await measure_mends(who, model, each=2) for name, model in MODELS.items()}

    assert (kept["perfect"].better, kept["perfect"].left) == (2, 0)
    for name in ("useless", "worsening"):
        assert (kept[name].better, kept[name].left) == (0, kept[name].found), name
    assert all(each.worse == 0 and each.most_calls <= 3 for each in kept.values())


PLAN = (
    "=== PLAN ===\n- Mara counts the steps and finds one too many\n- she sits down on the plank\n"
    "ends: a rope knocks below\nhidden: who came\n=== END ===\n\n"
)


async def test_the_plan_of_a_session_and_the_beats_that_it_tells_are_kept_apart_from_its_prose() -> None:
    told = END.replace(
        "arcs closed",
        'told:\n- Mara counts the steps — "counted the steps from the door to the rail"\n'
        '- she sits down on the plank — "sat down on it to think"\narcs closed',
    )
    desk = writers_desk(ScriptedAnswer(text=PLAN + block(f"{FRESH}\n\n{NEW_ENDING}") + told), book=EARLIER)

    prose = await written(desk, payload())

    assert prose.craft.plan[1:] == (
        "she sits down on the plank",
        "ends: a rope knocks below",
        "hidden: who came",
    )
    assert [each.beat for each in prose.craft.told] == ["Mara counts the steps", "she sits down on the plank"]
    assert desk.prose(prose).strip() == block(f"{FRESH}\n\n{NEW_ENDING}")
    assert prose.warnings == ()


def test_of_a_plan_without_end_about_350_tokens_are_kept() -> None:
    beats = "\n".join(f"- beat {number}: " + "Mara counts the steps " * 40 for number in range(20))

    plan, rest = split_plan(f"=== PLAN ===\n{beats}\nends: {'far ' * 200}\n=== END ===\nOn.")

    assert (len(plan.lines), rest.strip()) == (5, "On.")
    assert estimate_tokens("\n".join(plan.lines)) <= 350


async def test_a_beat_whose_quote_does_not_stand_in_the_prose_is_not_told() -> None:
    told = END.replace("arcs closed", 'told:\n- he comes back — "He came back at noon."\narcs closed')
    desk = writers_desk(
        ScriptedAnswer(call=2, text="status: satisfied"),
        ScriptedAnswer(text=block(f"{FRESH}\n\n{NEW_ENDING}") + told),
        book=EARLIER,
    )

    prose = await written(desk, payload())

    assert prose.craft.told == ()
    assert [(each.rule, each.other) for each in prose.craft.findings] == [("beat-untold", "he comes back")]


async def test_an_unusable_plan_is_no_failure() -> None:
    for plan in ("=== PLAN ===\nLet me think.\n", "=== PLAN ===\n\n=== END ===\n", "PLAN: she counts.\n\n"):
        desk = writers_desk(ScriptedAnswer(text=plan + block(f"{FRESH}\n\n{NEW_ENDING}") + END), book=EARLIER)

        prose = await written(desk, payload())

        assert (prose.craft.plan, desk.prose(prose).strip()) == ((), block(f"{FRESH}\n\n{NEW_ENDING}"))


async def test_a_mend_is_taken_although_the_draft_has_another_length_than_was_wanted() -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, text=MENDS), ScriptedAnswer(text=block(OLD) + END), book=EARLIER
    )

    prose = await written(desk, payload(words=60))

    assert (prose.craft.mended, [each.rule for each in prose.craft.findings]) == (1, ["length"])


@for_each(
    "line",
    [
        '- Mara counts the steps - "from the door to the rail"',
        "1. Mara counts the steps – “from the door to the rail”.",
        '- Mara counts the steps: "from the door to the rail"',
        '- Mara counts the steps ("from the door to the rail")',
        "- Mara counts the steps — 「from the door to the rail」",
    ],
)
def test_a_told_beat_is_read_in_the_forms_that_models_write(line: str) -> None:
    told = beat_told(line)

    assert told is not None
    assert (told.beat, told.quote) == ("Mara counts the steps", "from the door to the rail")


def test_a_quote_of_two_words_tells_no_beat() -> None:
    assert located([BeatTold(beat="row", quote="of a")], "A boat full of a hundred oars.") == ()


@for_each(
    "phrase, prose", [("couldn't help but", "She couldn’t help but laugh."), ("瞬间", "他瞬间明白了。")]
)
def test_what_an_author_never_wants_is_found_however_it_is_set(phrase: str, prose: str) -> None:
    found = findings(Draft(prose=prose, never=(phrase,)), index_of([], "English"))

    assert [each.rule for each in found if each.rule == "never"] == ["never"]


@for_each(
    "text",
    [
        "=== REPORT ===\nshe left",
        "# Chapter 2",
        "<think>no</think>",
        "<!-- hi -->",
        "> **[Rework]** x",
        "```",
    ],
)
def test_edits_put_nothing_into_prose_that_is_none(text: str) -> None:
    assert mended(FRESH, edit("It was wet on one side only", text))[0] == FRESH


async def test_what_its_author_means_so_is_neither_mended_nor_told() -> None:
    asked = payload().model_copy(update={"intended": (decision("echo", EARLIER[:160], EARLIER[:120]),)})
    desk = writers_desk(ScriptedAnswer(text=block(OLD) + END), book=EARLIER)

    prose = await written(desk, asked)

    assert (len(desk.turns), prose.craft.findings) == (1, ())


@for_each("quote, other", [("The keeper", EARLIER[:120]), (EARLIER[:160], "Another passage.")])
async def test_a_decision_about_other_words_silences_nothing(quote: str, other: str) -> None:
    asked = payload().model_copy(update={"intended": (decision("echo", quote, other),)})
    desk = writers_desk(
        ScriptedAnswer(call=2, text=MENDS), ScriptedAnswer(text=block(OLD) + END), book=EARLIER
    )

    assert (await written(desk, asked)).craft.mended == 1
