"""Certificate of a scene: its stored prompts against its stored history, by rules of its own.

Nothing here calls the code that makes prompts, memories or witnesses: it is what that code is held against.
"""
