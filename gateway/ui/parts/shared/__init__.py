"""Parts of the pages of what scenes share: worlds, people and lorebooks."""
