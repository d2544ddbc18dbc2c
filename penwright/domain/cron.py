"""Fields of cron lines: which values they stand for, and lines that name no day of any year."""

_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of each month, of February in a leap year."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def never_runs(cron: str) -> bool:
    """Whether no month that the line names has a day that it names; false for a line that cannot be read."""
    try:
        _, _, day, month, _ = cron.split()
        days = values(day, 1, 31)
        months = values(_numbered(month), 1, 12)
    except ValueError:
        return False
    return days[0] > max(_LONGEST[each - 1] for each in months)


def values(field: str, least: int, most: int) -> list[int]:
    """Values of a field such as ``*/15`` or ``1-5,20``; ``ValueError`` for one with names or mistakes."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = least, most
        else:
            low, _, high = span.partition("-")
            first = int(low)
            last = int(high) if high else (most if step else first)
        if not least <= first <= last <= most or (step and int(step) < 1):
            raise ValueError(field)
        found.update(range(first, last + 1, int(step or 1)))
    return sorted(found)


def _numbered(months: str) -> str:
    """The field with ``2`` for ``feb``."""
    numbered = months.lower()
    for number, name in enumerate(_MONTHS, start=1):
        numbered = numbered.replace(name, str(number))
    return numbered
