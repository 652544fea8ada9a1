"""What this daemon tells others of its matches: whoever asked for one with a `ref`, and with `[league]` the league.

Nothing here is loaded without one of the two, unless an earlier run has left something to offer.
"""
