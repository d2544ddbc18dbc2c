"""Rules of text as such: words, paragraphs, pages, comments, merging, strict JSON."""
