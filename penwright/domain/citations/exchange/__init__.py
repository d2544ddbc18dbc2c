"""Citations and references of other programs: BibTeX, RIS, CSL-JSON, pandoc."""
