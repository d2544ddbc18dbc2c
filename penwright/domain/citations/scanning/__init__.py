"""Parts of a citation scan: what it asks for, what it offers, what it leaves."""
