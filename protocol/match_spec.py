"""What a match is made of: its game, options and players. A new field of a match is written here.

A match record begins with it (the header), `start` asks for it, `game` for a part of it, and `next` shows the part that
can be planned. The bodies of those commands, their JSON Schemas and the merging of plans are made from these fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from unicodedata import category

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields, replace

from protocol.ghost import Ghost
from protocol.json_depth import check_depth
from protocol.player_names import MAX_NAME, NO_ALIASES, Aliases, find_twice, name_key, number_bots, shorten_name
from protocol.player_words import BotWord, can_be_model, name_bot, read_bot_word, write_bot_word
from protocol.routine import Routine
from protocol.segment import Dartboard
from protocol.sentence import Refusal, Sentence, say
from protocol.spelling import explain_decode_error, suggest_nearest
from protocol.throws_like import ThrowsLike

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

Index = Annotated[int, Meta(ge=0)]
"""The number of a side or a seat, counted from 0; or how many there are of something."""
Ordinal = Annotated[int, Meta(ge=1)]
"""Counted from 1: lines of a match, visits, rounds, legs."""
LEVELS = range(20, 111)
"""The levels of bots: their three-dart averages."""
TEMPOS_S = (0.001, 60.0)
"""The shortest and the longest time that a bot may take for a dart."""


class Unreadable(Refusal):
    """This is not a line of a match record, or no match can be made of it; `said` is the reason."""


class SamePlayer(Unreadable):
    """One person is in the match twice."""


class Side(Struct, frozen=True):
    """Who scores together: a person or a team, its members (player numbers) in throwing order."""

    name: str
    seats: tuple[int, ...]


class Seating(Struct, frozen=True):
    """The players in the order of the header, and the sides they form."""

    players: tuple[str, ...]
    sides: tuple[Side, ...]


class Format(Struct, frozen=True):
    """Legs to win a set, sets to win the match.

    With `clear_legs` the deciding set needs a lead of two legs, or three legs more than `legs`. With `play` all, all
    `legs` of each set and all `sets` are played, and the side that won most of them wins; equal is a draw. `first`: the
    loser of a leg throws first in the next one, or the same side throws first in all legs of a set; by default the
    sides take turns.
    """

    legs: Ordinal = 1
    sets: Ordinal = 1
    clear_legs: Literal[2] | UnsetType = UNSET
    first: Literal["loser", "same"] | UnsetType = UNSET
    play: Literal["all"] | UnsetType = UNSET

    def wins_set(self, side: int, legs: tuple[int, ...], sets: tuple[int, ...]) -> bool:
        """Whether a side that has just won a leg has the set, with the legs and sets of all as they are now."""
        mine = legs[side]
        decides = sum(won == self.sets - 1 for won in sets) > 1
        if self.clear_legs is UNSET or not decides:
            return mine >= self.legs
        second = max((won for other, won in enumerate(legs) if other != side), default=0)
        return mine >= self.legs and (mine - second >= self.clear_legs or mine >= self.legs + 3)


Ref = Annotated[str, Meta(min_length=1, max_length=64)]
"""What a match was asked for as, by whoever asked: it means nothing to a table, which only says it again."""
MatchId = Annotated[str, Meta(min_length=1, max_length=64)]
"""The id of a match, as its journal has it."""


TableName = Annotated[str, Meta(pattern="^[a-z0-9-]{1,40}$")]
"""The name of a table, of this daemon or another one on the same broker."""


class _Version(Struct):
    """What the first line of a record says of itself."""

    oche: int


class PlannedGame(Struct, frozen=True):
    """Who plays what. `teams` are lists of player numbers, counted from 0.

    Without teams everyone plays alone. A side whose name in `team_names` is empty is called after its players. `ghosts`
    has the leg that each bot throws once more, and null for each other player.
    """

    game: str
    players: tuple[str, ...]
    options: dict[str, Any] = {}  # Any: checked by the game's own Struct
    teams: tuple[tuple[Index, ...], ...] | None = None
    team_names: tuple[str, ...] | None = None
    format: Format = Format()
    ghosts: tuple[Ghost | None, ...] | None = None


class PlannedSpec(PlannedGame, frozen=True):
    """What can be planned for the next match, field by field.

    `ref` is a name that whoever asks for this match knows it by, such as a tournament: it stays with this match alone,
    and with no plan that others change. `places` has for each side the name of the table at which it throws; null, or
    the table's own name, is this table.
    """

    ref: Ref | None = None
    places: tuple[TableName | None, ...] | None = None


class MatchSpec(PlannedSpec, frozen=True):
    """All that a match is made of.

    `seed` decides dice and cards. `rules` is the version of the game's rules. `bots` has the level of each bot, and
    null for each person; a player called bot:45 is short for Bot 45 with that level. `tempos` has the seconds that each
    bot takes for a dart, and null if the table decides. With `undo_all`, undo takes back every input, `stop` and
    `retire` too; records of version 0.1.0 do not have it. `seed_given`: the seed came with `start`, so oche did not
    draw it. `routine`: the routine that this match belongs to, and the results of its earlier exercises. `dartboard`:
    the board of a match on the standard layout, by default soft_15.5; a new match has the dartboard of its table.
    `continues`: the match of another table that this one goes on with, whose darts are its first lines. `like` has
    whom each bot throws like, and null for the others; bot:Ann is short for a bot like Ann, called Bot Ann.
    """

    seed: str | None = None
    rules: int | None = None
    bots: tuple[int | None, ...] | None = None
    tempos: tuple[float | None, ...] | None = None
    undo_all: bool = False
    seed_given: bool = False
    routine: Routine | None = None
    dartboard: Dartboard | None = None
    continues: MatchId | None = None
    like: tuple[ThrowsLike | None, ...] | None = None

    def bot(self, seat: int) -> int | None:
        """The level of the bot in this seat; None for a person."""
        return self.bots[seat] if self.bots is not None else None

    def ghost(self, seat: int) -> Ghost | None:
        """The leg that the bot in this seat throws once more; None where it has none, and for a person."""
        return self.ghosts[seat] if self.ghosts is not None else None

    def model(self, seat: int) -> ThrowsLike | None:
        """Whom the bot in this seat throws like; None where it has a level alone, and for a person."""
        return self.like[seat] if self.like is not None else None

    @property
    def is_bot(self) -> tuple[bool, ...]:
        """Whether a bot plays, by seat."""
        return tuple(self.bot(seat) is not None for seat in range(len(self.players)))

    def tempo_s(self, seat: int) -> float | None:
        """The seconds that the bot in this seat takes for a dart; None where that is up to the table."""
        return self.tempos[seat] if self.tempos is not None else None

    def short_name(self, seat: int) -> str:
        """The player in this seat as one word: the name of a person, bot:45, bot:Ann, bot:45:2.5, bot:45:2.5:Marvin."""
        level, model = self.bot(seat), self.model(seat)
        if level is None:
            return self.players[seat]
        skill = (model and model.player) or str(level)
        return write_bot_word(BotWord(skill, self.tempo_s(seat), self.players[seat]))

    @property
    def seating(self) -> Seating:
        """The sides these players make; names are cleaned. Raises Unreadable."""
        players = tuple(clean_name(name, _name_player(n)) for n, name in enumerate(self.players, 1))
        teams = self.teams if self.teams is not None else tuple((n,) for n in range(len(players)))
        seated = [seat for team in teams for seat in team]
        if sorted(seated) != list(range(len(players))) or not all(teams):
            raise Unreadable(
                say(
                    "refused.teams",
                    "teams must name each of the players 0 to {last} exactly once, and no team may be empty",
                    last=len(players) - 1,
                )
            )
        names = self.team_names if self.team_names is not None else ("",) * len(teams)
        if len(names) != len(teams):
            raise Unreadable(f"team_names has {len(names)} names for {len(teams)} teams")
        sides = tuple(
            Side(clean_name(name, _TEAM) if name else " & ".join(players[seat] for seat in team), team)
            for name, team in zip(names, teams, strict=True)
        )
        return Seating(players, sides)

    @property
    def same_again(self) -> MatchSpec:
        """The same people and options once more; a new match gets its own seed, today's rules and its table's board."""
        return replace(
            self,
            seed=None,
            rules=None,
            undo_all=False,
            seed_given=False,
            dartboard=None,
            ref=None,
            continues=None,
        )

    def with_clean_names(self) -> MatchSpec:
        """Returns this with its names as they are shown, and bots of one name with numbers.

        Raises Unreadable, also for a name that cannot be seen. In `seating` such a name passes, and a bot's is as it
        was given: a match that is kept may have them.
        """
        cleaned = [check_visible(name, _name_player(n)) for n, name in enumerate(self.players, 1)]
        players = number_bots(cleaned, self.is_bot)
        names = self.team_names and tuple(check_visible(name, _TEAM) if name else "" for name in self.team_names)
        return replace(self, players=players, team_names=names)

    def in_order(self, order: Sequence[int]) -> MatchSpec:
        """Returns this with its sides in that order: the players if each plays alone, else the teams."""
        by_side = {name: getattr(self, name) for name in ("team_names", "places")}
        spec = replace(self, **{name: value and _pick(order, value) for name, value in by_side.items()})
        if self.teams is not None:
            return replace(spec, teams=_pick(order, self.teams))
        by_seat = {name: getattr(self, name) for name in BY_SEAT}
        return replace(spec, **{name: value and _pick(order, value) for name, value in by_seat.items()})

    def changed(self, wanted: Struct) -> MatchSpec:
        """Returns this with the fields that are set in `wanted`, a Wanted. Raises Unreadable when they contradict.

        Another game brings its own options, other players their own teams and bots, and other teams their own names.
        The options `doubles` and `scatter` belong to the players, and go with them. Any change takes the `ref` away,
        for it is no longer what was asked for. With a `ref` of its own nothing but players and game stays of what was
        planned.
        """
        given = msgspec.to_builtins(wanted)  # what is UNSET is left out of it
        is_whole = given.get("ref") is not None
        kept = ["game"] if is_whole else ["game", "format"]
        if "players" not in given:
            kept += BY_SEAT if "teams" in given else PEOPLE
        if "game" not in given and not is_whole:
            kept.append("routine")
        if not given:
            kept.append("ref")
        old = write_header(self)
        spec = read_header({name: old[name] for name in ("oche", *kept) if name in old} | given).with_clean_names()
        if spec.game != self.game or is_whole:
            return spec
        theirs = ("doubles", "scatter") if "players" in given else ()
        same = {name: value for name, value in self.options.items() if name not in theirs}
        return replace(spec, options={**same, **spec.options})


BY_SEAT = ["players", "bots", "tempos", "ghosts", "like"]
"""The fields with an element for each player."""
PEOPLE = ["teams", "team_names", "places", *BY_SEAT]
"""The fields about the players."""


def make_optional(spec: type[Struct]) -> type[Struct]:
    """A type with the same fields, each of which may be left out."""
    made = [(each.name, each.type | UnsetType, UNSET) for each in fields(spec)]
    return msgspec.defstruct(f"Wanted{spec.__name__}", made, frozen=True)


Wanted = make_optional(PlannedSpec)
"""Some fields of a PlannedSpec."""


def read_json(text: str | bytes) -> dict[str, Any]:  # Any: JSON
    """The object on a line; raises Unreadable."""
    try:
        check_depth(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError) as error:
        raise Unreadable(f"this is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise Unreadable('this is not an object such as {"throw": "T20"}')
    return value


def read_header(value: dict[str, Any]) -> MatchSpec:  # Any: JSON
    """The header in this object; raises Unreadable with what is wrong."""
    _check_keys(value, ["oche", *MatchSpec.__struct_fields__], "header key")
    version, header = _convert(value, _Version).oche, _convert(value, MatchSpec)
    for name in ("ref", "continues"):
        if not (getattr(header, name) or "").isprintable():
            raise Unreadable(f"{name} must be printable text")
    if header.routine is not None and header.routine.at >= len(header.routine.exercises):
        raise Unreadable(f"the routine has {len(header.routine.exercises)} exercises, counted from 0")
    if version != 1:
        raise Unreadable(f"this is a record of version {version}; this program reads version 1")
    if not 1 <= len(header.players) <= 64:
        raise Unreadable(say("refused.players", "a match needs 1 to 64 players"))
    if header.format.play == "all" and header.format.clear_legs is not UNSET:
        raise Unreadable(
            say("refused.play_all", "with play all no extra legs are played for a lead: leave out play or clear_legs")
        )
    return with_bots(header)


def check_players(spec: MatchSpec, aliases: Aliases = NO_ALIASES) -> None:
    """Raises SamePlayer where one person is in a new match twice; `aliases` are the names that players have had."""
    names = [clean_name(name, _name_player(n)) for n, name in enumerate(spec.players, 1)]
    if (twice := find_twice(names, spec.is_bot, aliases)) is not None:
        one, other = ("".join(filter(str.isprintable, spec.players[seat][:MAX_NAME])) for seat in twice)
        raise SamePlayer(
            say(
                "refused.twice",
                '"{name}" and "{given}" are the same player: remove one of them, or enter another name',
                name=one,
                given=other,
            )
        )


def read_wanted(value: dict[str, Any]) -> Struct:  # Any: JSON
    """What is wanted of the next match, a Wanted; other keys are passed over. Raises Unreadable."""
    return _convert(value, Wanted)


def _convert(value: dict[str, Any], kind: type[S]) -> S:  # Any: JSON
    if isinstance(value.get("format"), dict):
        _check_keys(value["format"], Format.__struct_fields__, "key of the header's format")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason, path = explain_decode_error(error, kind)
        raise Unreadable(f"header: {reason.replace('this', '.'.join(map(str, path)), 1) if path else reason}") from None


def with_bots(header: MatchSpec) -> MatchSpec:
    """The header with its bots checked, and players such as bot:45 spelled out among them. Raises Unreadable."""
    count = len(header.players)
    if header.bots is not None and len(header.bots) != count:
        raise Unreadable(f"bots has {len(header.bots)} levels for {count} players: write null for a person")
    if header.tempos is not None and len(header.tempos) != count:
        raise Unreadable(f"tempos has {len(header.tempos)} times for {count} players: write null for a person")
    if header.ghosts is not None and len(header.ghosts) != count:
        raise Unreadable(f"ghosts has {len(header.ghosts)} legs for {count} players: write null where there is none")
    if header.like is not None and len(header.like) != count:
        raise Unreadable(f"like has {len(header.like)} entries for {count} players: write null where there is none")
    read = [_read_bot(header, seat) for seat in range(count)]
    for seat, bot in enumerate(read):
        if header.ghost(seat) is not None and bot.level is None:
            raise Unreadable(f"{_name_player(seat + 1)} has a leg in ghosts and is no bot: call this player bot:20")
        if bot.like is not None and bot.level is None:
            raise Unreadable(f"{_name_player(seat + 1)} is in like and is no bot: call this player bot:NAME")
    if all(read_bot_word(player) is None for player in header.players):
        return header
    players, bots, tempos, like = zip(*read, strict=True)
    some = {"tempos": tempos if any(tempos) else None, "like": like if any(like) else None}
    return replace(header, players=players, bots=bots, **some)


def write_header(header: MatchSpec) -> dict[str, Any]:  # Any: JSON
    """The header line: what was given, the defaults of the rest left out."""
    written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(header))  # Any: JSON; tuples become lists
    return {"oche": 1, **{key: value for key, value in written.items() if value is not None and value is not False}}


def write_without_people(spec: MatchSpec) -> dict[str, Any]:  # Any: JSON
    """As `write_header`, without the fields about the players."""
    return {key: value for key, value in write_header(spec).items() if key not in PEOPLE}


def read_for_people_of(spec: MatchSpec, value: dict[str, Any]) -> MatchSpec:  # Any: JSON
    """The header in this object, for the players, teams and bots of `spec`. Raises Unreadable."""
    people = {key: inner for key, inner in write_header(spec).items() if key in PEOPLE}
    return read_header({"oche": 1} | {key: inner for key, inner in value.items() if key not in PEOPLE} | people)


def _check_keys(given: Iterable[str], known: Sequence[str], what: str) -> None:
    for key in given:
        if key not in known:
            raise Unreadable(f"unknown {what} {key!r}{suggest_nearest(key, known)}")


class _Bot(NamedTuple):
    """A player as a header has it; a person has no level."""

    name: str
    level: int | None
    tempo: float | None
    like: ThrowsLike | None


def _read_bot(header: MatchSpec, seat: int) -> _Bot:
    """This player, and of a bot the level, the seconds for a dart and whom it throws like. Raises Unreadable."""
    player, tempo, who = header.players[seat], header.tempo_s(seat), _name_player(seat + 1)
    like = _check_model(header.model(seat), who)
    word = read_bot_word(player)
    if word is None:
        return _Bot(player, _check_level(player, None, header.bot(seat), who), _check_tempo(tempo, who), like)
    if word.is_model:
        like = _find_model(shorten_name(word.skill), like, who)
    level = _check_level(player, None if word.is_model else word.skill, header.bot(seat), who)
    if level is None:
        level = LEVELS[0]  # that of whom it throws like is found when the match begins
    usual = name_bot(level if like is None else like.player or level)
    return _Bot(word.name or usual, level, _check_tempo(tempo if word.tempo is None else word.tempo, who), like)


def _find_model(name: str, given: ThrowsLike | None, who: Sentence) -> ThrowsLike:
    """Whom a bot called bot:NAME throws like; `given` is what `like` says of it. Raises Unreadable."""
    if given is not None and name_key(given.player) != name_key(name):
        raise Unreadable(f"{who} is bot:{name} and throws like {given.player!r} in like: give only one of the two")
    return given or ThrowsLike(name)


def _check_model(like: ThrowsLike | None, who: Sentence) -> ThrowsLike | None:
    if like is not None and not can_be_model(like.player) and (like.player or like.deviation_mm is None):
        raise Unreadable(f"{who} throws like {like.player!r}: such a name has a letter, and no colon")
    return like


def _check_tempo(tempo: float | None, who: Sentence) -> float | None:
    shortest, longest = TEMPOS_S
    if tempo is not None and not shortest <= tempo <= longest:
        raise Unreadable(
            say(
                "refused.tempo",
                "{who} takes {given} s per dart: a bot takes {low} to {high}",
                who=who,
                given=f"{tempo:g}",
                low=f"{shortest:g}",
                high=f"{longest:g}",
            )
        )
    return tempo


def _check_level(player: str, word: str | None, level: int | None, who: Sentence) -> int | None:
    """The level of this player, from the `word` in the name or from `bots`; None for a person."""
    if word is None and level is None:
        return None
    given = word if word is not None else str(level)
    if not re.fullmatch("[0-9]{1,3}", given) or int(given) not in LEVELS:
        raise Unreadable(
            say(
                "refused.level",
                "{who} is a bot of level {given}: a level is a three-dart average, {low} to {high}",
                who=who,
                given=repr(given),
                low=LEVELS[0],
                high=LEVELS[-1],
            )
        )
    if level not in (None, int(given)):
        raise Unreadable(f"{who} is {player.strip()!r} and has the level {level} in bots: give only one of the two")
    return int(given)


def clean_name(name: str, who: str | Sentence) -> str:
    """Names are untrusted: bounded, and without control characters. Raises Unreadable when nothing is left."""
    kept = shorten_name(name)
    if not kept:
        raise Unreadable(say("refused.name", "{who} needs a name with at least one visible character", who=who))
    return kept


_TEAM = say("refused.team", "team")


def _name_player(number: int) -> Sentence:
    return say("refused.player", "player {number}", number=number)


_BLANKS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"
"""Letters and symbols that are drawn as nothing."""


def check_visible(name: str, who: str | Sentence) -> str:
    """As `clean_name`, for a new name: refuses marks alone, which need a letter below them, and blank letters too."""
    kept = clean_name(name, who)
    if all(c in _BLANKS or category(c)[0] in "MZ" for c in kept):
        raise Unreadable(say("refused.name", "{who} needs a name with at least one visible character", who=who))
    return kept


def _pick(order: Sequence[int], values: Sequence[T]) -> tuple[T, ...]:
    return tuple(values[at] for at in order)
