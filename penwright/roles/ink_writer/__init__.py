"""The writer of a book session: rework first, then exactly the words that are wanted."""

from penwright.roles.ink_writer.role import (
    ROLE,
    SessionPrompt,
    ask_again,
    go_on,
    render,
    words_wanted,
)

__all__ = ["ROLE", "SessionPrompt", "ask_again", "go_on", "render", "words_wanted"]
