"""What the engine's own files hold in a book that has not begun, and in one that is finished.

A comment that begins with the word "Penwright" is managed: it explains the file to people and is no prose.
"""

EMPTY_REVIEW = """\
<!-- Penwright: the prose of the latest session waits here for you. Change it as you like. To have a passage
rewritten, put an HTML comment that begins with INK and a colon, and then says what you want, right behind it.
Everything in front of the first such comment enters the book when the next session closes. -->
"""

EMPTY_FULL_BOOK = """\
<!-- Penwright: the validated book. Sessions add to its end; your corrections anywhere else are kept. -->
"""

SEALED_REVIEW = """\
<!-- Penwright: the book is complete. Nothing waits for review. -->
"""

FRESH_STATE = "current_chapter: 1\ncurrent_chapter_word_count: 0\n"
