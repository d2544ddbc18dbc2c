"""Asynchronous functions of the desk from routes that run in a thread of their own.

Such functions also read files and the store, which would hold up every other request on the shared loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


def finished(work: Coroutine[Any, Any, _T]) -> _T:  # Any: of the language
    """The result of ``work``, carried out on a loop of this thread."""
    return asyncio.run(work)
