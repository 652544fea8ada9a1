"""The memory of a league: `oche collect` keeps the records of many daemons in PostgreSQL, `oche league` shows them.

A program of its own beside the broker: nothing here is loaded by `oche run`.
"""
