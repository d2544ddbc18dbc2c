"""Packing loose objects: each version of a text is stored whole until they are packed."""

from dataclasses import dataclass
from typing import Final

from penwright.adapters.workspace.git.repository import Repository

GROWN_KIB: Final = 256 * 1024
GROWN_COUNT: Final = 20_000
"""Loose objects from which packing is worthwhile between two sessions."""
FEW: Final = 50
"""Loose objects that are left alone at night as well."""
MANY_PACKS: Final = 10
"""Packs that are made into one."""
_REPACK_S: Final = 1800
_PRUNE_AFTER: Final = "2.weeks.ago"
"""Age of unreachable objects that are pruned: younger ones may belong to a publish or to a person's git."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of ``git count-objects``."""

    loose: int
    loose_kib: int
    packed_kib: int
    packs: int

    @classmethod
    def of(cls, repository: Repository) -> "Counts":
        """Count now."""
        raw = repository.git.run("count-objects", "-v").decode()
        found = {key: int(value) for key, _, value in (line.partition(": ") for line in raw.splitlines())}
        return cls(found["count"], found["size"], found["size-pack"], found["packs"])

    @property
    def kib(self) -> int:
        """All of it."""
        return self.loose_kib + self.packed_kib


def pack_if_grown(repository: Repository) -> bool:
    """Pack when there are very many loose objects. Safe beside publishing."""
    counts = Counts.of(repository)
    if counts.loose_kib < GROWN_KIB and counts.loose < GROWN_COUNT:
        return False
    # Loose objects that nothing reaches yet may belong to a publish in progress: they are not touched.
    repository.git.run("repack", "-d", "-q", timeout_s=_REPACK_S)
    repository.git.run("pack-refs", "--all", timeout_s=300)
    return True


def pack(repository: Repository) -> int | None:
    """Pack more than a few loose objects, and delete old ones that nothing reaches; returns bytes freed.

    None: there are few. The caller holds the repository's lock. A long history is packed anew only when
    there are many packs.
    """
    before = Counts.of(repository)
    if before.loose <= FEW:
        return None
    together = ("-A", f"--unpack-unreachable={_PRUNE_AFTER}") if before.packs >= MANY_PACKS else ()
    repository.git.run("repack", "-d", "-q", *together, timeout_s=_REPACK_S)
    repository.git.run("prune", f"--expire={_PRUNE_AFTER}", timeout_s=_REPACK_S)
    repository.git.run("pack-refs", "--all", timeout_s=300)
    return max(0, before.kib - Counts.of(repository).kib) * 1024
