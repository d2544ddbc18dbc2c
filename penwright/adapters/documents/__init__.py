"""Documents of other programs: pandoc reads and writes them, typst sets the PDF."""

from penwright.adapters.documents.adapter import PandocDocuments as PandocDocuments
