"""Rules of the director round: names, plans, order, states, witnesses, and the round's control flow."""
