"""The reader's copy: a text with the evidence for each of its sentences, in one signed file."""
