"""A tournament: its draw, its matches, its tables and places, folded from a journal as a match is from its record."""
