"""The command line: a command is a module in daemon/commands, imported when it is called.

So `oche replay` never loads a network library, and a user's mistake is reported at once.
"""

from __future__ import annotations

import gc
import importlib
import sys

import click
from click.exceptions import NoArgsIsHelpError

from daemon.errors import UserError, escape_controls
from daemon.release import find_project_url, read_version
from protocol.spelling import suggest_nearest

COMMANDS = {
    "play": "Play without hardware or configuration, and watch in the browser: match after match, until Ctrl-C.",
    "run": "Run the daemon: it reads the boards, scores the games, and sends the state over MQTT and to the page.",
    "replay": "Play a match record again.",
    "history": "List, show, export or delete the matches that were played here.",
    "stats": "Show the players, one per line; or all figures of NAME, game by game.",
    "players": "List, rename, merge, split or forget the players known here.",
    "games": "List the games, or print the rules and options of one.",
    "boards": "Work with board profiles: list, show, check, decode, learn, udev.",
    "scan": "Find boards on USB, serial ports, Bluetooth and the network, and say how to configure them.",
    "capture": "Record everything a board sends into FILE, until you press Ctrl-C or the played recording ends.",
    "config": "Check a configuration file.",
    "lights": "Try the lights, or import what was written for darts-wled.",
    "token": "Make and show the tokens that the page asks for: one to play, one to change settings.",
    "backup": "Back up the configuration, all matches and the keys into FILE (.tar.gz); - is standard output.",
    "restore": "Restore the configuration, all matches and the keys from a backup FILE; - is standard input.",
    "collect": "Collect the matches of a league's daemons in PostgreSQL, until SIGTERM or Ctrl-C.",
    "league": "Serve the statistics pages of a league, until SIGTERM or Ctrl-C.",
    "help": "Show the help of COMMAND, such as `oche help history export`.",
    "report": "Write everything a bug report needs into FILE (.zip); - is standard output.",
    "doctor": "Check everything oche needs, and say how to fix what is wrong.",
}


_FIRST = ("-v", "--verbose", "-q", "--quiet")
"""The options that are for every command, and stand before it."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            ctx.fail(f"there is no command {name!r}{suggest_nearest(name, list(COMMANDS))}")
        gc.disable()  # what is imported stays, so a search for garbage in it would find nothing, now or later
        try:
            command: click.Command = importlib.import_module(f"daemon.commands.{name}").command
        finally:
            gc.freeze()
            gc.enable()
        return command

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if homepage := find_project_url("Homepage"):
            formatter.write(f"\n{homepage}\n")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _tell_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"oche, version {read_version()}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-v", "--verbose", is_flag=True, help="Log more, for example for a bug report.")
@click.option("-q", "--quiet", is_flag=True, help="Log only warnings and errors, and show no progress.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version and exit.",
)
def oche(verbose: bool, quiet: bool) -> None:
    """Plug in any electronic dartboard, play any dart game on it, show it on any display."""
    if verbose and quiet:
        raise click.UsageError("-v and -q contradict each other: choose one")
    if verbose or quiet:
        import logging  # noqa: PLC0415  most commands log nothing

        from daemon.service import logs  # noqa: PLC0415  the same

        logs.set_up(logging.DEBUG if verbose else logging.WARNING)


def main() -> None:
    """The console script: every failure is one sentence on standard error and an exit status."""
    try:
        oche.main(prog_name="oche", standalone_mode=False)
    except NoArgsIsHelpError as error:  # its message is the help
        print(error.format_message(), file=sys.stderr)
        sys.exit(error.exit_code)
    except click.NoSuchOption as error:
        name = error.option_name
        where = f"the option {name} must stand before the command: oche {name} COMMAND"
        _leave(where if name in _FIRST else error.format_message(), error.exit_code)
    except click.ClickException as error:
        _leave(error.format_message(), error.exit_code)
    except UserError as error:
        _leave(str(error), error.status, error)
    except click.Abort as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            _leave("stopped", 130)
        sys.exit(130)


def _leave(sentence: str, status: int, error: Exception | None = None) -> None:
    import logging  # noqa: PLC0415  needed for errors only

    from daemon.service.logs import is_on_journal  # noqa: PLC0415  the same
    from daemon.terminal import paint  # noqa: PLC0415  the same

    if error is not None:
        logging.getLogger("oche").debug("where it happened", exc_info=error)
    level = "<3>" if is_on_journal() else ""  # there, an error and no remark
    shown = "\n".join(map(escape_controls, sentence.split("\n")))
    print(f"{level}{paint('oche:', 'red', sys.stderr)} {shown}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
