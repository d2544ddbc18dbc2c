"""Replies in the shapes that writers' models give them, each with what of it is the book's."""

from dataclasses import dataclass

PROSE = (
    "The lamp went out before the boat had turned. Mara counted to nine, leaned out over the thwart and felt "
    "for the rope; it was wet, and somebody held its other end.\n\n"
    "“Let go,” she said. Nobody answered. The tide drew the boat towards the light, a hand's breadth, then a "
    "yard, and the rope went slack.\n\n"
    "On the quay a door closed. She waited until the steps were gone, and began to row."
)
FIRST, REST = PROSE.split("\n\n", 1)
START, END = "<!-- INK:NEW:START -->", "<!-- INK:NEW:END -->"
NEW = f"{START}\n{PROSE}\n{END}"
REPORT = "=== REPORT ===\nsummary: She rows away.\ninstructions answered: 0\narcs closed: no\n=== END ==="
PLAN = (
    "=== PLAN ===\n- Mara loses the rope\n- a door closes\nends: she rows\nhidden: who held it\n=== END ==="
)
WHOLE = f"{PLAN}\n\n{NEW}\n\n{REPORT}"
OLD = "It rained."
REWORKED = (
    "<!-- INK:REWORKED:START -->\n> **[Rework]** let it snow\n\nIt snowed.\n\n<!-- INK:ORIGINAL:START -->\n"
    f"{OLD}\n<!-- INK:ORIGINAL:END -->\n<!-- INK:REWORKED:END -->"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """One reply as it came."""

    name: str
    text: str
    prose: str = PROSE
    """The new prose that the book takes; empty if the reply is refused."""
    code: str = ""
    """Of the refusal."""
    cut_off: bool = False
    """Whether it stopped at the token limit."""
    is_cut: bool = False
    """Whether the writer is asked to go on."""
    summary: str = ""
    """Empty: not looked at."""


def _marked(start: str, end: str) -> str:
    return f"{start}\n{PROSE}\n{end}\n\n{REPORT}"


SHAPES = (
    # The format that was asked for, and what stands around it.
    Shape("as asked", WHOLE, summary="She rows away."),
    Shape("prose alone", PROSE),
    Shape("prose and report", f"{PROSE}\n\n{REPORT}", summary="She rows away."),
    Shape("preamble and offer around the blocks", f"Sure! Here you go:\n\n{WHOLE}\n\nShall I go on?"),
    Shape("reasons between plan and block", f"{PLAN}\n\nI keep the voice dry and near.\n\n{NEW}\n\n{REPORT}"),
    Shape("reworked and new", f"{PLAN}\n\n{REWORKED}\n\n{NEW}\n\n{REPORT}"),
    Shape("reworked inside of new", f"{START}\n{REWORKED}\n\n{PROSE}\n{END}\n\n{REPORT}"),
    Shape("two new blocks", f"{START}\n{FIRST}\n{END}\n\n{START}\n{REST}\n{END}\n\n{REPORT}"),
    Shape("new inside of new", f"{START}\n{START}\n{PROSE}\n{END}\n{END}\n\n{REPORT}"),
    Shape("report before the block", f"{REPORT}\n\n{NEW}"),
    Shape("report inside of the block", f"{START}\n{PROSE}\n\n{REPORT}\n{END}", summary="She rows away."),
    Shape("plan inside of the block", f"{START}\n{PLAN}\n\n{PROSE}\n{END}\n\n{REPORT}"),
    Shape("plan without an end", f"=== PLAN ===\n- Mara loses the rope\nends: she rows\n\n{NEW}\n\n{REPORT}"),
    Shape("plan without an end nor a block", f"**PLAN**\n- Mara loses the rope\nends: she rows\n\n{PROSE}"),
    Shape(
        "report under a heading",
        f"{NEW}\n\n## Report\n\n**Summary:** She rows away.",
        summary="She rows away.",
    ),
    # Talk around prose without a block, in the languages of books.
    Shape("English preamble", f"Sure! Here's the next scene:\n\n{PROSE}"),
    Shape("German preamble", f"Gerne! Hier ist die nächste Szene:\n\n{PROSE}"),
    Shape("French preamble", f"Bien sûr ! Voici la suite du chapitre :\n\n{PROSE}"),
    Shape("Spanish preamble", f"¡Claro! Aquí está la siguiente escena:\n\n{PROSE}"),
    Shape("Italian preamble", f"Certo! Ecco la prossima scena:\n\n{PROSE}"),
    Shape("Portuguese preamble", f"Claro! Aqui está a próxima cena:\n\n{PROSE}"),
    Shape("Russian preamble", f"Конечно! Вот следующая сцена:\n\n{PROSE}"),
    Shape("Chinese preamble", f"好的，以下是下一个场景：\n\n{PROSE}"),
    Shape("Japanese preamble", f"はい、続きの場面はこちらです：\n\n{PROSE}"),
    Shape("English offer", f"{PROSE}\n\n---\n\nWould you like me to continue with the next scene?"),
    Shape("German offer", f"{PROSE}\n\nIch hoffe, die Szene gefällt dir! Soll ich weiterschreiben?"),
    Shape("French offer", f"{PROSE}\n\nN'hésitez pas à me dire si vous souhaitez des modifications."),
    Shape("Spanish offer", f"{PROSE}\n\n¿Quieres que continúe con la siguiente escena?"),
    Shape("English count", f"{PROSE}\n\n*(Word count: 97)*"),
    Shape("German count", f"{PROSE}\n\n(Wortanzahl: ca. 97)"),
    Shape("French count", f"{PROSE}\n\n*Nombre de mots : 97*"),
    Shape("Spanish count", f"{PROSE}\n\n**Recuento de palabras:** 97 palabras"),
    Shape("Chinese count", f"{PROSE}\n\n（字数：约97字）"),
    Shape("count inside of the block", f"{START}\n{PROSE}\n\n[97 words]\n{END}\n\n{REPORT}"),
    # Markdown of chats.
    Shape("fence around all", f"```markdown\n{WHOLE}\n```"),
    Shape("fence inside of the block", f"{START}\n```\n{PROSE}\n```\n{END}\n\n{REPORT}"),
    Shape(
        "fence around the prose",
        f"Here is the scene:\n\n```text\n{PROSE}\n```\n\nLet me know what you think!",
    ),
    Shape("bold heading over the prose", f"**Next Scene**\n\n{PROSE}"),
    Shape("heading over the prose", f"### Continuation\n\n{PROSE}"),
    Shape("rules around the prose", f"---\n\n{PROSE}\n\n---"),
    Shape("heading of a chapter", f"{START}\n# Chapter 3\n\n{PROSE}\n{END}", prose=f"# Chapter 3\n\n{PROSE}"),
    # Markers that are not written as they were shown.
    Shape("markers in small letters", _marked("<!-- ink:new:start -->", "<!-- ink:new:end -->")),
    Shape("markers without blanks", _marked("<!--INK:NEW:START-->", "<!--INK:NEW:END-->")),
    Shape("markers with more blanks", _marked("<!--  INK : NEW : START  -->", "<!--  INK : NEW : END  -->")),
    Shape("markers in bold", _marked(f"**{START}**", f"**{END}**")),
    Shape("markers as code", _marked(f"`{START}`", f"`{END}`")),
    Shape("markers with entities", _marked("&lt;!-- INK:NEW:START --&gt;", "&lt;!-- INK:NEW:END --&gt;")),
    Shape("markers with dashes", _marked("<!— INK:NEW:START —>", "<!— INK:NEW:END —>")),
    Shape("markers in brackets", _marked("[INK:NEW:START]", "[INK:NEW:END]")),
    Shape(
        "markers with blanks of no width",
        _marked("<!--\u200b INK:NEW:START\u200b -->", "<!--\u00a0INK:NEW:END -->"),
    ),
    Shape("markers in a quotation", _marked(f"> {START}", f"> {END}")),
    Shape("a byte order mark and line ends of Windows", f"\ufeff{WHOLE}".replace("\n", "\r\n")),
    Shape("prose on the line of its markers", f"{START} {PROSE} {END}\n\n{REPORT}"),
    Shape("no end of the block", f"{START}\n{PROSE}\n\n{REPORT}"),
    Shape("no beginning of the block", f"{PROSE}\n{END}\n\n{REPORT}"),
    # What vendors leave in their text.
    Shape("a thought in tags", f"<think>\nThe user wants 90 words.\n</think>\n\n{WHOLE}"),
    Shape("the end of a thought", f"Okay, the user wants 90 words.\n</think>\n\n{PROSE}"),
    Shape(
        "channels",
        "<|channel|>analysis<|message|>Plan it.<|end|><|start|>assistant<|channel|>final<|message|>"
        f"{WHOLE}<|return|>",
    ),
    Shape("a call in tags", f'<tool_call>\n{{"name": "read_chapter"}}\n</tool_call>\n\n{WHOLE}'),
    Shape("ends of turns", f"{PROSE}<|im_end|>\n<|endoftext|>"),
    Shape("the end of a text", f"{PROSE}</s>"),
    Shape("a part that is named in tags", f"<prose>\n{PROSE}\n</prose>"),
    Shape("a speaker before it", f"Assistant: {PROSE}"),
    # Replies that stop, or are none.
    Shape(
        "cut in a word",
        f"{START}\n{PROSE} She leaned ou",
        cut_off=True,
        is_cut=True,
        prose=f"{PROSE} She leaned ou",
    ),
    Shape("cut in the end of the block", f"{START}\n{PROSE}\n<!-- INK:NEW:E", cut_off=True, is_cut=True),
    Shape("cut in the report", f"{NEW}\n\n=== REPORT ===\nsummary: She ro", cut_off=True),
    Shape("JSON", '{"prose": "The lamp went out.", "summary": "She rows."}', prose="", code="json-reply"),
    Shape("a refusal", "I'm sorry, but I can't help with that.", prose="", code="prose-too-short"),
    Shape(
        "questions instead",
        "Sure! Before I write the scene, what tone would you like:",
        prose="",
        code="task-talk",
    ),
)
