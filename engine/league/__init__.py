"""A season of a league, as pure functions: its fixtures, its match days as tournaments, and its tables."""
