"""Ids of runs in addresses: the store's names hold signs that addresses use themselves."""


def encoded(run: str) -> str:
    """``book~tide!20260301T080000Z-a1b2c3`` for ``book/tide#20260301T080000Z-a1b2c3``."""
    return run.replace("/", "~").replace("#", "!")


def decoded(run_id: str) -> str:
    """The name of the run in the store."""
    return run_id.replace("~", "/").replace("!", "#")
