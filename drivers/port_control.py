"""RFC 2217 as its client speaks it: the settings of a serial port, said in telnet beside the bytes of its line.

Sans-IO: what has come goes into `feed`, which returns the bytes of the line, and what is to be sent comes from
`outgoing`. Each option is answered once, and what is kept of an answer is bounded, whatever the server says.
"""

from __future__ import annotations

from msgspec import Struct

IAC = b"\xff"
_SE, _SB, _WILL, _WONT, _DO, _DONT, _IAC = 240, 250, 251, 252, 253, 254, 255
_BINARY, _NO_GO_AHEAD, _COM_PORT = 0, 3, 44
_WANTED = (_COM_PORT, _BINARY, _NO_GO_AHEAD)
_BAUD, _DATA_BITS, _PARITY, _STOP_BITS, _CONTROL, _LINE_MASK, _MODEM_MASK = 1, 2, 3, 4, 5, 10, 11
_NO_FLOW_CONTROL, _DTR_ON, _RTS_ON = 1, 8, 11
_SERVER = 100
"""What is added to the code of a setting in the answer to it."""
_MOST_BLOCK = 256
"""Bytes of a block of an option; those of RFC 2217 have six, or the short name of a server."""
MOST_BAUD = 0xFFFFFFFF


class _Negotiated(Struct, frozen=True):
    """An option of one side: the server's, or ours."""

    is_theirs: bool
    option: int


class PortControl:
    """Sets a port to this speed, 8N1 and without flow control."""

    def __init__(self, baud: int) -> None:
        self.is_agreed = False
        """The server has said that it sets a port for us."""
        self.is_broken = False
        """What the server says is no telnet."""
        self._wanted = {_BAUD: baud, _DATA_BITS: 8, _PARITY: 1, _STOP_BITS: 1}
        self._answers: dict[int, int] = {}
        self._unsent = bytearray()
        self._said_yes: set[_Negotiated] = set()
        self._said_no: set[_Negotiated] = set()
        self._is_on: set[_Negotiated] = set()
        self._verb: int | None = None
        """The command whose option is awaited; IAC: the command itself is; None: neither."""
        self._block: bytearray | None = None
        """The block of an option that has begun."""
        self._say_yes(_Negotiated(is_theirs=False, option=_COM_PORT))
        for option in (_BINARY, _NO_GO_AHEAD):
            self._say_yes(_Negotiated(is_theirs=False, option=option))
            self._say_yes(_Negotiated(is_theirs=True, option=option))

    @property
    def is_settled(self) -> bool:
        """Whether the server has answered to all that the bytes of the line depend on."""
        return self._answers.keys() == self._wanted.keys()

    @property
    def is_other(self) -> bool:
        """Whether the server has set something else than what was wanted."""
        return any(self._wanted[setting] != value for setting, value in self._answers.items())

    def outgoing(self) -> bytes:
        """Returns what is to be sent now."""
        data = bytes(self._unsent)
        self._unsent.clear()
        return data

    def feed(self, data: bytes) -> bytes:
        """Takes what has come; returns the bytes of the line in it."""
        line = bytearray()
        at = 0
        while at < len(data) and not self.is_broken:
            if self._verb is not None:
                self._take_command(data[at], line)
                at += 1
                continue
            end = data.find(IAC, at)
            end = len(data) if end < 0 else end
            self._keep(data[at:end], line)
            if end < len(data):
                self._verb = _IAC
            at = end + 1
        return bytes(line)

    def _keep(self, data: bytes, line: bytearray) -> None:
        if self._block is None:
            line += data
            return
        self._block += data
        self.is_broken = len(self._block) > _MOST_BLOCK

    def _take_command(self, byte: int, line: bytearray) -> None:
        """Takes the byte behind an IAC, or the option behind a command."""
        verb, self._verb = self._verb, None
        if verb != _IAC:
            assert verb is not None, "it is called for one"
            self._negotiate(verb, byte)
        elif byte == _IAC:
            self._keep(IAC, line)
        elif byte in (_WILL, _WONT, _DO, _DONT):
            self._verb, self._block = byte, None
        elif byte == _SB:
            self._block = bytearray()
        elif byte == _SE and self._block is not None:
            self._take_block(bytes(self._block))
            self._block = None

    def _negotiate(self, verb: int, option: int) -> None:
        one = _Negotiated(is_theirs=verb in (_WILL, _WONT), option=option)
        if verb in (_WILL, _DO):
            if option not in _WANTED:
                self._say_no(one)
                return
            self._say_yes(one)
            self._is_on.add(one)
            if option == _COM_PORT and not self.is_agreed:
                self.is_agreed = True
                self._set_all()
        elif one in self._is_on:
            self._is_on.remove(one)
            self._say_no(one)

    def _say_yes(self, one: _Negotiated) -> None:
        if one not in self._said_yes:
            self._said_yes.add(one)
            self._unsent += bytes((_IAC, _DO if one.is_theirs else _WILL, one.option))

    def _say_no(self, one: _Negotiated) -> None:
        if one not in self._said_no:
            self._said_no.add(one)
            self._unsent += bytes((_IAC, _DONT if one.is_theirs else _WONT, one.option))

    def _set_all(self) -> None:
        for setting, value in self._wanted.items():
            self._set(setting, value.to_bytes(4 if setting == _BAUD else 1))
        for value in (_NO_FLOW_CONTROL, _DTR_ON, _RTS_ON):
            self._set(_CONTROL, bytes((value,)))
        for setting in (_LINE_MASK, _MODEM_MASK):  # nothing is to be told of these
            self._set(setting, b"\x00")

    def _set(self, setting: int, value: bytes) -> None:
        said = bytes((_COM_PORT, setting)) + value
        self._unsent += bytes((_IAC, _SB)) + escape(said) + bytes((_IAC, _SE))

    def _take_block(self, block: bytes) -> None:
        """Notes an answer to a setting; what else a server tells is of no use here."""
        setting = block[1] - _SERVER if len(block) > 1 and block[0] == _COM_PORT else 0
        if setting in self._wanted and len(block) == (6 if setting == _BAUD else 3):
            self._answers[setting] = int.from_bytes(block[2:])


def escape(data: bytes) -> bytes:
    """Returns bytes of the line as they are sent."""
    return data.replace(IAC, IAC + IAC)
