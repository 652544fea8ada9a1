"""What this daemon tells others of its matches: those that were asked for with a `ref` are offered to whoever asked.

Nothing here is loaded before the first such match, or where `league.json` is there at the start.
"""
