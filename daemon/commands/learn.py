"""`oche boards learn`: makes the profile of an unknown board from presses that it asks for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import check_output, open_input
from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors, open_output, read_lines

if TYPE_CHECKING:
    from drivers.address import Address
    from protocol.learning.dialogue import Dialogue
    from protocol.learning.finding import Finding
    from protocol.profile import Profile


@click.command("learn")
@click.option("--board", "address", required=True, metavar="ADDRESS", help="Where the board is: serial:/dev/ttyUSB0")
@click.option(
    "--frame",
    metavar="TEMPLATE",
    help="What it sends for a hit, as in {row},{col} or R{row}C{col}, or * for anything; left out, the presses tell.",
)
@click.option("--end", metavar="TEXT", help=r"What ends a frame, such as @ or \r; left out, a new line does.")
@click.option("--size", type=click.IntRange(1, 64), help="Frames of so many bytes, with nothing at their end.")
@click.option("--profile", metavar="NAME", help="A profile that has all but the mat right: link, frames, buttons.")
@click.option(
    "--contacts",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="A list of what it sends, a line a segment as in T20 3,7, instead of presses.",
)
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
    contacts: str | None,
    output: Path,
    force: bool,
    restart: bool,
    is_json: bool,
) -> None:
    """Make a profile for an unknown board by pressing its segments.

    A serial board is opened at 9600 baud: --board serial:/dev/ttyUSB0?baud=115200 is another speed. A board on USB or
    Bluetooth needs --profile with a file that says its link and framing.

    About a dozen presses recognise a board with a known mat; another one is asked for all its segments. With Enter
    behind it, u takes the last press back, s says that nothing comes, q stops to go on later.

    With --contacts the board is neither opened nor pressed: all is taken from the list, whose lines have a segment and
    what the board sends for it. JSON such as {"T20": [3, 7]}, row and column, will do; - is standard input.

    A program is asked for S20 until it is clear whether that is two beds; if it is, either will do. Where no
    contact comes for a minute there is none; 15 seconds, when I20 or O20 is asked for and may be no bed of that board.
    """
    from daemon.admin.learning.blank_profile import make_blank_profile
    from daemon.admin.learning.press_file import PressFile, continue_learning
    from daemon.admin.learning.terminal_learning import Prompter, TerminalLearning
    from daemon.admin.requests import BoardDescription
    from daemon.config.schemes import SCHEMES
    from drivers.schemes import parse_board
    from drivers.session import Session
    from protocol.codebook import make_blank_codebook
    from protocol.learning.dialogue import Dialogue

    base = make_blank_profile(BoardDescription(address, output.stem, frame, end, size, profile))
    check_output(output, force=force)
    if contacts is not None:
        found, finding = _learn_list(base, contacts)
        _write(output, found)
        _print_result(output, finding, len(finding.contacts), parse_board(address, SCHEMES), is_json=is_json)
        return
    presses = PressFile(output, base.hits.frame)
    if restart:
        presses.remove()
    where = parse_board(address, SCHEMES)
    prompter = Prompter(is_json=is_json)
    with to_user_error(ValueError, status=2):
        dialogue, said = continue_learning(
            presses,
            lambda kept: Dialogue(base, kept, frame=presses.frame, releases=presses.releases, by_name=is_json),
        )
    if said is not None:
        prompter.tell(str(said), is_trouble=True)
    if dialogue.answers:
        count = f"{len(dialogue.answers)} press{'es' if len(dialogue.answers) > 1 else ''}"
        prompter.tell(f"Going on with {count} of {presses.file}; --restart begins anew.", is_trouble=True)
    learning = TerminalLearning(dialogue, presses, prompter)
    try:
        is_done = asyncio.run(learning.run(Session("board", str(where), make_blank_codebook(base), schemes=SCHEMES)))
    except KeyboardInterrupt:
        if dialogue.answers:
            prompter.tell(f"The presses so far are kept: the same command goes on after {len(dialogue.answers)}.")
        raise
    if not is_done:
        prompter.tell(f"The presses so far are kept in {presses.file}: the same command goes on from there.")
        return
    _write(output, _make_text(dialogue))
    presses.remove()
    _print_result(output, dialogue.finding, len(dialogue.answers), where, is_json=is_json)


def _learn_list(base: Profile, file: str) -> tuple[str, Finding]:
    """Returns the profile of the board with the contacts of this file, as text, and what was found."""
    from protocol.codebook import load
    from protocol.learning.contact_list import learn_contacts, parse_contacts
    from protocol.learning.finding import format_profile
    from protocol.source import Source

    with open_input(file) as source:
        lines = b"".join(read_lines(source, file))
    try:
        profile, finding = learn_contacts(base, parse_contacts(lines.decode("utf-8-sig", "replace")))
        text = format_profile(profile)
        load(Source(text, base.id))
    except ValueError as error:
        raise UserError(f"{file}: {error}", 2) from None
    return text, finding


def _make_text(dialogue: Dialogue) -> str:
    from protocol.source import SourceError

    try:
        return dialogue.write_profile()
    except SourceError as error:
        raise UserError(f"what was pressed makes no profile ({error.reason}): take presses back with u") from None


def _write(output: Path, text: str) -> None:
    remedy = "; give another --output, the presses are kept"
    with explain_errors(f"cannot write {output}", remedy), open_output(output) as file:
        file.write(text.encode())


def _print_result(output: Path, finding: Finding, presses: int, where: Address, *, is_json: bool) -> None:
    import tomli_w

    from protocol.learning.finding import describe_finding

    if is_json:
        click.echo(json.dumps({"done": str(output), "presses": presses, "mat": finding.mat}))
        return
    click.echo(f"\n{describe_finding(finding)}")
    click.echo(f"{output} is written. For the configuration:\n")
    lines = tomli_w.dumps({"board": str(where), "profile": str(output.resolve())})
    click.echo(f"[[table]]\n{lines}", nl=False)
