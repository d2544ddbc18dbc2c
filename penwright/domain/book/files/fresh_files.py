"""Initial and final content of the engine's own files.

A comment that begins with the word "Penwright" is managed: it explains the file to people and is not prose.
"""

EMPTY_REVIEW = """\
<!-- Penwright: the prose of the latest session waits here for you. Change it as you like. To have a passage
rewritten, put an HTML comment that begins with INK and a colon, and then says what you want, right after it.
Everything before the first such comment enters the book when the next session closes. -->
"""

EMPTY_FULL_BOOK = """\
<!-- Penwright: the validated book. Sessions add to its end; your corrections anywhere else are kept. -->
"""

SEALED_REVIEW = """\
<!-- Penwright: the book is complete. Nothing waits for review. -->
"""

FRESH_STATE = "current_chapter: 1\ncurrent_chapter_word_count: 0\n"
