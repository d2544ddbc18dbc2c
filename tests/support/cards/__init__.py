"""Made cards, lorebooks and chats, in the ways in which other programs write them."""
