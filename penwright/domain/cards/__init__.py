"""Cards, lorebooks and chats of other programs: bytes in, values out, and back without loss."""
