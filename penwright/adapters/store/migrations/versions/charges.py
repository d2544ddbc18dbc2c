"""Table of costs by day, subject, role and model."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

_COUNTS = ("calls", "input_tokens", "output_tokens", "cost_micros", "unknown_prices")

# What was answered, as it was charged.
_ANSWERED = """
    insert into charges (day, subject, role, model, calls, input_tokens, output_tokens, cost_micros,
                         unknown_prices)
    select day, subject, role, coalesce(model, 'unknown'), count(*),
           sum(coalesce(input_tokens, 0)), sum(coalesce(output_tokens, 0)),
           sum(coalesce(cost_micros, held_micros, 0)),
           count(*) filter (where cost_micros is null)
    from model_calls where state = 'done' group by 1, 2, 3, 4
"""

# What else the caps of the days counted: of lost calls and second answers no row says whose they were.
_REST = """
    insert into charges (day, subject, role, model, calls, input_tokens, output_tokens, cost_micros,
                         unknown_prices)
    select cast(spent.name as date), '', 'unknown', 'unknown',
           spent.calls - coalesce(sum(charges.calls), 0),
           greatest(spent.input_tokens - coalesce(sum(charges.input_tokens), 0), 0),
           greatest(spent.output_tokens - coalesce(sum(charges.output_tokens), 0), 0),
           greatest(spent.cost_micros - coalesce(sum(charges.cost_micros), 0), 0),
           greatest(spent.unknown_prices - coalesce(sum(charges.unknown_prices), 0), 0)
    from spending as spent left join charges on charges.day = cast(spent.name as date)
    where spent.period = 'day'
    group by spent.name, spent.calls, spent.input_tokens, spent.output_tokens, spent.cost_micros,
             spent.unknown_prices
    having spent.calls > coalesce(sum(charges.calls), 0)
"""


def upgrade() -> None:
    op.create_table(
        "charges",
        sa.Column("day", sa.Date, primary_key=True),
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("subject", "role", "model")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _COUNTS),
    )
    op.execute(_ANSWERED)
    op.execute(_REST)
