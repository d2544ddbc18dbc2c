"""Faults of a reply in a scene, each beside what looks like it and is none."""

from penwright.domain.prose.replies import Company, reply_findings
from schemas.prose import Finding
from tests.support.each import for_each

MIRA = Company("Mira Hale", ("Ann", "Bob Stone"))
USER = "I put the lamp on the table. “Where were you when the light went out at the pier?” I ask."
ANN = (
    "*She sets the ledger down, presses two fingers to the page and reads the column of dates again, slowly, "
    "as if the ink could change its mind while she looks at it.* “Out. Counting.”"
)
SONG = (
    "Row to the shore,\nlow is the tide,\nleave what you swore\nto the other side,\n"
    "row to the shore,\nlow is the tide,\nrow to the shore"
)


def found(reply: str, *earlier: str, company: Company = MIRA) -> list[Finding]:
    """Findings; each quote stands where it says."""
    made = list(reply_findings(reply, earlier or (USER, ANN), company))
    assert all(reply.startswith(each.quote, each.start) and each.hard for each in made)
    return made


def test_a_reply_that_repeats_a_message_is_found_with_the_message() -> None:
    (echo,) = found(f"“I told you.”\n\n{ANN.replace('slowly', 'quickly')}")

    assert (echo.rule, echo.start) == ("echo", 15)
    assert echo.other == ANN[:120]


@for_each(
    "reply",
    [
        "*She closes the ledger at last, puts the pen behind her ear, and looks at the window where the rain "
        "has begun to run down in long and crooked lines.* “Ask him.”",
        SONG,
        "> " + ANN,
        "“Out. Counting.”",
    ],
)
def test_new_words_a_song_a_quoted_letter_and_a_short_refrain_are_none(reply: str) -> None:
    assert found(reply, USER, ANN, SONG, "> " + ANN) == []


@for_each(
    "reply",
    [
        "Mira: “I was at the pier.”",
        "She waits.\n**Mira Hale:** I was at the pier, all night.",
        "“I was at the pier,” Mira says.",
        "“I was at the pier,” says Mira Hale quietly, and Ann nods.",
        "“By the shore.” Mira quietly said. Ann nods.",
        "Ann nods. Mira says, “I was at the pier.”",
        "„Am Pier war ich“, sagte Mira.",
        "« J'étais là » répond Mira.",
    ],
)
def test_lines_and_quotes_of_the_persona_are_found(reply: str) -> None:
    (spoken,) = found(reply)

    assert spoken.rule == "speaks-for-persona"


@for_each(
    "reply",
    [
        "“Mira, you were at the pier,” Ann says.",
        "“You said you would wait. ‘I never wait,’ said Mira, they told me,” Ann says.",
        "“Where were you?” Mira had asked her a year ago.",
        "“Where were you when the light went out at the pier?” Mira asked. The words stay with Ann.",
        "“Get out!” Mira said nothing. Ann pointed at the door.",
        "“Get out!” says Mira's sister.",
        "“Get out,” Ann says to Mira. “Now.”",
        "Ann looks at Mira. “Get out.”",
        "Dear Mira:\nI shall not come back before the spring.",
        "The list hangs by the door.\nAnn: 3\nMira: 4",
        "> Mira: meet me at the pier.",
        'Ann slams the door. "Get out, she thinks. "Mira says it is late.',
        "The captain says, “Get out.”",
    ],
)
def test_words_to_or_about_the_persona_are_none(reply: str) -> None:
    assert found(reply) == []


def test_a_name_that_two_people_share_decides_nothing() -> None:
    reply = "“I was at the pier,” Mira says."

    assert found(reply, company=Company("Mira Hale", ("Mira Stone",))) == []
    assert found(reply, company=Company("Mira", ("Mira",))) == []
    assert found(reply, company=Company()) == []
    assert found("“Out,” the Captain says.", company=Company("The Captain")) == []
    assert found("“Out,” The says.", company=Company("The Captain")) == []
