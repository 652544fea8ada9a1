"""JSON from others is not nested deeper than any of our values needs."""

from __future__ import annotations

import pytest

from protocol.bodies import decode_command
from protocol.commands import CommandError
from protocol.json_depth import check_depth
from protocol.match_spec import Unreadable, read_json


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 32 + b"]" * 32,
        b"[" + b"[]," * 40 + b"[]]",
        b'{"' + b"[" * 40 + b'": "\\"' + b"{" * 40 + b'\\\\"}',
        b"T20",
    ],
)
def test_what_is_not_deep(text: bytes) -> None:
    check_depth(text)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 33 + b"]" * 33,
        b'{"a":[' * 17 + b"]}" * 17,
        b'["[]", ' + b'["\\"", ' * 32 + b"1" + b"]" * 33,
        b"[" * 8000,
    ],
)
def test_what_is_too_deep(text: bytes) -> None:
    with pytest.raises(ValueError, match="at most 32 deep"):
        check_depth(text)
    with pytest.raises(CommandError, match="at most 32 deep") as refused:
        decode_command("start", text)
    assert refused.value.code == "invalid"
    with pytest.raises(Unreadable, match="at most 32 deep"):
        read_json(text)
