"""How the operations of a reply become edits of a text, and what a model is told about them."""
