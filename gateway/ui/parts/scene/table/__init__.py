"""People at one table: the parts of a seat's page, and the operator's list of seats."""
