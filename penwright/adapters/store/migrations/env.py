"""Alembic's environment: runs on the connection, and in the transaction, of the caller."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
