"""Sources of one's own: the text of files in ``sources/``, and the search in it."""

from penwright.adapters.library.own_sources import OwnSources as OwnSources
from penwright.adapters.library.reading import SourceReader as SourceReader
