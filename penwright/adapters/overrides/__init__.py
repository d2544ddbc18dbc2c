"""Override sets as files, stored outside the code that they change."""

from penwright.adapters.overrides.files import JsonOverrideFiles

__all__ = ["JsonOverrideFiles"]
