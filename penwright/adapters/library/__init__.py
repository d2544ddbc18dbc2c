"""Sources of one's own: the text of files in ``sources/``."""

from penwright.adapters.library.reading import SourceReader as SourceReader
