"""Support of a claim by what a work says: words compared, assent told from mention, a verbatim quote."""
