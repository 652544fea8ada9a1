"""The header of a match record, for games of others: see protocol.match_spec."""

from protocol.match_spec import MatchSpec, read_header, write_header

__all__ = ["MatchSpec", "read_header", "write_header"]
