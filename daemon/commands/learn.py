"""`oche boards learn`: makes the profile of an unknown board from presses that it asks for."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors

if TYPE_CHECKING:
    from drivers.address import Address
    from protocol.learning.learner import Learner
    from protocol.profile import Profile


@click.command("learn")
@click.option("--board", "address", required=True, metavar="ADDRESS", help="Where the board is: serial:/dev/ttyUSB0")
@click.option("--frame", metavar="TEMPLATE", help="What it sends for a hit: row,col; or * if it is not known.")
@click.option("--end", metavar="TEXT", help=r"What ends a frame, such as @ or \r; left out, a new line does.")
@click.option("--size", type=click.IntRange(1, 64), help="Frames of so many bytes, with nothing at their end.")
@click.option("--profile", metavar="NAME", help="A profile that has all but the mat right: link, frames, buttons.")
@click.option("--output", type=click.Path(path_type=Path), default=Path("my-board.toml"), show_default=True)
@click.option("--force", is_flag=True, help="Write over a profile that is there.")
@click.option("--restart", is_flag=True, help="Forget what was pressed before.")
@click.option("--json", "is_json", is_flag=True, help="For programs: a JSON line a press, and nothing is read.")
def command(
    address: str,
    frame: str | None,
    end: str | None,
    size: int | None,
    profile: str | None,
    output: Path,
    force: bool,
    restart: bool,
    is_json: bool,
) -> None:
    """Make a profile for an unknown board by pressing its segments.

    About a dozen presses recognise a board with a known mat; another one is asked for all its segments. With Enter
    behind it, u takes the last press back, s says that nothing comes, q stops to go on later.

    A program is asked for S20 until it is clear whether that is two beds; if it is, either will do. Where no
    contact comes for a minute there is none; 15 seconds, when I20 or O20 is asked for and may be no bed of that board.
    """
    from daemon.config.schemes import SCHEMES
    from daemon.learn import Learning, PressFile, Prompter
    from drivers.address import AddressError
    from drivers.schemes import parse_board
    from drivers.session import Session
    from protocol.codebook import make_blank_codebook
    from protocol.learning.contacts import FrameContacts
    from protocol.learning.learner import Learner

    with to_user_error(AddressError, status=2):
        where = parse_board(address, SCHEMES)
    if output.exists() and not force:
        raise UserError(f"{output} is there already: name another --output, or add --force to write over it", 2)
    base = _make_base(where, profile, frame, end, size, output)
    with to_user_error(ValueError, status=2):
        contacts = FrameContacts(base)
    presses = PressFile(output, base.hits.frame or "")
    if restart:
        presses.remove()
    learner = Learner(presses.read(), is_matrix=contacts.is_matrix, by_name=is_json)
    prompter = Prompter(is_json=is_json)
    if learner.answers:
        count = f"{len(learner.answers)} press{'es' if len(learner.answers) > 1 else ''}"
        prompter.tell(f"Going on with {count} of {presses.file}; --restart begins anew.", is_trouble=True)
    learning = Learning(learner, contacts, presses, prompter)
    try:
        is_done = asyncio.run(learning.run(Session("board", str(where), make_blank_codebook(base), schemes=SCHEMES)))
    except KeyboardInterrupt:
        if learner.answers:
            prompter.tell(f"The presses so far are kept: the same command goes on after {len(learner.answers)}.")
        raise
    if not is_done:
        prompter.tell(f"The presses so far are kept in {presses.file}: the same command goes on from there.")
        return
    _write(output, learner, base)
    presses.remove()
    _print_result(output, learner, where, is_json=is_json)


def _make_base(
    where: Address, name: str | None, frame: str | None, end: str | None, size: int | None, output: Path
) -> Profile:
    """The profile without a mat, from the options. Raises UserError."""
    from msgspec.structs import replace

    from daemon.plugins.profiles import find_codebook
    from protocol.framing import Framing
    from protocol.learning.contacts import is_hex, template
    from protocol.profile import Hits, Profile, Serial, Timing

    own_id = re.sub("[^a-z0-9]+", "-", output.stem.lower()).strip("-") or "board"
    if name is not None:
        base = replace(find_codebook(name).profile, id=own_id, name=output.stem, sources=[])
        frame = template(frame) if frame is not None else base.hits.frame
        base = replace(base, hits=Hits(frame=frame, keys=base.hits.keys, ignore_case=base.hits.ignore_case))
    elif frame is None:
        raise UserError("say what the board sends for a hit: --frame row,col, or --frame '*' if you do not know", 2)
    elif where.scheme in ("ble", "usb"):
        raise UserError(f"a {where.scheme}: address does not tell what to open on the board: add --profile NAME", 2)
    else:
        base = Profile(
            id=own_id,
            name=output.stem,
            hits=Hits(frame=template(frame)),
            notation="hex" if size is not None and is_hex(template(frame)) else "text",
            serial=Serial(baud=where.number("baud", Serial().baud)),
            timing=Timing(repeat_ms=600),  # some controllers repeat a closed contact every half second
        )
    if size is not None:
        return replace(base, framing=Framing(kind="fixed", size=size))
    if end is not None:
        return replace(base, framing=replace(base.framing, kind="delimited", end=_unescape(end)))
    return base


def _unescape(text: str) -> str:
    for written, meant in (("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\0", "\0")):
        text = text.replace(written, meant)
    return text


def _write(output: Path, learner: Learner, base: Profile) -> None:
    from protocol.codebook import load
    from protocol.learning.finding import format_profile, make_profile
    from protocol.source import Source, SourceError

    assert learner.finding is not None
    text = format_profile(make_profile(base, learner.finding, len(learner.answers)))
    try:
        load(Source(text, str(output)))
    except SourceError as error:
        raise UserError(f"what was pressed makes no profile ({error.message}): take presses back with u") from None
    with explain_errors(f"cannot write {output}", "; give another --output, the presses are kept"):
        output.write_text(text, encoding="utf-8")


def _print_result(output: Path, learner: Learner, where: Address, *, is_json: bool) -> None:
    import tomli_w

    from protocol.learning.finding import describe_finding

    assert learner.finding is not None
    if is_json:
        done = {"done": str(output), "presses": len(learner.answers), "mat": learner.finding.mat}
        click.echo(json.dumps(done))
        return
    click.echo(f"\n{describe_finding(learner.finding)}")
    click.echo(f"{output} is written. For the configuration:\n")
    lines = tomli_w.dumps({"board": str(where), "profile": str(output.resolve())})
    click.echo(f"[[table]]\n{lines}", nl=False)
