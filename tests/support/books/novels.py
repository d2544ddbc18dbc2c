"""A long novel, made up, in the form in which old novels are handed on as plain text."""

from dataclasses import dataclass

_WRAPPED = {
    56: ("Of the Less Truthful Pictures of Lighthouses, and the", "Truthful Pictures of Scenes on Piers."),
    57: ("Of Piers in Oil; in Chalk; in Wood; in Sheet Metal;", "in Sand; in Clouds; in Dreams."),
    73: ("The Keeper and the Pilot mend a Lamp; and Then Have a", "Talk over It."),
}
"""Chapter -> its title, on two lines."""


@dataclass(frozen=True, slots=True)
class Novel:
    """A source text and what a reader finds in it."""

    text: str
    titles: tuple[str, ...]
    """Headings of the chapters, each in one line."""


def long_novel(chapters: int = 135) -> Novel:
    """A list of contents, front matter in two pieces, chapters, some with long titles, an epilogue."""
    headings = ["\n".join(_heading(number)) for number in range(1, chapters + 1)]
    contents = ["CONTENTS", "ETYMOLOGY.", "EXTRACTS (Found in a Drawer).", *headings, "Epilogue"]
    front = [
        "  ETYMOLOGY.",
        "  (Supplied by a harbour master.)\n  TIDE,      _English_.\n  TIJD,      _Dutch_.",
        "  EXTRACTS. (Found in a Drawer).",
        "  “All that the water takes, it gives.” —_Song_.",
    ]
    story = [part for number in range(1, chapters + 1) for part in (headings[number - 1], _body(number))]
    end = [
        "Epilogue",
        "“AND THE LAMP WAS LIT.” Old Song.",
        "The sea is done. Who steps forth?",
        "End of the text",
    ]
    text = "\n\n\n".join(["LOW TIDE;\n\nor, THE PIER.", "\n\n".join(contents), *front, *story, *end])
    titles = tuple(heading.replace("\n", " ") for heading in headings)
    return Novel(f"\n\n{text}\n", titles)


def _heading(number: int) -> tuple[str, ...]:
    if number in _WRAPPED:
        first, second = _WRAPPED[number]
        return f"CHAPTER {number}. {first}", second
    return (f"CHAPTER {number}. The Pier.",)


def _body(number: int) -> str:
    return (
        f"On day {number} he waits at the pier, and in the last\n"
        "chapter of sounds he hears the bell. So it is said in\n"
        "chapter 7 of the almanac, which knows it.\n\n"
        "      Low water, low water,\n      and the bell.\n\n"
        "chapter and verse, he says.\n\n"
        "Chapter 7 of the almanac says otherwise. Chapters are\nlong, and she comes late.  "
    )
