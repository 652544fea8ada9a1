"""`oche boards learn`: makes the profile of an unknown board from presses that it asks for."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.commands.shared import check_output, config_option, open_input, with_proxies
from daemon.errors import UserError, to_user_error
from daemon.files import explain_errors, open_output, read_lines

if TYPE_CHECKING:
    from daemon.admin.learning.terminal_learning import TerminalLearning
    from drivers.address import Address
    from protocol.learning.dialogue import Dialogue
    from protocol.learning.finding import Finding
    from protocol.profile import Profile


@click.command("learn")
@click.option(
    "--board", "address", required=True, metavar="ADDRESS", help="The address of the board, such as serial:/dev/ttyUSB0"
)
@click.option(
    "--frame",
    metavar="TEMPLATE",
    help="What it sends for a hit, such as {row},{col} or R{row}C{col}, or * for anything. Default: from the presses.",
)
@click.option("--end", metavar="TEXT", help=r"What ends a frame, such as @ or \r. Default: a new line.")
@click.option("--size", type=click.IntRange(1, 64), help="Frames have this many bytes each, with no end marker.")
@click.option(
    "--profile", metavar="NAME", help="A profile to start from: its link, frames and buttons, without its mat."
)
@click.option(
    "--contacts",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Take what it sends from a list instead of presses, one segment per line such as T20 3,7.",
)
@click.option("--output", type=click.Path(path_type=Path), default=Path("my-board.toml"), show_default=True)
@click.option("--force", is_flag=True, help="Overwrite an existing profile.")
@click.option("--restart", is_flag=True, help="Start over: forget the presses so far.")
@click.option("--json", "is_json", is_flag=True, help="For programs: one JSON line per press; nothing is read.")
@config_option("The configuration, whose proxies reach boards on Bluetooth.")
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
    config: Path,
) -> None:
    """Make a profile for an unknown board by pressing its segments.

    A serial board is opened at 9600 baud; to change that write --board serial:/dev/ttyUSB0?baud=115200. A board on USB
    or Bluetooth needs --profile with a file that describes its link and framing.

    A board with a known mat is recognised after about a dozen presses; for any other board press all segments. Type u
    and Enter to take back the last press, s if nothing comes, q to stop and continue later.

    With --contacts the board is not opened: each line of the list has a segment and what the board sends for it. JSON
    with row and column, such as {"T20": [3, 7]}, works too; - is standard input.

    A program is asked for S20 until it is clear whether that is two beds; if so, press either. A segment without a
    contact for a minute counts as missing; for I20 or O20, which the board may not have, after 15 seconds.
    """
    from daemon.admin.learning.blank_profile import make_blank_profile
    from daemon.admin.learning.press_file import PressFile, continue_learning
    from daemon.admin.learning.terminal_learning import Prompter, TerminalLearning
    from daemon.admin.requests import BoardDescription
    from daemon.config.schemes import SCHEMES
    from drivers.schemes import parse_board
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
        prompter.tell(f"Continuing with {count} from {presses.file}. To start over add --restart.", is_trouble=True)
    learning = TerminalLearning(dialogue, presses, prompter)
    try:
        is_done = asyncio.run(_learn(learning, where, base, config))
    except KeyboardInterrupt:
        if dialogue.answers:
            prompter.tell(f"The presses so far are saved. The same command continues after {len(dialogue.answers)}.")
        raise
    if not is_done:
        prompter.tell(f"The presses so far are saved in {presses.file}. The same command continues from there.")
        return
    _write(output, _make_text(dialogue))
    presses.remove()
    _print_result(output, dialogue.finding, len(dialogue.answers), where, is_json=is_json)


async def _learn(learning: TerminalLearning, where: Address, base: Profile, config: Path) -> bool:
    """Returns whether all was learned from the board."""
    from daemon.config.schemes import SCHEMES
    from drivers.session import Session
    from protocol.codebook import make_blank_codebook

    async with with_proxies(config) if where.scheme == "ble" else nullcontext():
        return await learning.run(Session("board", str(where), make_blank_codebook(base), schemes=SCHEMES))


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
        raise UserError(f"these presses do not make a profile ({error.reason}): take presses back with u") from None


def _write(output: Path, text: str) -> None:
    remedy = "; name another --output, the presses are saved"
    with explain_errors(f"cannot write {output}", remedy), open_output(output) as file:
        file.write(text.encode())


def _print_result(output: Path, finding: Finding, presses: int, where: Address, *, is_json: bool) -> None:
    import tomli_w

    from protocol.learning.finding import describe_finding

    if is_json:
        click.echo(json.dumps({"done": str(output), "presses": presses, "mat": finding.mat}))
        return
    click.echo(f"\n{describe_finding(finding)}")
    click.echo(f"Wrote {output}. For the configuration:\n")
    lines = tomli_w.dumps({"board": str(where), "profile": str(output.resolve())})
    click.echo(f"[[table]]\n{lines}", nl=False)
