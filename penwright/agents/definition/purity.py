"""Whether a function asks the clock, chance, the environment or the disk, as its bytecode tells.

Nothing is called. Every global, import and closure that a function names is looked up where the function
would find it, with the attributes taken from it, and functions of ours among them are looked at in turn.
What comes in as an argument cannot be followed: there the workflow's sandbox is the second fence.
"""

import builtins
import datetime
import dis
import functools
import inspect
import io
import pathlib
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from pydantic import BaseModel

_OUTWARD_MODULES = frozenset(
    {
        *("_random", "_socket", "_thread", "asyncio", "ctypes", "getpass", "glob", "http", "locale"),
        *("multiprocessing", "os", "platform", "posix", "posixpath", "random", "secrets", "select", "shutil"),
        *(
            "signal",
            "socket",
            "sqlite3",
            "ssl",
            "subprocess",
            "sys",
            "tempfile",
            "threading",
            "time",
            "urllib",
        ),
        *("git", "httpx", "litellm", "numpy", "sqlalchemy", "temporalio"),
    }
)
"""Modules that answer differently at another time or place, or that change something there."""
_OUTWARD_BUILT_INS = (open, input, print, exec, eval, compile, __import__, breakpoint, hash)
"""A text's ``hash`` is another one in each process."""
_OUTWARD_IDS = tuple(getattr(uuid, name) for name in ("uuid1", "uuid4", "getnode"))
_OUTWARD_THINGS = (*_OUTWARD_BUILT_INS, *_OUTWARD_IDS, pathlib.Path, io.FileIO)
_HARMLESS = (sys.intern, sys.maxsize, sys.maxunicode)
_DATES = (datetime.datetime, datetime.date)
_OF_DATES = frozenset({"now", "utcnow", "today", "fromtimestamp"})
_TELLING = frozenset(
    {"environ", "getenv", "monotonic", "perf_counter", "urandom", "utcnow", "uuid1", "uuid4"}
)
"""Attributes that mean the outside, whatever they are taken from."""
_OURS = frozenset({"penwright", "schemas"})
"""Looked into, besides the package a function is from; all others are judged by name."""
_MAKING = ("__new__", "__init__", "__post_init__", "model_post_init")
_UNKNOWN = object()


def impurities(*functions: Callable[..., Any]) -> tuple[str, ...]:
    """What functions may not ask but name, each once: ``time.time``, ``random.choice``, ``open``, …"""
    look = _Look(_OURS | {_room(_undone(function)) for function in functions})
    names = [getattr(function, "__name__", type(function).__name__) for function in functions]
    found = (each for at, function in enumerate(functions) for each in look.at(function, names[at], ()))
    return tuple(dict.fromkeys(found))


def _undone(function: Callable[..., Any]) -> Callable[..., Any]:
    return function.func if isinstance(function, functools.partial) else function


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at a function and at everything it leads to."""

    ours: frozenset[str]
    seen: set[int] = field(default_factory=set)

    # Any, here and below: whatever a name may stand for.
    def at(self, value: Any, name: str, through: tuple[str, ...]) -> Iterator[str]:
        """Why ``value`` is not pure; ``through``: the functions that led to it."""
        if any(value is each for each in _HARMLESS):
            return
        if _is_outward(value):
            yield " in ".join((name, *reversed(through[1:])))
        elif _room(value) in self.ours and id(_function(value)) not in self.seen:
            self.seen.add(id(_function(value)))
            for found, called in _named_by(value):
                yield from self.at(found, called, (*through, name))
        elif isinstance(value, functools.partial):
            yield from self.at(value.func, name, through)


def _named_by(value: Any) -> Iterator[tuple[Any, str]]:
    """What a call of ``value`` would name, if ``value`` is ours."""
    function = _function(value)
    if isinstance(function, FunctionType):
        own = value.__self__ if isinstance(value, MethodType) else _UNKNOWN
        yield from _names(function, function.__code__, own)
    elif isinstance(value, type):
        yield from ((maker, value.__name__) for maker in _makers(value))
    elif isinstance(call := inspect.getattr_static(type(value), "__call__", None), FunctionType):
        yield MethodType(call, value), type(value).__name__


def _function(value: Any) -> Any:
    """The function itself of a method, or of one that is wrapped as by a cache."""
    function = value.__func__ if isinstance(value, MethodType) else value
    return inspect.unwrap(function) if callable(function) and not isinstance(function, type) else function


def _makers(kind: type) -> Iterator[Any]:
    """What runs when an instance is made."""
    yield from (vars(kind)[name] for name in _MAKING if isinstance(vars(kind).get(name), FunctionType))
    if issubclass(kind, BaseModel):
        yield from (each.default_factory for each in kind.model_fields.values() if each.default_factory)


def _names(function: FunctionType, code: CodeType, own: Any) -> Iterator[tuple[Any, str]]:
    """Everything the code names, with the attributes it takes as far as they can be known."""
    value, name = _UNKNOWN, ""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            value, name = _attribute(value, step.argval), f"{name}.{step.argval}".lstrip(".")
        elif step.opname not in ("CACHE", "PUSH_NULL", "PRECALL"):
            yield value, name
            value, name = _loaded(step, function, code, own)
    yield value, name
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(function, constant, _UNKNOWN)


def _loaded(step: dis.Instruction, function: FunctionType, code: CodeType, own: Any) -> tuple[Any, str]:
    name = str(step.argval)
    match step.opname:
        case "LOAD_GLOBAL" | "LOAD_NAME":
            return function.__globals__.get(name, getattr(builtins, name, _UNKNOWN)), name
        case "IMPORT_NAME":
            return sys.modules.get(name, ModuleType(name)), name
        case "STORE_GLOBAL" | "DELETE_GLOBAL":
            return _Outward(), f"global {name}"
        case "LOAD_DEREF" | "LOAD_CLASSDEREF" | "LOAD_CLOSURE":
            return _enclosed(function, name), name
    if step.opname.startswith("LOAD_FAST") and code.co_argcount and name == code.co_varnames[0]:
        return own, name  # ``self``, where the function is a method
    return _UNKNOWN, ""


class _Outward:
    """Stands for what has no value of its own but may not be done."""


def _enclosed(function: FunctionType, name: str) -> Any:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    try:
        return cells[name].cell_contents
    except (KeyError, ValueError):  # the function's own variable, or one not filled yet
        return _UNKNOWN


def _attribute(value: Any, name: str) -> Any:
    """An attribute as far as it can be had without running anything."""
    if isinstance(value, ModuleType) and any(vars(value).get(name) is each for each in _HARMLESS):
        return vars(value)[name]
    if _is_outward(value) or (name in _OF_DATES and any(value is each for each in _DATES)):
        return _Outward()
    if value is _UNKNOWN:
        return _Outward() if name in _TELLING else _UNKNOWN
    if isinstance(value, ModuleType):
        return vars(value).get(name, _UNKNOWN)
    found = inspect.getattr_static(value, name, _UNKNOWN)
    if isinstance(found, staticmethod | classmethod):
        return found.__func__
    bound = found.fget if isinstance(found, property) else found
    return MethodType(bound, value) if isinstance(bound, FunctionType) else bound


def _is_outward(value: Any) -> bool:
    if isinstance(value, _Outward | pathlib.Path) or any(value is each for each in _OUTWARD_THINGS):
        return True
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in _OUTWARD_MODULES
    owner = getattr(value, "__self__", None) if inspect.isroutine(value) else None
    if any(owner is each for each in _DATES):
        return getattr(value, "__name__", "") in _OF_DATES
    rooms = {_room(value), "" if isinstance(owner, ModuleType) else _room(owner)}
    return not rooms.isdisjoint(_OUTWARD_MODULES)


def _room(value: Any) -> str:
    """The outermost package something is from."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return str(module).partition(".")[0]
