"""The part of the writer's prompt that two consecutive sessions share, which a vendor need not read again."""

from itertools import takewhile

from penwright.domain.book.files.layout import CONFIG, MATERIAL_FOLDER, chapter_path
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.roles.ink_writer import briefing
from tests.bench.long_books import prose
from tests.bench.report import Row
from tests.support.books.memory_book import PaperBook

BUDGET = 0.5
_MATERIAL = {"Soul.md": 400, "Characters.md": 1_500, "Lore.md": 1_000, "Outline.md": 800}
"""Words of each file, as in a book whose author has filled in the templates."""
_CONFIG = """\
target_length: 90000
chapter_count: 30
chapter_structure: linear
words_per_session: 1500
language: English
"""


def run(sessions: int = 4) -> list[Row]:
    """Write some sessions, and compare the prompts of the last two."""
    book = PaperBook().put(CONFIG, _CONFIG).put(chapter_path(1), f"# The Pier\n\n{prose(150, 7)}")
    for seed, (name, words) in enumerate(_MATERIAL.items(), 11):
        book.put(f"{MATERIAL_FOLDER}/{name}", f"# {name}\n\n{prose(words, seed)}")
    prompts = [_session(book, number) for number in range(1, sessions + 1)]
    before, last = prompts[-2:]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, last, strict=False)))
    shared, whole = estimate_tokens(last[:same]), estimate_tokens(last)
    return [
        Row(
            part="prompt",
            measure="shared by two sessions in succession; all",
            found=f"{shared:,} tokens",
            baseline=f"{whole:,} tokens",
            ratio=shared / whole,
            budget=f">= {BUDGET:.2f}x",
            within=shared >= BUDGET * whole,
        )
    ]


def _session(book: PaperBook, number: int) -> str:
    """The prompt of the next session, which then is written."""
    prompt = briefing.render(book.open().payload)
    book.close(prose(1_500, 100 + number), summary=prose(80, 200 + number))
    return f"{prompt.system}\n{prompt.text}"
