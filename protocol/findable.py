"""Whether a profile says rightly how its board is found and switched on: its link and the table of that link.

A mistake there shows only when somebody has the board in hand: it is never found, or the wrong thing is. So these
words are looked at when the profile is read, as its frames are.
"""

from __future__ import annotations

import re

from protocol.profile import Ble, Profile, Usb
from protocol.source import Source

_UUID = re.compile(r"[0-9a-f]{4}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}", re.IGNORECASE | re.ASCII)


def check_link(profile: Profile, source: Source) -> None:
    """Raises SourceError for what no board can be found or spoken to by."""
    if profile.link in ("usb", "ble", "tcp") and getattr(profile, profile.link) is None:
        raise source.error(
            f"link = {profile.link!r} needs a table [{profile.link}] that says where the board is to be found", "link"
        )
    if profile.ble is not None:
        _check_ble(profile.ble, source)
    if profile.usb is not None:
        _check_usb(profile.usb, source)


def _check_ble(ble: Ble, source: Source) -> None:
    if not ble.names or not all(name.strip() for name in ble.names):
        raise source.error("ble.names must hold beginnings of the board's name, none of them empty", "ble", "names")
    for key, uuid in (("service", ble.service), ("notify", ble.notify), ("write", ble.write)):
        if uuid is not None and not _UUID.fullmatch(uuid):
            raise source.error(
                f"ble.{key} {uuid!r} is no UUID: write four hex digits, as in fff0, or all 36 characters", "ble", key
            )
    for key, text in (("enable", ble.enable), ("disable", ble.disable)):
        try:
            bytes.fromhex(text)
        except ValueError:
            raise source.error(
                f"ble.{key} {text!r} is not hex; write each byte as two digits, as in 54 32 0d", "ble", key
            ) from None
        if text and ble.write is None:
            raise source.error(f"ble.{key} has nowhere to go: say where it is written, in ble.write", "ble", key)


def _check_usb(usb: Usb, source: Source) -> None:
    if not usb.ids:
        raise source.error("usb.ids must hold at least one vendor:product, as in 2341:8036", "usb", "ids")
    for text in usb.ids:
        if not _ID.fullmatch(text):
            raise source.error(
                f"usb.ids {text!r} is no vendor:product: write twice four hex digits, as in 2341:8036", "usb", "ids"
            )
    if usb.product is not None and not usb.product.strip():
        raise source.error("usb.product is empty and fits every device: leave it out", "usb", "product")
