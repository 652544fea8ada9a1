"""Art: folders of CSS, pictures and sounds that may be hostile, uploaded, checked, and served to the page."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest
from yarl import URL

from daemon.admin.art import unpack
from daemon.admin.art.drawing import find_fault
from daemon.admin.art.gif import Gif, read_gif
from daemon.admin.art.packs import MOST_BYTES, MOST_FILES, OWN, SHIPPED, check_file, find_art, read_art, summarize
from daemon.admin.art.style_sheet import MOST_CSS_BYTES, VARIABLES, check_sheet, check_sheets
from daemon.admin.art.unpack import add_art, add_restored_art, remove_art, set_event_file, zip_art
from daemon.admin.restored import NOTED, ZIP_NAME, list_restored, note_folders
from daemon.admin.sounds.unpack import add_pack
from daemon.admin.temporary import ART
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.files import make_folder
from daemon.sound_packs import SOUNDS
from protocol.sentence import Sentence
from tests.daemon.backups import list_names, play_evening
from tests.daemon.process import Saying, eventually
from tests.daemon.test_picture_size import make_png
from tests.daemon.test_settings import post, serve, write_file
from tests.daemon.test_sounds import HOSTILE, MP3, WAV, list_files, make_zip

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z" fill="#fff"/></svg>'
CSS = b""":root { --ground: #123456; }
.scene .number { color: gold; background: url(board.svg); animation: hop .4s 3 }
@keyframes hop { from { transform: translateY(-10%) } }
"""


def make_gif(width: int = 4, height: int = 4, delays: tuple[int, ...] = (10,), piece: bytes = b"\x02\x4c\x01") -> bytes:
    """Returns a GIF with a picture for each delay, in hundredths of a second."""
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    out += b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # for ever
    for delay in delays:
        out += b"\x21\xf9\x04\x00" + struct.pack("<H", delay) + b"\x00\x00"
        out += b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02" + bytes([len(piece)]) + piece + b"\x00"
    return out + b"\x3b"


def add(folder: Path, members: Mapping[str, bytes], name: str = "mine.zip") -> unpack.AddedArt:
    """Adds art to the state in this folder."""
    return add_zip(folder, make_zip(members), name)


def add_zip(folder: Path, content: bytes, name: str = "mine.zip") -> unpack.AddedArt:
    file = folder / "upload"
    file.write_bytes(content)
    state = folder / "state"
    state.mkdir(exist_ok=True)
    return add_art(file, name, state)


def refuse(folder: Path, members: Mapping[str, bytes], name: str = "mine.zip") -> str:
    """Returns the sentence with which this art is refused; nothing stays of it."""
    with pytest.raises(UserError) as refused:
        add(folder, members, name)
    assert list_files(folder / "state") == []
    assert isinstance(refused.value.said, Sentence), "it is said in each language"
    return str(refused.value.said)


def test_a_folder_is_added_whole_and_its_sheet_is_written_anew(tmp_path: Path) -> None:
    members = {
        "Pub Night/art.css": CSS,
        "Pub Night/b.css": b"/* second */ .side{color:red}",
        "Pub Night/Board.SVG": SVG,
        "Pub Night/180.gif": make_gif(),
        "Pub Night/match_won.mp3": MP3,
        "Pub Night/about.txt": b"Pub night\nby Kim",
        "Pub Night/readme.md": b"no art",
        "__MACOSX/._180.gif": b"Mac",
    }
    added = add(tmp_path, members)
    assert (added.art, added.files, added.left_out_names) == ("pub-night", 6, ("Pub Night/readme.md",))
    art = find_art(tmp_path / "state")["pub-night"]
    told = summarize(art)
    assert (told.title, told.has_sheet, told.shipped) == ("Pub night", True, False)
    assert told.events["180"].picture == "180.gif"
    assert told.events["match_won"].sound == "match_won.mp3"
    kind, sheet = read_art(art, "art.css") or ("", b"")
    assert kind == "text/css; charset=utf-8"
    assert sheet.decode().splitlines() == [
        ":root[data-art] {--ground: #123456}",
        "[data-art] .scene .number {color: gold; background: url(board.svg); animation: hop .4s 3}",
        "@keyframes hop {",
        "from {transform: translateY(-10%)}",
        "}",
        "[data-art] .side {color: red}",
    ]
    assert read_art(art, "board.svg") == ("image/svg+xml", SVG)
    assert read_art(art, "about.txt") is None
    assert read_art(art, "../../player.db") is None
    assert check_sheets({"art.css": sheet}, {"board.svg"}).encode() == sheet, "as a backup brings it back"


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        ("a{color:red}\n.b{position:fixed}", "art.css, line 2: the property position is not allowed"),
        ("a{display:none}", "the property display is not allowed"),
        ("a{pointer-events:none}", "the property pointer-events is not allowed"),
        ("a{z-index:9}", "the property z-index is not allowed"),
        ("a{-moz-binding:url(x.svg)}", "the property -moz-binding is not allowed"),
        ("a{behavior:url(x.svg)}", "the property behavior is not allowed"),
        ("a{color:red!important}", "!important is not allowed"),
        ("a{--view:1}", "--view is not a colour"),
        ("@import 'x.css';", "@import is not allowed here"),
        ("@import url(//example.com/x.css);", "@import is not allowed here"),
        ("@charset 'x'; a{}", "@charset is not allowed here"),
        ("@font-face{font-family:x;src:url(http://example.com/x)}", "@font-face is not allowed here"),
        ("@supports (color:red){a{color:red}}", "@supports is not allowed here"),
        ("@media screen{@import 'x';}", "@import is not allowed here"),
        ("@media print{a{color:red}}", "@media may ask for"),
        ("a{background:url(http://example.com/x.png)}", "url(http://example.com/x.png) is not allowed"),
        ("a{background:url(//example.com/board.svg)}", "url(//example.com/board.svg) is not allowed"),
        ("a{background:url(../board.svg)}", "url(../board.svg) is not allowed"),
        ("a{background:url('data:image/svg+xml,x')}", "is not allowed"),
        ("a{background:url(none.svg)}", "url(none.svg) is not allowed"),
        ("a{background:url(board.svg#x)}", "url(board.svg#x) is not allowed"),
        ("a{background:u/**/rl(http://example.com/x)}", "is not allowed"),
        ("a{background:url(board.svg) url(/x)}", "url(/x) is not allowed"),
        ("a{color:url(board.svg)}", "url(board.svg) is not allowed"),
        ("a{content:url(board.svg)}", "url(board.svg) is not allowed"),
        ("a{content:attr(title)}", "attr(title) is not allowed in content"),
        ("a{background:image-set('//example.com/x' 1x)}", "image-set("),
        ("a{background:-webkit-image-set('x' 1x)}", "-webkit-image-set("),
        ("a{background:src('x')}", "src("),
        ("a{background:'x'}", '"x" is not allowed in background'),
        ("a{border-width:expression(alert(1))}", "expression(alert(1)) is not allowed"),
        (r"a{background:\75rl(http://example.com)}", "a backslash is not allowed"),
        ("a{filter:blur(4px)}", "blur(4px) is not allowed in filter"),
        ("a{text-shadow:0 0 calc(99px * 9999) red}", "calc(99px * 9999) is not allowed in text-shadow"),
        ("a{text-shadow:0 0 900px red}", "900px is not allowed in text-shadow"),
        ("a{letter-spacing:1e999px}", "is not allowed in letter-spacing"),
        ("a{transition:.3s}", "transition may name only"),
        ("a{transition:all 1s}", "transition may name only"),
        ("a{transition:opacity 1s, color 1s}", "transition may name only"),
        ("a{transition-duration:1s}", "the property transition-duration is not allowed"),
        ("a{animation:x 1s infinite}", "an animation runs at most 10 times"),
        ("a{animation:x 1s 99}", "an animation runs at most 10 times"),
        ("a{animation-duration:10.5s}", "an animation runs at most 10 times"),
        ("@keyframes x{to{width:1px}}", "@keyframes may change only transform and opacity, not width"),
        ("a:has(b){color:red}", "has(b) is not allowed in it"),
        ("a{b{color:red}}", "a rule within a rule"),
        ("a{@media screen{color:red}}", "a rule within a rule"),
        ("a{color:{}}", "{} is not allowed in color"),
        ("a{color:red}}", "this CSS is damaged"),
        ("</style><script>alert(1)</script>", "this CSS is damaged"),
        (f"a{{color:{'(' * 3000}", "this CSS is damaged"),
        ("a{color:red}\x00", "this CSS is damaged"),
        ("a{}" * 1001, "there are more than 1000 rules"),
    ],
)
def test_a_sheet_that_does_more_than_art_is_refused_with_its_line(sheet: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        check_sheet("art.css", sheet.encode(), {"board.svg"})
    assert said in str(refused.value)
    assert str(refused.value).startswith("art.css, line ")


def test_what_is_served_loads_nothing_else_whatever_stands_in_comments_and_strings() -> None:
    sheet = """/* url(//example.com) */ .a::before, .b > .c:not(.d):nth-child(2n + 1) /* x */ {
    content: "url(//a) } b {"; font-family: "Comic /* Sans", oche;
    color: rgb(1 /**/ 2 3 / 50%); border-image: url( "board.svg" ) 3 / 1px }"""
    served = check_sheet("art.css", sheet.encode(), {"board.svg"})
    assert served == (
        "[data-art] .a::before, [data-art] .b > .c:not(.d):nth-child(2n + 1) "
        '{content: "url(//a) } b {"; font-family: "Comic /* Sans", oche; color: rgb(1 2 3 / 50%); '
        'border-image: url("board.svg") 3 / 1px}'
    )


def test_sheets_are_bounded(tmp_path: Path) -> None:
    assert "kB: at most 100 kB" in refuse(tmp_path, {"art.css": b"a{color:red}" * (MOST_CSS_BYTES // 10)})
    assert "line 3: this is not UTF-8" in refuse(tmp_path, {"art.css": b"a{}\n\n\xff"})


@pytest.mark.parametrize(
    ("drawing", "found"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "<script>"),
        (b"<svg><g onload='alert(1)'/></svg>", "onload=alert(1)"),
        (b"<svg><foreignObject/></svg>", "<foreignObject>"),
        (b"<svg><image href='http://example.com/x.png'/></svg>", "<image>"),
        (b"<svg><a href='http://example.com'/></svg>", "href=http://example.com"),
        (b"<svg><animate attributeName='x' repeatCount='indefinite'/></svg>", "<animate>"),
        (b"<svg><style>g{ani<!-- -->mation:x 1s infinite}</style></svg>", "<style>"),
        (b"<svg><style><![CDATA[@import 'x']]></style></svg>", "<style>"),
        (b"<svg><g style='animation:x 1s'/></svg>", "style=animation:x 1s"),
        (b"<svg><use href='#a'/></svg>", "<use>"),
        (b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>", "<!DOCTYPE"),
        (b"<?xml-stylesheet href='x'?><svg/>", "<?xml-stylesheet"),
        (b"<html/>", "html"),
        (b"<svg>" + b"<mask>" * 21, "<mask> (22)"),
        (b"<svg>" + b"<g>" * 100, "<g> (61)"),
        (b"<svg>" + b"<g/>" * 9000 + b"</svg>", "<g> (5001)"),
        (b"<svg>", ""),
        (b"", ""),
        (b"\xff\xfe<", ""),
    ],
)
def test_a_drawing_that_runs_moves_or_grows_is_refused(drawing: bytes, found: str) -> None:
    assert (find_fault(drawing) or (0, "fine"))[1] == found
    with pytest.raises(UserError):
        check_file("board.svg", drawing)


def test_a_gif_is_measured_by_its_blocks() -> None:
    assert read_gif(make_gif(7, 5, (10, 20, 0))) == Gif(7, 5, 3, 0.4), "browsers make a tenth of none"
    good = make_gif(3, 3, (10, 10))
    assert read_gif(good) is not None
    for end in range(len(good)):
        assert read_gif(good[:end]) is None
    assert read_gif(good.replace(struct.pack("<HHHHB", 0, 0, 3, 3, 0), struct.pack("<HHHHB", 1, 0, 3, 3, 0))) is None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("180.gif", make_gif(1025, 1), "a GIF may be at most 1024 pixels"),
        ("180.gif", make_gif(delays=(600, 401)), "and 10 seconds long"),
        ("180.gif", make_gif(delays=(2,) * 400), "a GIF may be at most"),
        ("180.gif", b"GIF89a", "is not a picture"),
        ("180.png", make_gif(), "is not a picture"),
        ("180.png", make_png(5000, 1), "at most 4096 pixels"),
        ("180.webp", b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02" + bytes(9), "only a GIF may move"),
        ("180.mp3", b"<html>", "is not a sound"),
    ],
)
def test_a_file_that_is_too_much_or_something_else_is_refused(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    assert said in refuse(tmp_path, {name: content})


def test_a_zip_is_bounded_and_leads_nowhere(tmp_path: Path) -> None:
    large = {f"{number}.wav": WAV + bytes(500_000) for number in range(5)}
    assert "the zip with the art is too large" in refuse(tmp_path, large), "a bomb: it is packed to some kB"
    assert "at most 100 files" in refuse(tmp_path, {f"{number}.wav": WAV for number in range(MOST_FILES + 1)})
    assert "leads out of the folder" in refuse(tmp_path, {"../art.css": CSS})
    assert "several folders" in refuse(tmp_path, {"a/1.wav": WAV, "b/2.wav": WAV})
    assert "no art" in refuse(tmp_path, {"readme.md": b"", "about.txt": b"x"})
    assert "called chalk, that name is taken" in refuse(tmp_path, {"180.wav": WAV}, "Chalk.zip")
    assert "called own, that name is taken" in refuse(tmp_path, {"180.wav": WAV}, "own.zip")
    with pytest.raises(UserError):
        add_zip(tmp_path, b"no zip")


def test_a_sheet_that_was_changed_by_hand_is_not_served(tmp_path: Path) -> None:
    add(tmp_path, {"art.css": b".a{color:red}"})
    art = find_art(tmp_path / "state")["mine"]
    (art.folder / "art.css").write_bytes(b"@import '//example.com';")
    with pytest.raises(UserError):
        read_art(art, "art.css")
    (art.folder / "evil.svg").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="symbolic"):
        read_art(art, "evil.svg")
    assert "evil" not in summarize(art).events


def test_files_for_an_event_replace_each_other(tmp_path: Path) -> None:
    set_event_file("180", ".gif", make_gif(), tmp_path)
    set_event_file("180", ".mp3", MP3, tmp_path)
    set_event_file("180", ".svg", SVG, tmp_path)
    set_event_file("bust", ".wav", WAV, tmp_path)
    assert list_files(tmp_path) == [f"{ART}/{OWN}/{name}" for name in ("180.mp3", "180.svg", "bust.wav")]
    with pytest.raises(UserError):
        set_event_file("180", ".gif", make_gif(2000, 2000), tmp_path)
    set_event_file("180", ".gif", b"", tmp_path)
    assert list_files(tmp_path) == [f"{ART}/{OWN}/{name}" for name in ("180.mp3", "bust.wav")]
    for number in range(3):
        with pytest.raises(UserError) if number == 2 else nullcontext():
            set_event_file(f"e{number}", ".wav", WAV + bytes(900_000), tmp_path)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"art.css": b"a{color:red}" * 900}, ""),
        ({f"{name}.css": b"a{color:red}" * 400 for name in "abc"}, "there are more than 1000 rules"),
        ({"art.css": b"a{" + b"opacity:0;" * 9_500 + b"}"}, "the style sheets have 114 kB: at most 100 kB"),
        (
            {"art.css": b"a{" + b"opacity:0;" * 5_000 + b"}", "180.mp3": MP3 + bytes(MOST_BYTES - 50_003 - len(MP3))},
            "art has at most 100 files and 2 MB",
        ),
    ],
)
def test_nothing_is_added_that_a_backup_could_not_bring_back(
    members: Mapping[str, bytes], said: str, tmp_path: Path
) -> None:
    if said:
        assert said in refuse(tmp_path, members)
        return
    add(tmp_path, members)
    state, zipped = tmp_path / "state", tmp_path / "art.1.zip"
    zip_art(state / ART / "mine", zipped)
    content = list_files(state)
    remove_art("mine", state)
    add_restored_art(zipped, state)
    assert list_files(state) == content


def test_a_backup_brings_art_back_checked_again(tmp_path: Path) -> None:
    add(tmp_path, {"art.css": b".a{color:red}", "180.gif": make_gif()})
    state, other = tmp_path / "state", tmp_path / "other"
    other.mkdir()
    zipped = other / "art.1.zip"
    assert zip_art(state / ART / "mine", zipped) is not None
    add_restored_art(zipped, other)
    assert not zipped.exists()
    assert read_art(find_art(other)["mine"], "art.css") == read_art(find_art(state)["mine"], "art.css")
    with ZipFile(zipped, "w", ZIP_STORED) as evil:
        evil.writestr("mine/art.css", "@import 'x';")
    with pytest.raises(UserError):
        add_restored_art(zipped, other)
    assert not zipped.exists()
    assert remove_art("mine", other)
    assert not remove_art("mine", other)
    assert not remove_art("chalk", other)


def test_what_becomes_of_the_art_of_a_backup_is_said_with_its_name(tmp_path: Path) -> None:
    zipped = tmp_path / "art.1.zip"
    zipped.write_bytes(make_zip({"mine/180.gif": make_gif()}))
    assert add_restored_art(zipped, tmp_path) == "the art mine of the backup was added (files: 1)"
    zipped.write_bytes(make_zip({"mine/bust.wav": WAV}))
    note_folders(tmp_path)
    set_aside = (tmp_path / ART / "mine" / "180.gif").rename(tmp_path / ART / "mine" / "bust.gif")
    said = "the art mine of the backup was not added: its folder has changed since the restore"
    assert add_restored_art(zipped, tmp_path) == said
    assert set_aside.exists()
    note_folders(tmp_path)
    assert not (tmp_path / NOTED.format(ART)).exists()
    zipped.write_bytes(make_zip({"mine/180.gif": b"GIF89a"}))
    with pytest.raises(UserError, match=r"^mine: 180\.gif is not a picture"):
        add_restored_art(zipped, tmp_path)


@pytest.mark.parametrize("kind", [kind for kind, (_, key) in HOSTILE.items() if key.startswith("zip.")])
@pytest.mark.parametrize(
    ("add_zipped", "called"), [(add_art, "the zip with the art"), (add_pack, "the zip with the pack")]
)
def test_a_zip_is_refused_as_what_it_was_sent_as(
    tmp_path: Path, kind: str, add_zipped: Callable[[Path, str, Path], object], called: str
) -> None:
    make, key = HOSTILE[kind]
    (file := tmp_path / "upload").write_bytes(make())
    with pytest.raises(UserError) as refused:
        add_zipped(file, "mine.zip", tmp_path)
    said = refused.value.said
    assert isinstance(said, Sentence)
    assert (said.key, str(said).startswith(f"{called} ")) == (key, True)
    assert str(said).count("pack") == called.count("pack")


@pytest.mark.parametrize("is_changed", [True, False])
def test_a_link_that_was_there_at_the_restore_is_a_change_only_if_what_it_leads_to_is(
    tmp_path: Path, is_changed: bool
) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / ART / "mine"
    elsewhere.mkdir()
    (elsewhere / "180.mp3").write_bytes(MP3)
    link.parent.mkdir()
    link.symlink_to(elsewhere)
    (zipped := tmp_path / ZIP_NAME.format(ART, 1)).write_bytes(make_zip({"mine/bust.mp3": MP3}))
    note_folders(tmp_path)
    if is_changed:
        (elsewhere / "bust.mp3").write_bytes(MP3)
    assert ("was not added" in add_restored_art(zipped, tmp_path)) == link.is_symlink() == is_changed
    assert (elsewhere / "180.mp3").exists()


def test_art_is_noted_though_packs_cannot_be(tmp_path: Path) -> None:
    """Else what the owner changes of it would be overwritten."""
    (tmp_path / SOUNDS).write_bytes(b"no folder")
    (tmp_path / ZIP_NAME.format(SOUNDS, 1)).write_bytes(make_zip({"joey/180.mp3": MP3}))
    (zipped := tmp_path / ZIP_NAME.format(ART, 1)).write_bytes(make_zip({"mine/180.mp3": MP3}))
    with pytest.raises(NotADirectoryError):
        note_folders(tmp_path)
    (tmp_path / ART / "mine").mkdir(parents=True)
    assert "was not added" in add_restored_art(zipped, tmp_path)


@pytest.mark.parametrize("add_zipped", [add_art, add_pack])
@pytest.mark.parametrize(("inner", "key"), [("", "zip.name"), ("a%b/", "zip.folder_name")])
def test_a_name_that_none_can_have_is_refused_as_that_which_counts(
    tmp_path: Path, inner: str, key: str, add_zipped: Callable[[Path, str, Path], object]
) -> None:
    """Another name of the zip would not help where a folder in it is meant."""
    (file := tmp_path / "upload").write_bytes(make_zip({f"{inner}180.mp3": MP3}))
    with pytest.raises(UserError) as refused:
        add_zipped(file, "a%b.zip", tmp_path)
    assert isinstance(refused.value.said, Sentence)
    assert (refused.value.said.key, refused.value.said.values["name"]) == (key, "a%b")


@pytest.mark.parametrize("time", [1, 4_000_000_000])
@pytest.mark.parametrize("is_changed", [True, False])
def test_only_art_that_was_changed_since_the_restore_stays_whatever_the_clock_says(
    oche: Saying, tmp_path: Path, time: int, is_changed: bool
) -> None:
    config = play_evening(tmp_path)
    state, backup = config.parent / "state", tmp_path / "all.tar.gz"
    sound = state / ART / "mine" / "180.mp3"
    sound.parent.mkdir(parents=True)
    sound.write_bytes(MP3)
    assert oche("backup", backup, "--config", config).status == 0
    sound.write_bytes(MP3 + b"before the restore")
    os.utime(sound.parent, (time, time))
    assert oche("restore", backup, "--config", config, "--state-dir", state).status == 0
    if is_changed:
        sound.write_bytes(MP3 + b"since the restore")
        os.utime(sound.parent, (time, time))
    note_folders(state)
    (zipped,) = list_restored(state, ART)
    add_restored_art(zipped, state)
    assert sound.read_bytes() == (MP3 + b"since the restore" if is_changed else MP3)


def test_a_backup_names_art_that_is_too_large_to_come_back(oche: Saying, tmp_path: Path) -> None:
    config = play_evening(tmp_path)
    for name, size in (("large", MOST_BYTES), ("small", 10)):
        folder = config.parent / "state" / ART / name
        folder.mkdir(parents=True)
        (folder / "180.mp3").write_bytes(MP3 + bytes(size))
    backup = tmp_path / "all.tar.gz"
    said = oche("backup", backup, "--config", config)
    assert said.status == 0
    assert f"the art {config.parent / 'state' / ART / 'large'} is not in it, because art has at most" in said.errors
    assert [name for name in list_names(backup) if "art" in name] == ["state/art.2.zip"]


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED.iterdir() if path.is_dir()))
def test_the_art_that_comes_with_oche_keeps_to_the_rules(name: str) -> None:
    files = {path.name: path.read_bytes() for path in (SHIPPED / name).iterdir()}
    for file in files.keys() - {"art.css", "about.txt"}:
        check_file(file, files[file])
    served = check_sheet("art.css", files["art.css"], files)
    selectors = [line for line in served.splitlines() if "{" in line]
    assert all(f"[data-art={name}]" in line for line in selectors), "it is served as it is: each rule asks for its name"
    assert sum(map(len, files.values())) < MOST_BYTES / 100


@pytest.mark.slow
async def test_the_start_after_a_restore_adds_the_art_that_the_backup_had(tmp_path: Path, unused_tcp_port: int) -> None:
    add(tmp_path, {"art.css": CSS, "board.svg": SVG})
    file = write_file(tmp_path, unused_tcp_port)
    state = Path(read_config(file).config.bridge.state_dir)
    make_folder(state)
    zip_art(tmp_path / "state" / ART / "mine", state / "art.1.zip")
    remove_art("mine", state)
    async with serve(file) as http:
        await eventually(lambda: not (state / "art.1.zip").exists())
        async with http.get("/art/mine/art.css") as answer:
            assert "[data-art]" in await answer.text()


def test_what_the_page_for_those_who_draw_shows_is_accepted() -> None:
    page = (Path(__file__).parents[2] / "docs" / "art.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```css\n(.*?)```", page, re.DOTALL)
    assert check_sheet("art.css", example.encode(), {"stripes.svg"})
    named = set(re.findall(r"`(--[\w-]+)`", page))
    assert named == VARIABLES


@pytest.mark.slow
async def test_art_is_uploaded_read_and_removed_over_http(tmp_path: Path, unused_tcp_port: int) -> None:
    async with serve(write_file(tmp_path, unused_tcp_port)) as http:
        zipped = make_zip({"art.css": CSS, "board.svg": SVG, "180.gif": make_gif()})
        async with http.post("/api/art?name=pub.zip", data=zipped) as answer:
            assert (await answer.json())["art"] == "pub"
        async with http.get("/api/art") as answer:
            found = {each["art"]: each for each in (await answer.json())["art"]}
        assert list(found) == ["chalk", "neon", "pub"]
        assert found["pub"]["events"] == {"180": {"picture": "180.gif"}, "board": {"picture": "board.svg"}}
        async with http.get("/art/pub/board.svg") as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.content_type == "image/svg+xml"
        async with http.get(f"/art/pub/art.css?tag={found['pub']['tag']}") as answer:
            assert "[data-art]" in await answer.text()
            assert "immutable" in answer.headers["Cache-Control"]
        for name in ("pub/none.svg", "none/art.css", "pub/.checked", "pub/about.txt", "pub/..%2fart.css"):
            async with http.get(URL(f"/art/{name}", encoded=True)) as answer:
                assert answer.status == 404
        async with http.post("/api/art?name=pub.zip", data=make_zip({"art.css": b"a{top:0}"})) as answer:
            assert (await answer.json())["error"]["message"] == "art.css, line 1: the property top is not allowed"
        async with http.post("/api/art/event?event=180&kind=sound", data=MP3) as answer:
            assert answer.status == 200
        async with http.post("/api/art/event?event=180&kind=picture", data=MP3) as answer:
            assert (await answer.json())["error"]["message"].startswith("choose a picture")
        async with http.get("/art/own/180.mp3") as answer:
            assert (answer.content_type, await answer.read()) == ("audio/mpeg", MP3)
        status, _ = await post(http, "/api/art/remove", {"art": "pub"})
        assert status == 200
        status, _ = await post(http, "/api/art/remove", {"art": "pub"})
        assert status == 404
