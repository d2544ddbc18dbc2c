"""In-memory double of the override files, for one process."""

from threading import Lock

from penwright.adapters.overrides.file_format import dump_overrides, load_overrides
from penwright.adapters.overrides.files import changed_meanwhile, check_names
from schemas.overrides import OverrideSet

_Key = tuple[str, str, str]


class MemoryOverrideFiles:
    """Implements ``OverrideFiles``; stores the bytes of each file."""

    def __init__(self) -> None:
        self._held: dict[_Key, bytes] = {}
        self._lock = Lock()

    def read(self, namespace: str, key: str, tag: str) -> OverrideSet | None:
        check_names(namespace, key, tag)
        content = self._held.get((namespace, key, tag))
        return None if content is None else load_overrides(content, f"{namespace}/{key}/{tag}.json")

    def keep(self, overrides: OverrideSet) -> OverrideSet:
        check_names(*_key(overrides))
        with self._lock:
            self._held.setdefault(_key(overrides), dump_overrides(overrides))
        return self.read(*_key(overrides)) or overrides

    def replace(self, before: OverrideSet, after: OverrideSet) -> None:
        if _key(before) != _key(after):
            raise changed_meanwhile(before)
        with self._lock:
            if self.read(*_key(before)) != before:
                raise changed_meanwhile(before)
            self._held[_key(after)] = dump_overrides(after)

    def tags(self, namespace: str, key: str) -> tuple[str, ...]:
        check_names(namespace, key)
        return tuple(sorted(tag for *agent, tag in self._held if agent == [namespace, key]))


def _key(overrides: OverrideSet) -> _Key:
    return overrides.namespace, overrides.key, overrides.tag
