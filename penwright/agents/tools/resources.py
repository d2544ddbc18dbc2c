"""Resources of tools on a worker: bound by type, created on demand, closed in reverse order.

A singleton lives as long as the worker, a call's resource as long as one attempt of one call, and a
prototype is created for each request. Workflow code may name a resource but never holds one, and no
resource is rolled back: the workspace alone is transactional.
"""

import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
)
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from penwright.errors import BrokenDefinition, NotFound

Scope = Literal["singleton", "call", "prototype"]
Made = TypeVar("Made")


class Resources(Protocol):
    """Gives a factory or a handler its resources."""

    def get(self, kind: type[Made]) -> Made:
        """The resource bound to a type; ``NotFound`` without a binding."""
        ...


@dataclass(frozen=True, slots=True)
class Binding(Generic[Made]):
    """Factory of a resource, in one of three forms: see ``plain``, ``managed`` and ``prepared``."""

    kind: type[Made]
    scope: Scope
    plain: Callable[[Resources], Made] | None = None
    managed: Callable[[Resources], AbstractContextManager[Made]] | None = None
    prepared: Callable[[Resources], AbstractAsyncContextManager[Made]] | None = None


def plain(
    kind: type[Made], make: Callable[[Resources], Made], *, scope: Scope = "singleton"
) -> Binding[Made]:
    """Created on first use; needs no closing."""
    return Binding(kind, scope, plain=make)


def managed(
    kind: type[Made],
    make: Callable[[Resources], AbstractContextManager[Made]],
    *,
    scope: Scope = "singleton",
) -> Binding[Made]:
    """Created on first use, and closed with its scope."""
    return Binding(kind, scope, managed=make)


def prepared(
    kind: type[Made],
    make: Callable[[Resources], AbstractAsyncContextManager[Made]],
    *,
    scope: Literal["singleton", "call"] = "singleton",
) -> Binding[Made]:
    """Awaited, so created when its scope opens; it may use earlier bindings."""
    return Binding(kind, scope, prepared=make)


Bindings = Sequence[Binding[Any]]  # Any: each has its own type


@dataclass(slots=True)
class _Store:
    """The resources of one scope that exist already."""

    found: dict[type, object] = field(default_factory=dict)
    closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    closed: bool = False


@dataclass(frozen=True, slots=True)
class _View:
    """Resources as one factory or handler sees them; ``path`` holds the requests that led here."""

    table: Mapping[type, Binding[Any]]  # Any: as above
    shared: _Store
    own: _Store | None
    """Of a call; None while singletons are made."""
    lock: threading.RLock
    """Handlers may ask from threads of their own."""
    path: tuple[type, ...] = ()

    def get(self, kind: type[Made]) -> Made:
        binding = self._binding(kind)
        with self.lock:
            store = self._store(binding)
            if binding.scope != "prototype" and kind in store.found:
                return cast(Made, store.found[kind])
            made = self._made(binding, store)
            if binding.scope != "prototype":
                store.found[kind] = made
            return cast(Made, made)

    async def prepare(self, binding: Binding[Any]) -> None:  # Any: as above
        """Create a resource that has to be awaited."""
        store = self._store(binding)
        assert binding.prepared is not None, "other bindings are created on first use"
        inner = self._inner(binding)
        store.found[binding.kind] = await store.closing.enter_async_context(binding.prepared(inner))

    def _binding(self, kind: type) -> Binding[Any]:  # Any: as above
        if kind in self.path:
            raise _broken("resource-cycle", f"needs itself: {self._path_to(kind)}", kind)
        binding = self.table.get(kind)
        if binding is None:
            known = ", ".join(sorted(each.__name__ for each in self.table)) or "nothing"
            raise NotFound(
                "resource-unbound",
                f"no worker binds {self._path_to(kind)!r}; bound are: {known}",
                resource=kind.__name__,
            )
        return binding

    def _store(self, binding: Binding[Any]) -> _Store:  # Any: as above
        store = self.shared if binding.scope == "singleton" else self.own
        if store is None:
            path = self._path_to(binding.kind)
            raise _broken(
                "resource-scope", f"lives for one call, and a singleton needs it: {path}", binding.kind
            )
        if store.closed:
            raise _broken("resource-closed", "is closed; ask for it while the call lasts", binding.kind)
        return store

    def _made(self, binding: Binding[Any], store: _Store) -> object:  # Any: as above
        inner = self._inner(binding)
        if binding.plain is not None:
            return binding.plain(inner)
        if binding.managed is not None:
            return store.closing.enter_context(binding.managed(inner))
        raise _broken("resource-order", "is not ready yet; bind it before what needs it", binding.kind)

    def _inner(self, binding: Binding[Any]) -> "_View":  # Any: as above
        """View of the factory of a binding: a singleton must not keep a call's resources."""
        own = None if binding.scope == "singleton" else self.own
        return _View(self.table, self.shared, own, self.lock, (*self.path, binding.kind))

    def _path_to(self, kind: type) -> str:
        return " → ".join(each.__name__ for each in (*self.path, kind))


@dataclass(frozen=True, slots=True)
class WorkerResources:
    """A worker's singletons, open for calls."""

    table: Mapping[type, Binding[Any]]  # Any: as above
    shared: _Store
    lock: threading.RLock

    @asynccontextmanager
    async def call(self, *more: Binding[Any]) -> AsyncIterator[Resources]:  # Any: as above
        """The resources of one attempt of a call; ``more`` are bound for it alone."""
        for binding in more:
            if binding.scope == "singleton":
                raise _broken(
                    "resource-scope", "is bound for one call, so it cannot be a singleton", binding.kind
                )
        table = _table([*self.table.values(), *more])
        view = _View(table, self.shared, _Store(), self.lock)
        async with _lasting(view, [each for each in table.values() if each.scope == "call"]):
            yield view


@asynccontextmanager
async def opened(bindings: Bindings) -> AsyncIterator[WorkerResources]:
    """Singletons for as long as the worker runs."""
    table = _table(bindings)
    view = _View(table, _Store(), None, threading.RLock())
    async with _lasting(view, [each for each in table.values() if each.scope == "singleton"]):
        yield WorkerResources(table, view.shared, view.lock)


@asynccontextmanager
async def _lasting(view: _View, scoped: Bindings) -> AsyncIterator[None]:
    """One scope: awaited resources are created at its start, and all are closed at its end."""
    store = view.own or view.shared
    async with store.closing:
        try:
            for binding in scoped:
                if binding.prepared is not None:
                    await view.prepare(binding)
            yield
        finally:
            store.closed = True


def _table(bindings: Bindings) -> Mapping[type, Binding[Any]]:  # Any: as above
    table: dict[type, Binding[Any]] = {}
    for binding in bindings:
        if table.setdefault(binding.kind, binding) is not binding:
            raise _broken("resource-bound-twice", "is bound twice; bind it once", binding.kind)
        if binding.scope == "prototype" and binding.prepared is not None:
            raise _broken("resource-scope", "is awaited, so it cannot be new each time", binding.kind)
    return table


def _broken(code: str, what: str, kind: type) -> BrokenDefinition:
    return BrokenDefinition(code, f"the resource {kind.__name__!r} {what}", resource=kind.__name__)
