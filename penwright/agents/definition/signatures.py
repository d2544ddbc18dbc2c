"""What can be told of a function before it is called."""

import functools
import inspect
from collections.abc import Callable
from typing import Any


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside a partial, or a callable object's own method."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or isinstance(function, type):
        return function
    method: Callable[..., Any] = function.__call__  # type: ignore[operator]  # a routine is handled above
    return method


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call gives something to be awaited."""
    return inspect.iscoroutinefunction(plain(function))


def takes_two(function: Callable[..., Any]) -> bool:
    """Whether it can be called with two arguments by position."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # some built-ins do not tell
        return True
    return True
