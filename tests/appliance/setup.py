"""The guest's own files: a configuration of oche with a table on each kind of board, and of the broker it talks to."""

from __future__ import annotations

from protocol.codebook import read_shipped

CONFIG = "/etc/oche/oche.toml"
PASSWORD = "corr3ct-h0rse"
PLAYER = "player"
"""Login of the simulated player at the broker; that of oche is `oche`. Both have the password."""

BOARDS = {
    "serial": 'board = "serial:/dev/ttyUSB0"\nprofile = "quick.toml"',
    "usb": 'board = "usb:auto"\nprofile = "pydarts-leonardo"',
    "bluetooth": 'board = "ble:auto"\nprofile = "granboard"',
}

BROKER = """
listener 1883 127.0.0.1
allow_anonymous false
password_file /etc/mosquitto/passwords
persistence false
"""


def config(kind: str, more: str = "") -> str:
    """A table on a board of this kind."""
    mqtt = '[mqtt]\nhost = "127.0.0.1"\nusername = "oche"\n'
    table = f'[[table]]\nplayers = ["Ann", "Bo"]\noptions = {{start = 1501, out = "double"}}\n{BOARDS[kind]}\n'
    return f"{mqtt}{table}{more}"


def quick() -> str:
    """The shipped serial board without debounce, so that a player need not wait."""
    return read_shipped("opendarts").text.replace("repeat_ms = 600", "repeat_ms = 0\ncontact_ms = 0")
