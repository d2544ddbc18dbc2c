"""Source texts: what is a chapter, what is front matter, and what only looks like a heading."""

import time

import pytest

from penwright.domain.book.importing.plain_headings import eastern_number
from penwright.domain.book.importing.reading import read_source
from penwright.domain.text.words import count_words
from tests.support.books.novels import long_novel
from tests.support.each import for_each

NOVEL = long_novel()


def _found(text: str) -> list[tuple[str, int, str]]:
    return [(section.kind, section.number, section.title) for section in read_source(text).sections]


def _titles(text: str) -> list[str]:
    return [chapter.heading for chapter in read_source(text).chapters]


def test_a_long_novel_has_its_chapters_its_front_matter_and_its_epilogue() -> None:
    read = read_source(NOVEL.text)

    assert tuple(chapter.heading for chapter in read.chapters) == NOVEL.titles
    assert len(read.chapters) == 135
    assert [section.title for section in read.sections if section.kind == "front"] == [
        "",
        "ETYMOLOGY.",
        "EXTRACTS. (Found in a Drawer).",
    ]
    assert [(section.kind, section.title) for section in read.sections][-1] == ("section", "Epilogue")
    marks = sum(not head.level for head in read.headings)
    assert read.words == count_words(NOVEL.text) + marks


def test_wrapped_titles_are_kept_whole_and_named() -> None:
    read = read_source(NOVEL.text)

    title = "CHAPTER 73. The Keeper and the Pilot mend a Lamp; and Then Have a Talk over It."
    assert read.chapters[72].heading == title
    assert sum("goes on in the next line" in note for note in read.notes) == 3


@for_each(
    "sentence",
    [
        "chapter of sounds. Yet he went on.",
        "chapter 3 was lost.",
        "Chapter and verse, he said.",
        "Chapter seven begins the trouble.",
        "Chapter 3, which he had read.",
        "Chapter 3’s end was lost.",
        "Chapters are long.",
        "Epilogues are dull.",
        "Introduction was made, and they sat.",
        "Part of the pier was gone.",
        "Book one, and not the other.",
    ],
)
def test_sentences_that_begin_like_a_heading_are_text(sentence: str) -> None:
    text = f"Chapter 1\n\nHe waits.\n\n{sentence}\n\nChapter 2\n\nShe comes.\n"

    assert _titles(text) == ["Chapter 1", "Chapter 2"]
    assert sentence in read_source(text).chapters[0].text


def test_a_line_inside_a_paragraph_is_no_heading_and_is_named() -> None:
    read = read_source("Chapter 1\n\nHe reads in\nChapter 2. The Boat\nof the almanac.\n")

    assert [chapter.heading for chapter in read.chapters] == ["Chapter 1"]
    assert any(note.startswith("line 4 begins like a heading") for note in read.notes)


def test_a_heading_without_text_is_no_chapter_and_is_named() -> None:
    read = read_source("Chapter 1\n\nHe waits.\n\nChapter 2\n")

    assert [chapter.heading for chapter in read.chapters] == ["Chapter 1"]
    assert read.chapters[0].text == "He waits.\n\nChapter 2"
    assert read.notes == ("line 5: 'Chapter 2' has no text after it, so it is no chapter",)


@pytest.mark.parametrize(
    "contents",
    [
        "CONTENTS\n\nChapter 1. The Pier\n\nChapter 2. The Boat",
        "CONTENTS\n\nChapter 1. The Pier\nChapter 2. The Boat",
        "Table of Contents\n\nChapter 1. The Pier ....... 3\n\nChapter 2. The Boat ....... 9",
        "Chapter 1. The Pier\n\nChapter 2. The Boat\n\nFor my mother, who waited.",
        "",
    ],
)
def test_a_list_of_contents_belongs_to_the_front_matter(contents: str) -> None:
    text = (
        f"LOW TIDE\n\n{contents}\n\nChapter 1. The Pier\n\nHe waits.\n\nChapter 2. The Boat\n\nShe comes.\n"
    )

    assert _found(text) == [
        ("front", 0, ""),
        ("chapter", 1, "Chapter 1. The Pier"),
        ("chapter", 2, "Chapter 2. The Boat"),
    ]
    assert [chapter.text for chapter in read_source(text).chapters] == ["He waits.", "She comes."]


def test_a_list_of_contents_names_chapters_without_numbers() -> None:
    text = "Contents\n\nThe Pier\t3\nThe Boat\t9\n\nThe Pier\n\nHe waits.\n\nThe Boat\n\nShe comes.\n"

    assert _titles(text) == ["The Pier", "The Boat"]


def test_a_prologue_begins_the_book_and_a_preface_does_not() -> None:
    text = "Preface\n\nI wrote.\n\nPrologue\n\nFog.\n\nCHAPTER ONE\n\nHe waits.\n\nEPILOGUE.\n\nLight.\n"

    assert _found(text) == [
        ("front", 0, "Preface"),
        ("section", 0, "Prologue"),
        ("chapter", 1, "CHAPTER ONE"),
        ("section", 0, "EPILOGUE."),
    ]


def test_parts_are_no_chapters_and_numbers_may_begin_again() -> None:
    text = "PART ONE\n\nChapter 1\n\nHe waits.\n\nPART TWO. The Sea\n\nChapter 1\n\nShe comes.\n"

    assert _found(text) == [
        ("part", 0, "PART ONE"),
        ("chapter", 1, "Chapter 1"),
        ("part", 0, "PART TWO. The Sea"),
        ("chapter", 2, "Chapter 1"),
    ]
    assert read_source(text).notes == ()


@for_each(
    "first, second",
    [
        ("Chapter I", "Chapter II"),
        ("CHAPTER I. In Which He Waits", "CHAPTER II. In Which She Comes"),
        ("Chapter One: the pier", "Chapter Two: the boat"),
        ("Chapter Twenty-One", "Chapter Twenty-Two"),
        ("Kapitel Eins", "Kapitel Zwei"),
        ("Erstes Kapitel", "Zweites Kapitel"),
        ("1. Kapitel", "2. Kapitel"),
        ("Chapitre I", "Chapitre II"),
        ("CAPÍTULO 1", "CAPÍTULO 2"),
        ("**Chapter 1**", "**Chapter 2**"),
        ("I", "II"),
        ("1.", "2."),
        ("I. A Scandal", "II. A League"),
        ("# Chapter 1", "# Chapter 2"),
        ("# The Pier", "# The Boat"),
        ("### The Pier", "### The Boat"),
        ("The Pier\n========", "The Boat\n========"),
        ("Chapter 1\nThe Pier", "Chapter 2\nThe Boat"),
    ],
)
def test_headings_are_written_in_many_ways(first: str, second: str) -> None:
    read = read_source(f"{first}\n\nHe waits.\n\n{second}\n\nShe comes.\n")

    assert [chapter.text for chapter in read.chapters] == ["He waits.", "She comes."]


def test_text_may_follow_a_short_heading_without_a_blank_line() -> None:
    text = "Chapter 1\nHe waits.\nIt is late.\n\nChapter 2. The Boat\nShe comes, and he\nwaits.\n"

    assert [(c.heading, c.text) for c in read_source(text).chapters] == [
        ("Chapter 1", "He waits.\nIt is late."),
        ("Chapter 2. The Boat", "She comes, and he\nwaits."),
    ]


def test_a_title_is_no_chapter_and_headings_of_scenes_are_none_either() -> None:
    text = "# Low Tide\n\n## Chapter 1\n\nHe waits.\n\n### Night\n\nFog.\n\n## Chapter 2\n\nShe comes.\n"

    assert _found(text) == [("part", 0, "Low Tide"), ("chapter", 1, "Chapter 1"), ("chapter", 2, "Chapter 2")]
    assert read_source(text).chapters[0].text == "He waits.\n\n### Night\n\nFog."


def test_a_hash_inside_code_is_no_heading() -> None:
    text = "# One\n\n```\n# not this\n```\n\n# Two\n\nShe comes.\n"

    assert _titles(text) == ["One", "Two"]


def test_numbers_that_leap_are_named() -> None:
    read = read_source("Chapter 1\n\nHe waits.\n\nChapter 3\n\nShe comes.\n")

    assert [section.number for section in read.sections] == [1, 2]
    assert read.notes == ("line 5: 'Chapter 3' comes after chapter 1",)


def test_a_title_and_contents_of_the_chapters_level_are_front_matter() -> None:
    front = "# Low Tide\n\nBy M. Orr\n\n# Table of Contents\n\n- The Pier\n\n"
    text = f"{front}# Chapter 1\n\nHe waits.\n\n# Late\n\nFog.\n"

    assert _found(text) == [
        ("front", 0, "Low Tide"),
        ("front", 0, "Table of Contents"),
        ("chapter", 1, "Chapter 1"),
        ("chapter", 2, "Late"),
    ]


@pytest.mark.parametrize("chapter", ["# Chapter\n\na\n\n", "# Part 1\n\na\n\n"])
def test_a_source_of_very_many_chapters_is_read_in_seconds(chapter: str) -> None:
    begun = time.process_time()

    read_source(chapter * 40_000)

    assert time.process_time() - begun < 8


@for_each(
    "heading",
    [
        *(
            "Kapitel 3",
            "Drittes Kapitel",
            "Chapitre premier",
            "CAPÍTULO PRIMERO",
            "Capitolo secondo",
            "Hoofdstuk 4",
        ),
        *(
            "Rozdział 1",
            "Rozdział pierwszy",
            "Bölüm 2",
            "Birinci Bölüm",
            "Глава IV",
            "Глава первая",
            "РОЗДІЛ 1",
        ),
        *(
            "Andra kapitlet",
            "Første kapittel",
            "Ensimmäinen luku",
            "1. fejezet",
            "Második fejezet",
            "Druhá kapitola",
        ),
        *(
            "Κεφάλαιο 2",
            "Chương 1: Bến nước",
            "Bab 3",
            "Capitolul 4",
            "Poglavlje 5",
            "الفصل الأول",
            "الفصل الثاني عشر",
        ),
        *(
            "פרק א",
            "अध्याय १",
            "บทที่ 1",
            "第一章　渡し",
            "第3話",
            "第十二回 风起",
            "第 2 章",
            "【第三章】火",
            "제1장 나루",
        ),
    ],
)
def test_a_chapter_is_found_by_the_word_of_its_language(heading: str) -> None:
    assert _titles(f"{heading}\n\nOne line.\n\nTwo lines.\n") == [heading]


@for_each(
    "sentence",
    [
        "第三章写得最好。",
        "第三章讲的是水车，他说。",
        "제1장을 다시 읽었다.",
        "Глава вошла в дом и села.",
        "Bölüm bitti, dedi ve kalktı.",
    ],
)
def test_a_sentence_that_names_a_chapter_is_none_in_any_language(sentence: str) -> None:
    assert _titles(f"Before it.\n\n{sentence}\n\nAfter it.\n") == ["Chapter 1"]


def test_chapters_are_found_where_no_blank_lines_stand() -> None:
    text = (
        "《渡口》\n第一章 渡口\n　　水涨了。\n　　第二章写得好。\n第二章 磨坊\n　　磨停了。\n番外\n　　完。\n"
    )

    assert _titles(text) == ["第一章 渡口", "第二章 磨坊", "番外"]


def test_a_chinese_list_of_contents_has_no_chapters() -> None:
    text = "目录\n第一章 渡口\n第二章 磨坊\n\n第一章 渡口\n\n水涨了。\n\n第二章 磨坊\n\n磨停了。\n"

    assert _titles(text) == ["第一章 渡口", "第二章 磨坊"]


@for_each(
    "signs, number",
    [
        ("七", 7),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("廿一", 21),
        ("壹百零三", 103),
        ("两百一十八", 218),
        ("二〇二四", 2024),
        ("１２", 12),
    ],
)
def test_chinese_numerals_are_read(signs: str, number: int) -> None:
    assert eastern_number(signs) == number


def test_a_chinese_chapter_may_have_a_single_line() -> None:
    assert _titles("第一章 渡口\n　　水涨了。\n第二章 灯塔\n　　磨停了。\n") == ["第一章 渡口", "第二章 灯塔"]
