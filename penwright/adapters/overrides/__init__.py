"""Override sets, stored outside the code that they change: as files, and in memory."""

from penwright.adapters.overrides.files import JsonOverrideFiles
from penwright.adapters.overrides.memory import MemoryOverrideFiles

__all__ = ["JsonOverrideFiles", "MemoryOverrideFiles"]
