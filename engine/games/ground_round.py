"""Ground Round: nineteen hexagons with symbols to capture and defend; holding all three flags wins."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Fact, Game, Panel, Prompt, Seating, Step, Turn, put
from engine.games.territory import Options, Territory, ThrowState, without
from engine.luck import Luck
from engine.skill import Skill
from protocol.ground_round import hexes, neighbours, symbols
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class GroundRoundState(Struct, frozen=True):
    """Where the game stands, and what happened in this visit."""

    options: Options
    seats: tuple[int, ...]
    """The seat that answers for each side."""
    now: ThrowState
    before: ThrowState | None = None
    """As it was before the latest dart, while that dart may be cancelled."""
    granted: int = 0
    """The darts which the latest dart gave."""
    cancelled: int = 0
    line: tuple[str, ...] = ()
    """The hexagons of a dart on a line, until one is named."""
    loser: int | None = None
    """The side that must take a pin off."""
    returned: int = 0
    """The place prompts up to this number are for pins that were in hand before the visit."""
    asked: Mapping[str, int] = {}
    """How many prompts of each kind this visit has had; a cancelled dart does not give its numbers back."""


class GroundRound(Game[Options, GroundRoundState]):
    """Territory on nineteen hexagons: take them, arm them, keep them.

    The board has nineteen hexagons, most of them with a symbol. Two or three players throw three darts a turn (`Darts
    per turn`: 1 to 9) and capture hexagons, free ones and those of others. The player who holds all three Flags wins at
    once.

    Capture: a dart captures the hexagon it hits if its attack is greater than the hexagon's defense. A dart has attack
    1 and a hexagon has defense 0; symbols and army pins change both. You cannot capture a hexagon without a symbol. A
    free hexagon has its defense too, so a free Flag needs an attack of 2; with `Free hexagons undefended` the first
    hit takes any free hexagon. If a dart is on a line, the thrower says which of the two or three hexagons it hit.

    Flag: its own defense is 1.
    Fist: each Fist you hold adds 1 to the attack of your darts.
    Flaming Fist: when you capture it, or hit one that you hold, your next dart of the same turn has unlimited attack
    and takes any hexagon with a symbol. A miss uses this up.
    Tower: it adds 1 to the defense of every hexagon beside it that the same player holds; with `Connected` as `Reach
    of a Tower` to every hexagon of that player connected to it over the player's own hexagons. Only unlimited attack
    captures a Tower that a player holds.
    Crossed Darts: if you capture it with a dart in its red area, or hold it and hit that area, you get extra darts:
    one more than the Crossed Darts that you then hold. You get them only once a turn.
    Dart: each Dart you hold lets you cancel one of your darts a turn. It must be your latest dart, before the next one
    is thrown, and you must have held the Dart before it. All is then as it was before that dart (hexagons, army pins,
    darts), and you throw it again. You can cancel a miss too, unless `Misses can be cancelled` is off.
    Pin: each Pin you hold gives you an army pin.

    Army pins: you place a new pin on any hexagon you hold, at the latest after your last dart. A pin adds 1 to the
    defense of its hexagon and of your hexagons and free hexagons beside it, and takes 1 from the defense of enemy
    hexagons beside it. `Pin beside a free hexagon`: with `Against the others` it defends free hexagons only against
    the other players. Pins add up, and several may stand on one hexagon. Once a turn you may move each pin to another
    hexagon you hold, before your first dart or after your last, but not in the turn in which you got it. If a hexagon
    with a pin is captured, the pin returns to its owner's hand, and the owner places it again in the next turn. A
    player who loses a Pin loses an army pin: one in the hand or, if there is none, one on the board, which that player
    chooses.

    With a limit of `Rounds` the game ends after the last one. The most Flags win; if these are level, the most
    hexagons; if these are level too, sides share the win.

    Source: Ground Round rules D0.01, a design published at bgdf.com; where it is silent, the readings above.
    """

    id = "ground_round"
    group = "boards"
    options_type = Options
    layouts = ("ground_round",)
    sides = range(2, 4)

    def title(self, options: Options) -> str:
        return "Ground Round"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> GroundRoundState:
        nothing: tuple[tuple[str, ...], ...] = ((),) * len(seating.sides)
        signs = symbols(layout)
        territory = Territory(options, signs, {h: neighbours(layout, h) for h in signs}, nothing)
        return GroundRoundState(
            options, tuple(side.seats[0] for side in seating.sides), ThrowState(territory, ((),) * len(nothing))
        )

    def darts(self, state: GroundRoundState, turn: Turn) -> int:
        return state.options.darts

    def begin(self, state: GroundRoundState, turn: Turn, luck: Luck) -> Step[GroundRoundState]:
        now = _settle_removal(state).now
        territory, hands = now.territory, now.hands
        returned = len(hands[turn.side])
        now = ThrowState(
            territory, put(hands, turn.side, tuple(range(1, returned + 1))), movable=territory.pins[turn.side]
        )
        state = GroundRoundState(state.options, state.seats, now, returned=returned, asked={"place": returned})
        ended = state.options.max_rounds is not None and turn.round > state.options.max_rounds
        return Step(state, winners=territory.leaders(turn.playing) if ended else None)

    def dart(self, state: GroundRoundState, segment: Segment, turn: Turn, luck: Luck) -> Step[GroundRoundState]:
        state, hit = _settle_removal(state), hexes(segment.id)
        tries = len(state.now.territory.held(turn.side, "dart")) - state.cancelled
        may_cancel = tries > 0 and (bool(hit) or state.options.cancel_misses)
        state = replace(state, before=state.now if may_cancel else None, granted=0)
        if may_cancel:
            state = _count_prompt(state, "cancel")
        if len(hit) > 1:
            return Step(_count_prompt(replace(state, line=hit), "hex"))
        return _land_dart(state, hit[0] if hit else None, "red" in segment.groups, turn)

    def round_over(self, state: GroundRoundState, turn: Turn, luck: Luck) -> Step[GroundRoundState]:
        """The last side may still cancel its dart: while that is open, the end waits for the next visit."""
        last = state.options.max_rounds is not None and turn.round >= state.options.max_rounds
        if not last or (state.before is not None and turn.side in turn.playing):
            return Step(state)
        return Step(state, winners=state.now.territory.leaders(turn.playing))

    def prompts(self, state: GroundRoundState, turn: Turn) -> tuple[Prompt, ...]:
        now, asked = state.now, state.asked
        found: list[Prompt] = []
        held = now.territory.held(turn.side)
        for number in now.hands[turn.side]:
            text = say("prompt.ground_round_place", "Where does the army pin go?").text
            place = Prompt(turn.prompt_id("place", number), turn.seat, text, held)
            found.append(replace(place, default=held[0], blocking=not turn.darts_left, options_are="segments"))
        if state.line:
            prompt_id = turn.prompt_id("hex", asked["hex"])
            text, default = say("prompt.ground_round_hex", "Which hexagon?").text, state.line[0]
            found.append(Prompt(prompt_id, turn.seat, text, state.line, default=default, options_are="segments"))
        if state.loser is not None and state.loser in turn.playing:
            pins, seat = now.territory.where_pins_stand(state.loser), state.seats[state.loser]
            prompt_id = turn.prompt_id("remove", asked["remove"])
            text = say("prompt.ground_round_remove", "Which army pin comes off?").text
            found.append(Prompt(prompt_id, seat, text, pins, default=pins[0], options_are="segments"))
        settled = turn.darts_left or not found
        if state.before is not None:
            prompt_id = turn.prompt_id("cancel", asked["cancel"])
            found.append(
                Prompt(
                    prompt_id,
                    turn.seat,
                    say("prompt.ground_round_cancel", "Take the last dart back and throw it again?").text,
                    options=("cancel",),
                    blocking=False,
                )
            )
        moves = tuple(f"{pin}>{h}" for pin in now.territory.symbols if pin in now.movable for h in held if h != pin)
        thrown = len(turn.darts) > state.cancelled
        if moves and settled and not (thrown and turn.darts_left):
            prompt_id = turn.prompt_id("move", asked.get("move", 0) + 1)
            text = say("prompt.ground_round_move", "Move an army pin?").text
            found.append(Prompt(prompt_id, turn.seat, text, moves, blocking=False, options_are="moves"))
        return tuple(found)

    def decide(
        self, state: GroundRoundState, prompt: Prompt, answer: str, turn: Turn, luck: Luck
    ) -> Step[GroundRoundState]:
        now = state.now
        territory, hand = now.territory, now.hands[turn.side]
        match prompt.id.partition("@")[0]:
            case "hex":
                return _land_dart(replace(state, line=()), answer, False, turn)
            case "cancel" if state.before is not None:
                back = replace(state, now=state.before, before=None, cancelled=state.cancelled + 1, line=(), loser=None)
                return Step(replace(back, granted=0), extra_darts=1 - state.granted)
            case "remove" if state.loser is not None:
                now = replace(now, territory=territory.without_pin(state.loser, answer))
                return Step(replace(state, now=now, loser=None))
            case "place":
                number = next(n for n in hand if turn.prompt_id("place", n) == prompt.id)
                now = replace(
                    now,
                    territory=territory.with_pin(turn.side, answer),
                    hands=put(now.hands, turn.side, tuple(n for n in hand if n != number)),
                    movable=(*now.movable, answer) if number <= state.returned else now.movable,
                )
                return Step(replace(state, now=now))
        pin, _, to = answer.partition(">")
        moved = territory.without_pin(turn.side, pin).with_pin(turn.side, to)
        now = replace(now, territory=moved, movable=without(now.movable, pin))
        return Step(_count_prompt(replace(state, now=now), "move"))

    def dart_counts(self, state: GroundRoundState, segment: Segment, turn: Turn, step: Step[GroundRoundState]) -> bool:
        """One on a line may count, one that takes a hexagon does, and one that earns darts or unlimited attack."""
        now = step.state.now
        earns = now.unlimited or step.extra_darts > 0
        return len(hexes(segment.id)) > 1 or earns or now.territory != state.now.territory

    def leading(self, state: GroundRoundState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return state.now.territory.leaders(sides)

    def score(self, state: GroundRoundState, side: int) -> int:
        return len(state.now.territory.held(side, "flag"))

    def view(self, state: GroundRoundState, turn: Turn, seat: int | None) -> Panel:
        now, territory = state.now, state.now.territory
        sides = range(len(state.seats))
        board = {
            "cells": territory.cells(turn.side),
            "attack": [territory.attack(side) for side in sides],
            "unlimited": now.unlimited,
            "cancels": len(territory.held(turn.side, "dart")) - state.cancelled,
            "unit": "flags",
        }
        detail = tuple({"hexagons": len(territory.held(side)), "in_hand": len(now.hands[side])} for side in sides)
        targets = territory.takeable(turn.side, now.unlimited) if turn.darts_left else ()
        board["best"] = _choose_best(territory, targets)
        return Panel("ground_round", detail, targets=targets, board=board)

    def task(self, state: GroundRoundState, turn: Turn, panel: Panel) -> Sentence:
        territory, side = state.now.territory, turn.side
        if state.now.unlimited:
            return say(
                "ground_round.unlimited",
                "This dart takes any hexagon with a symbol, whatever its shield: a flag is best, all three win",
            )
        if not panel.targets:
            return say("ground_round.none", "Nothing can be taken: your attack is too weak here")
        signs = {territory.symbols[h] for h in panel.targets}
        if "flag" in signs:
            return say("ground_round.flag", "Hit a flag to take it: all three flags win")
        attack = 1 + min((territory.defense(h, side) for h in _flags_of_others(territory, side)), default=0)
        if "fist" in signs:
            return say(
                "ground_round.fist",
                "Hit a fist: a flag needs attack {attack}, and all three flags win",
                attack=attack,
            )
        return say(
            "ground_round.take",
            "Hit what is lit to take it: a flag needs attack {attack}, and all three flags win",
            attack=attack,
        )

    def advise(self, state: GroundRoundState, turn: Turn, seat: int, skill: Skill) -> Advice:
        oldest = next(iter(self.prompts(state, turn)), None)
        answer = _choose_answer(state, oldest, turn.side) if oldest and oldest.seat == seat else None
        throws = turn.darts_left and seat == turn.seat
        return Advice(aim(state.now, turn.side, turn.darts_left, skill) if throws else None, answer)


def _choose_best(territory: Territory, targets: tuple[str, ...]) -> list[str]:
    """Those of the targets that the task names: flags, else fists; none where it names no symbol."""
    for sign in ("flag", "fist"):
        if found := [h for h in targets if territory.symbols[h] == sign]:
            return found
    return []


def _land_dart(state: GroundRoundState, hex_id: str | None, red: bool, turn: Turn) -> Step[GroundRoundState]:
    """A dart in this hexagon, or in none."""
    side, unlimited = turn.side, state.now.unlimited
    state = replace(state, now=replace(state.now, unlimited=False))
    if hex_id is None:
        return Step(state)
    taken = state.now.territory.can_take(hex_id, side, unlimited)
    if not taken and state.now.territory.owners.get(hex_id) != side:
        return Step(state)
    if taken:
        state = _capture_hexagon(state, hex_id, turn)
    now, symbol = state.now, state.now.territory.symbols[hex_id]
    granted = 0
    if symbol == "crossed_darts" and red and not now.crossed:
        granted = len(now.territory.held(side, symbol)) + 1
    now = replace(now, unlimited=symbol == "flaming_fist", crossed=now.crossed or granted > 0)
    facts: tuple[Fact, ...] = (Claimed(side=side, cell=hex_id),) if taken else ()
    won = (side,) if now.territory.holds_every_flag(side) else None
    return Step(replace(state, now=now, granted=granted), facts, extra_darts=granted, winners=won)


def _capture_hexagon(state: GroundRoundState, hex_id: str, turn: Turn) -> GroundRoundState:
    """The hexagon changes hands. A side that has left the match is not asked which of its pins comes off."""
    if state.now.territory.symbols[hex_id] == "pin":
        state = _count_prompt(state, "place")
    now, loser = state.now.captured(hex_id, turn.side, state.asked["place"])
    if loser is None:
        return replace(state, now=now)
    state = replace(state, now=now, loser=loser)
    return _count_prompt(state, "remove") if loser in turn.playing else _settle_removal(state)


def _settle_removal(state: GroundRoundState) -> GroundRoundState:
    """Takes the first pin off where one has to come off still, because its owner or the thrower has left the match."""
    loser, now = state.loser, state.now
    if loser is None:
        return state
    territory = now.territory.without_pin(loser, now.territory.where_pins_stand(loser)[0])
    return replace(state, now=replace(now, territory=territory), loser=None)


def _count_prompt(state: GroundRoundState, kind: str) -> GroundRoundState:
    """One more prompt of this kind."""
    return replace(state, asked={**state.asked, kind: state.asked.get(kind, 0) + 1})


def _choose_answer(state: GroundRoundState, prompt: Prompt, side: int) -> str | None:
    """A good answer: cancels a dart that took nothing, and keeps pins while anything can be taken."""
    options = prompt.options or ()
    match prompt.id.partition("@")[0]:
        case "hex":
            return choose_hit(state.now, side, options)
        case "place":
            return choose_place(state.now, side, options)
        case "cancel":
            idle = state.before is not None and replace(state.before, unlimited=False) == state.now
            return "cancel" if idle and not state.line else None
        case "move":
            return choose_move(state.now, side, options)
    return prompt.default


GAMES = (GroundRound(),)


_WORTH = ("flag", "fist", "flaming_fist", "crossed_darts", "pin", "dart", "tower", "blank")
"""The best first."""
_FLAG, _ARMING = 20.0, 10.0
"""The worth of a flag, and of what lets one more flag fall, where the least of the others is worth 1."""
_DART = 12.0
"""What one more dart is worth, from the red area of Crossed Darts."""


def aim(now: ThrowState, side: int, darts_left: int, skill: Skill) -> str:
    """The red area where it is likely enough, a flag, what makes flags fall, else the best symbol that can be taken."""
    territory = now.territory
    flaming = _with_symbol(territory, "flaming_fist")
    worth = {h: float(len(_WORTH) - _rank(territory, h)) for h in territory.takeable(side, now.unlimited)}
    worth.update({h: _ARMING for h in flaming if darts_left > 1 and (h in worth or territory.owners.get(h) == side)})
    loosened = min(darts_left - 1, len(_flags_short_by_one(territory, side)))
    worth.update({h: _ARMING * loosened for h in _with_symbol(territory, "fist") if loosened and h in worth})
    worth.update({h: _FLAG for h in worth if territory.symbols[h] == "flag"})
    if not now.crossed:
        crossed = [h for h in _with_symbol(territory, "crossed_darts") if h in worth or territory.owners.get(h) == side]
        held = territory.held(side, "crossed_darts")
        worth.update({f"{h}!": _DART * (1 + len({h, *held})) for h in crossed})

    def of(landed: Segment) -> float:
        return max((worth.get(h, 0.0) for h in (landed.id, *hexes(landed.id))), default=0.0)

    return skill.best(of, worth) if worth else flaming[0]


def choose_hit(now: ThrowState, side: int, candidates: tuple[str, ...]) -> str:
    """The best of the hexagons beside a line that can be taken."""
    territory = now.territory
    falls = territory.takeable(side, now.unlimited)
    return min(candidates, key=lambda h: (h not in falls, _rank(territory, h)))


def choose_place(now: ThrowState, side: int, places: tuple[str, ...]) -> str:
    """The place where an army pin hinders its own side least, and then helps most of its hexagons."""
    territory = now.territory

    def helped(place: str) -> int:
        return sum(territory.owners.get(other) == side for other in territory.near[place])

    return max(places, key=lambda h: (_count_takeable(territory.with_pin(side, h), side), helped(h)))


def choose_move(now: ThrowState, side: int, moves: tuple[str, ...]) -> str | None:
    """The move that opens most, when nothing can be taken: pins defend free hexagons even against their owner."""

    def opened(move: str) -> int:
        pin, _, to = move.partition(">")
        return _count_takeable(now.territory.without_pin(side, pin).with_pin(side, to), side)

    best = max(moves, key=opened)
    return best if not _count_takeable(now.territory, side) and opened(best) else None


def _count_takeable(territory: Territory, side: int) -> int:
    """How many hexagons the side can take with its plain attack."""
    return len(territory.takeable(side, unlimited=False))


def _rank(territory: Territory, hex_id: str) -> int:
    return _WORTH.index(territory.symbols[hex_id])


def _with_symbol(territory: Territory, symbol: str) -> list[str]:
    return [h for h, found in territory.symbols.items() if found == symbol]


def _flags_short_by_one(territory: Territory, side: int) -> list[str]:
    """The flags not held by the side that it could take if its attack were greater by one."""
    attack = territory.attack(side)
    return [h for h in _flags_of_others(territory, side) if territory.defense(h, side) == attack]


def _flags_of_others(territory: Territory, side: int) -> list[str]:
    """The flags not held by the side; there is one until the side has won."""
    return [h for h in _with_symbol(territory, "flag") if territory.owners.get(h) != side]
