"""One module per resource; each builds one page from what the desk says."""
