"""Profiles that users write: each mistake is one sentence that names file, line and what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from protocol.codebook import expand, list_shipped, load, read_shipped, shipped
from protocol.endpoint import Host
from protocol.events import Hit
from protocol.framing import Framing
from protocol.mat import list_mats, load_mat
from protocol.profile import Dialogue, Hits, Profile
from protocol.source import Source, SourceError
from tests.protocol.hearing import said

HEAD = 'id = "mine"\nname = "Mine"\n'
MATRIX = HEAD + '[hits]\nframe = "{row},{col}"\nmat = "oem_8x8"\n'
"""Five lines; what a test adds begins at the sixth."""
NAMED = HEAD + '[hits.names]\nT = "T{n}"\nDB = "50"\n'
"""The same of the other kind."""
BYTES = (
    HEAD + 'notation = "hex"\n[hits]\nmask = "ff ff"\n[hits.names]\nT = "{n} 00"\nSB = "19 01"\nDB = "19 02"\n'
    '[framing]\nkind = "datagram"\n'
)
"""One in bytes."""
RADIO = 'link = "ble"\n' + NAMED + '[ble]\nnames = ["Dart"]\nservice = "fff0"\nnotify = "fff1"\nwrite = "fff2"\n'
WEB = 'link = "web"\ndialogue = "autodarts"\n' + HEAD + '[hits]\n[framing]\nkind = "datagram"\nlimit = 66560\n'
CABLE = 'link = "usb"\n' + NAMED + '[usb]\nids = ["2341:8036"]\n'
"""What is found by radio and by cable; what a test adds begins at the twelfth and the ninth line."""
SOCKET = '[web]\nport = 3180\nsocket = "/api/events"\n'
OF_THE_WEB = (
    "a board with a table [web] needs one of autodarts, opendartboard, opendarts-cameras, scolia, "
    "and no other board can have one of these"
)
UUIDLESS = "is not a UUID: write four hex digits, as in fff0, or all 36 characters"
IDLESS = "is not a vendor:product: write four hex digits twice, as in 2341:8036"
HELLO = "Hello\r\n"
ONE_FRAME = "write it as one frame, without white space at its ends and without framing.start and framing.end"
KEYLESS = "add one, or change the wiring"
HEXLESS = "is not hex: write each byte as two digits, as in 54 32 0d"
LOST = (
    "can never be read: it is empty, has white space at an end, contains framing.start or framing.end, "
    "or does not fit framing.size, framing.limit or hits.mask"
)

MISTAKES: dict[str, tuple[str, str]] = {
    # the shape of the file
    "nothing": ("", ": the key 'id' is missing"),
    "no hits": (HEAD, ": the key 'hits' is missing"),
    "negative time": (
        MATRIX + "[timing]\ncontact_ms = -1\n",
        ", line 7: timing.contact_ms = -1: this must be a whole number >= 0",
    ),
    "no baud": (MATRIX + "[serial]\nbaud = 0\n", ", line 7: serial.baud = 0: this must be a whole number >= 1"),
    "no such link": (
        'link = "seriel"\n' + MATRIX,
        ", line 1: link = 'seriel': this must be one of serial, usb, ble, tcp, web; did you mean 'serial'?",
    ),
    "no way to reach it": (WEB, ", line 1: link = 'web' needs a table [web] that says how to find the board"),
    "frames too short for its messages": (
        WEB.replace("66560", "4096") + SOCKET,
        ', line 6: a board with a table [web] needs framing.kind = "datagram" and framing.limit = 66560 or more',
    ),
    "a dialogue of other boards": (
        WEB.replace("autodarts", "granboard") + SOCKET,
        f", line 2: the dialogue granboard does not fit: {OF_THE_WEB}",
    ),
    "a dialogue of web servers": (
        'dialogue = "autodarts"\n' + MATRIX,
        f", line 1: the dialogue autodarts does not fit: {OF_THE_WEB}",
    ),
    "no such framing": (
        MATRIX + '[framing]\nkind = "lines"\n',
        ", line 7: framing.kind = 'lines': this must be one of delimited, fixed, datagram, keyboard, camera",
    ),
    "bad id": (
        HEAD.replace("mine", "My Board") + MATRIX[len(HEAD) :],
        ", line 1: id 'My Board' may only contain a to z, 0 to 9 and dashes",
    ),
    "a dartboard there is not": (
        'dartboard = "soft_15"\n' + MATRIX,
        ", line 1: dartboard = 'soft_15': this must be one of soft_15.5, soft_13.2, steel; did you mean 'soft_15.5'?",
    ),
    "a dartboard with another layout": (
        'layout = "yatzy"\ndartboard = "steel"\n' + MATRIX,
        ", line 2: dartboard is only for the standard layout, and this is the yatzy layout: leave out dartboard",
    ),
    "no such layout": (
        'layout = "standart"\n' + MATRIX,
        ", line 1: there is no layout 'standart'; did you mean 'standard'?",
    ),
    # framing
    "no end": (MATRIX + '[framing]\nend = ""\n', ", line 7: framing.end '' must be one character, or CR LF"),
    "a long end": (MATRIX + '[framing]\nend = "END"\n', ", line 7: framing.end 'END' must be one character, or CR LF"),
    "an end no board sends": (
        MATRIX + '[framing]\nend = "€"\n',
        ", line 7: '€' contains characters that no board sends",
    ),
    "a start no board sends": (
        MATRIX + '[framing]\nstart = "→"\n',
        ", line 7: '→' contains characters that no board sends",
    ),
    "no size": (
        MATRIX + '[framing]\nkind = "fixed"\nsize = 0\n',
        ", line 8: framing.size = 0: this must be a whole number >= 1",
    ),
    "an end in the frame": (MATRIX + '[framing]\nend = ","\n', f", line 4: '0,0' {LOST}"),
    "a start that is the end": (NAMED + '[framing]\nstart = "|"\nend = "|"\n', f", line 4: 'T1' {LOST}"),
    "too long for the limit": (NAMED + "[framing]\nlimit = 3\n", f", line 4: 'T10' {LOST}"),
    "not of the size": (NAMED + '[framing]\nkind = "fixed"\nsize = 2\n', f", line 4: 'T10' {LOST}"),
    "an empty frame": ('miss = ""\n' + MATRIX, f", line 1: '' {LOST}"),
    "white space at an end": (NAMED + '[buttons]\nnext = "n "\n', f", line 7: 'n ' {LOST}"),
    # hits
    "both ways": (MATRIX + '[hits.names]\nDB = "50"\n', ", line 3: hits needs either a frame and a mat, or names"),
    "neither": (HEAD + "[hits]\n", ", line 3: hits needs either a frame and a mat, or names"),
    "no mat": (
        HEAD + '[hits]\nframe = "{row},{col}"\n',
        f", line 3: hits.mat is missing; possible here: {', '.join(list_mats())}",
    ),
    "no such mat": (
        MATRIX.replace("oem_8x8", "oem_8x9"),
        ", line 5: there is no mat 'oem_8x9'; did you mean 'oem_8x8'?",
    ),
    "no frame": (
        HEAD + '[hits]\nmat = "oem_8x8"\n',
        ", line 3: hits.frame '' must contain {row} and {col}, or {key}, or {id}",
    ),
    "half a frame": (
        MATRIX.replace("{col}", "{column}"),
        ", line 4: hits.frame '{row},{column}' must contain {row} and {col}, or {key}, or {id}",
    ),
    "line numbers that run together": (
        MATRIX.replace(",", "") + "wiring = {rows = [1, 11, 2, 3, 4, 5, 6, 7], cols = [1, 11, 2, 3, 4, 5, 6, 7]}\n",
        ", line 4: '111' means both D7 and S19",
    ),
    "a wiring that does not fit": (
        MATRIX + "[hits.wiring]\nrows = [0, 1]\n",
        ", line 6: wiring.rows must name 8 different lines (from 0), one for each line of the mat oem_8x8",
    ),
    "a turn too far": (
        MATRIX + "wiring = {turn = 20}\n",
        ", line 6: hits.wiring.turn = 20: this must be a whole number <= 19",
    ),
    "no such segment": (NAMED + 'T21 = "x"\n', ", line 6: the standard layout has no segment 'T21'; did you mean T2?"),
    "a bull with a number": (
        NAMED + 'SB = "{n}"\n',
        ", line 6: 'SB' is not a ring, and only a ring can contain {n}: T, D, S, O, I",
    ),
    "a ring without one": (NAMED + 'D = "double"\n', ", line 6: hits.names.D 'double' must contain {n} or {nn}"),
    "a frame no board sends": (NAMED + 'SB = "½€"\n', ", line 6: '½€' contains characters that no board sends"),
    "two segments in one frame": (NAMED + 'D = "T{n}"\n', ", line 6: 'T1' means both T1 and D1"),
    "the case does not count": (
        HEAD + '[hits]\nignore_case = true\nnames = {T = "t{n}", D = "T{n}"}\n',
        ", line 5: 'T1' means both T1 and D1",
    ),
    # bytes in hex
    "not hex": (BYTES + '[buttons]\nnext = "0x54"\n', f", line 13: '0x54' {HEXLESS}"),
    "an unknown word in hex": (
        BYTES.replace("{n}", "{number}"),
        ", line 7: hits.names.T '{number} 00' must contain {n} or {nn}",
    ),
    "more than a byte": (BYTES.replace("{n}", "{n+250}"), ", line 7: {n+250} is 256, and a byte must be 0 to 255"),
    "a mask that is not hex": (BYTES.replace("ff ff", "fff"), f", line 5: 'fff' {HEXLESS}"),
    "a frame its mask does not fit": (BYTES + '[buttons]\nnext = "55"\n', f", line 13: '55' {LOST}"),
    "a mask that makes two frames one": (
        BYTES.replace("ff ff", "ff 00"),
        ", line 9: '19 02' means both SB and DB",
    ),
    "a mask and no case": (
        BYTES.replace("[hits]\n", "[hits]\nignore_case = true\n"),
        ", line 6: hits.mask and hits.ignore_case exclude each other: keep one of them",
    ),
    "what nothing means, not in hex": ('ignore = ["boot"]\n' + BYTES, f", line 1: 'boot' {HEXLESS}"),
    "a stuck contact that is a hit": (
        'stuck = "19 01"\n' + BYTES,
        ", line 1: '19 01' means both SB and stuck",
    ),
    # keys and orders
    "no keys": (
        HEAD + '[hits]\nframe = "{key}"\nmat = "oem_8x8"\n[framing]\nkind = "fixed"\n',
        f", line 4: hits.keys has no character for row 0, column 0 of the mat oem_8x8 (from 0): {KEYLESS}",
    ),
    "too few keys": (
        HEAD + '[hits]\nframe = "{key}"\nmat = "oem_8x8"\nkeys = ["abcdefgh", "ijk"]\n[framing]\nkind = "fixed"\n',
        f", line 6: hits.keys has no character for row 1, column 3 of the mat oem_8x8 (from 0): {KEYLESS}",
    ),
    "an order without all numbers": (
        NAMED.replace("[hits.names]", "[hits]\norder = [1, 2]\n[hits.names]"),
        ", line 4: hits.order must name the numbers 1 to 20, each once",
    ),
    # dialogues
    "no such dialogue": (
        'dialogue = "gran"\n' + NAMED,
        f", line 1: dialogue = 'gran': this must be one of {', '.join(get_args(Dialogue))}; did you mean 'granboard'?",
    ),
    "a handshake no board sends": (
        NAMED + '[handshake]\nsend = "→"\nexpect = "OK"\n',
        ", line 7: '→' contains characters that no board sends",
    ),
    "half a handshake": (NAMED + '[handshake]\nsend = "A"\n', ", line 6: handshake: the key 'expect' is missing"),
    # how the board is found
    "a link without its table": (
        'link = "ble"\n' + NAMED,
        ", line 1: link = 'ble' needs a table [ble] that says how to find the board",
    ),
    "a network board without its table": (
        'link = "tcp"\n' + NAMED,
        ", line 1: link = 'tcp' needs a table [tcp] that says how to find the board",
    ),
    "a service that is no UUID": (
        RADIO.replace("fff0", "ff0"),
        f", line 9: ble.service 'ff0' {UUIDLESS}",
    ),
    "a characteristic that is no UUID": (
        RADIO.replace('"fff1"', '"442f1571-8a00-9a28-cbe1-e1d4212d53e"'),
        f", line 10: ble.notify '442f1571-8a00-9a28-cbe1-e1d4212d53e' {UUIDLESS}",
    ),
    "another that is none": (RADIO.replace("fff2", "fffg"), f", line 11: ble.write 'fffg' {UUIDLESS}"),
    "a board without a name": (
        RADIO.replace('["Dart"]', "[]"),
        ", line 8: ble.names must list how the board's name begins; no entry may be empty",
    ),
    "a name that fits all": (
        RADIO.replace('"Dart"', '"Dart", ""'),
        ", line 8: ble.names must list how the board's name begins; no entry may be empty",
    ),
    "what switches on, not in hex": (RADIO + 'enable = "zz"\n', f", line 12: ble.enable 'zz' {HEXLESS}"),
    "what switches off, not in hex": (RADIO + 'disable = "0"\n', f", line 12: ble.disable '0' {HEXLESS}"),
    "nowhere to write it": (
        RADIO.replace('write = "fff2"', 'enable = "03"'),
        ", line 11: ble.enable is written to the board: name the characteristic for that in ble.write",
    ),
    "a second id that is none": (
        CABLE.replace('"2341:8036"', '"2341:8036", "foo"'),
        f", line 8: usb.ids 'foo' {IDLESS}",
    ),
    "no id": (
        CABLE.replace('"2341:8036"', ""),
        ", line 8: usb.ids must list at least one vendor:product, as in 2341:8036",
    ),
    "an empty product": (
        CABLE + 'product = ""\n',
        ", line 9: usb.product is empty, which fits every device: leave it out",
    ),
    "a greeting no board sends": (
        NAMED + '[serial]\nbanner = "✓"\n',
        ", line 7: '✓' contains characters that no board sends",
    ),
    "a greeting with its end": (
        NAMED + '[serial]\nbanner = "Hello\\r\\n"\n',
        f", line 7: serial.banner {HELLO!r} can never be read: {ONE_FRAME}",
    ),
    "a button that is a hit": (MATRIX + '[buttons]\nnext = "0,1"\n', ", line 7: '0,1' means both D7 and next"),
    "a miss that is a button": (
        'miss = "key"\n' + NAMED + '[buttons]\nnext = ["n", "key"]\n',
        ", line 1: 'key' means both next and miss",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_is_one_sentence_with_its_line(mistake: str) -> None:
    text, sentence = MISTAKES[mistake]
    with pytest.raises(SourceError) as caught:
        load(Source(text, "mine.toml"))
    assert str(caught.value) == f"mine.toml{sentence}"


@pytest.mark.parametrize(
    "text",
    [MATRIX, NAMED, BYTES, RADIO, CABLE, WEB + SOCKET],
    ids=["matrix", "named", "bytes", "radio", "cable", "web"],
)
def test_the_texts_the_mistakes_are_made_in_are_right(text: str) -> None:
    assert load(Source(text, "mine.toml")).profile.id == "mine"


@pytest.mark.parametrize("name", list_shipped())
def test_a_shipped_profile_is_named_as_its_file(name: str) -> None:
    profile = shipped(name).profile
    assert profile.id == name
    assert profile.name
    assert profile.confidence != "unknown"


@pytest.mark.parametrize("name", list_mats())
def test_a_shipped_mat_says_where_it_is_from(name: str) -> None:
    assert load_mat(name).about
    assert load_mat(name).sources
    assert load_mat(name).confidence != "unknown"


def test_underscores_and_capitals_find_a_shipped_profile() -> None:
    assert read_shipped("OpenDarts_Hybrid49").file == "opendarts-hybrid49.toml"
    assert shipped("opendarts_hybrid49").profile.id == "opendarts-hybrid49"


def test_an_unknown_profile_names_the_nearest() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared)
        shipped("opendart")
    assert str(caught.value) == "there is no board profile 'opendart'; did you mean 'opendarts'?"


def test_a_profile_made_in_code_is_named_in_complaints() -> None:
    with pytest.raises(SourceError) as caught:
        expand(Profile(id="mine", name="Mine", hits=Hits(names={"T21": "x"})))
    assert str(caught.value) == "mine: the standard layout has no segment 'T21'; did you mean T2?"


def test_a_profile_of_fixed_frames_needs_no_code() -> None:
    letters = "ABCDEFGHIJKLMNOPQRST"
    names: dict[str, str | list[str]] = {f"S{n}": letter for n, letter in enumerate(letters, 1)}
    codebook = expand(Profile(id="mine", name="Mine", hits=Hits(names=names), framing=Framing(kind="fixed")))
    events = Host(codebook).feed(b"AT?B", 0)
    assert [event.segment.id for event in events if isinstance(event, Hit)] == ["S1", "S20", "S2"]
    assert len(events) == 4


def test_only_matrix_boards_have_cells() -> None:
    assert shipped("fynn").cells == {}
    assert len(shipped("opendarts").cells) == 82
    assert shipped("opendarts").cells["DB"] == (0, 10)
    assert shipped("opendarts-hybrid49").cells["D7"] == (0, 1), "lines of the mat, in whichever order they are sent"


def test_the_documented_example_of_a_board_with_reports_is_right() -> None:
    file = Path(__file__).parent.parent.parent / "docs" / "boards" / "usb-report.toml"
    book = load(Source(file.read_text(encoding="utf-8"), str(file)))
    assert len(book.segments) == 82
    usb = book.profile.usb
    assert usb is not None
    assert usb.ids == ["1209:da27"]
    host = Host(book)
    reports = ["01041400", "010414ff", "01021900", "01000000", "01000107", "01ff0000", "02aabb", "01041500"]
    heard = [said(event) for report in reports for event in host.feed(bytes.fromhex(report), 0)]
    assert heard == ["T20", "T20", "SB", "miss", "button next", "stuck", "garbage"], "02aabb means nothing"
