"""Ground Round: nineteen hexagons with symbols, to be captured and defended; whoever holds all three flags wins."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from engine.facts import Claimed, Fact
from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn
from engine.games.ground_round_advice import aim, best_hit, best_move, best_place
from engine.games.territory import Options, Stand, Territory, without
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.ground_round import hexes, neighbours, symbols
from protocol.segment import Layout, Segment


class State(Struct, frozen=True):
    """Where the game stands, and what happened in this visit."""

    options: Options
    seats: tuple[int, ...]
    """Who answers for each side."""
    now: Stand
    before: Stand | None = None
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


class GroundRound(Game[Options, State]):
    """Territory on nineteen hexagons: take them, arm them, keep them.

    Nineteen hexagons, most with a symbol. Two or three players throw three darts a turn (option `darts`: 1 to 9)
    and capture hexagons, free ones and those of others. Whoever holds all three Flags wins at once.

    Capture: a dart captures the hexagon it hits when its attack is greater than the hexagon's defense. The attack of a
    dart is 1, the defense of a hexagon 0; symbols and army pins change both. A hexagon without a symbol cannot be
    captured. A free hexagon has its defense too, so a free Flag needs an attack of 2; with `free_hexes_undefended` the
    first hit takes any free hexagon. A dart on a line: the thrower says which of the two or three hexagons it hit.

    Flag: its own defense is 1.
    Fist: each one held adds 1 to the attack of its holder's darts.
    Flaming Fist: after it is captured, or hit by its holder, the very next dart of the same turn has unlimited attack:
    it takes any hexagon with a symbol. A miss uses it up.
    Tower: adds 1 to the defense of every hexagon of its holder beside it; with `tower_reach` territory of every one
    connected to it over the holder's hexagons. A Tower that somebody holds falls to unlimited attack only.
    Crossed Darts: when it is captured by a dart in its red area, or its holder hits that area, the thrower gets one
    more dart than the Crossed Darts then held. Only once a turn.
    Dart: each one held lets its holder cancel one dart a turn: the latest one, before the next is thrown, and only if
    the Dart was held before it. Everything is again as it was before that dart (hexagons, army pins, darts), and it is
    thrown again. A miss can be cancelled too, unless `cancel_misses` is off.
    Pin: each one held gives its holder an army pin.

    Army pins: a new pin is placed on any hexagon of its owner, at the latest when the last dart is thrown. It adds 1 to
    the defense of that hexagon, of its owner's hexagons beside it and of free ones beside it (with `pin_on_free`
    enemies only against the others), and takes 1 from the defense of enemy hexagons beside it. Pins add up, several on
    one hexagon too. Each pin may be moved to another own hexagon once a turn, before the first dart or after the last
    one, but not in the turn in which it was gained. A pin on a hexagon that is captured returns to its owner's hand
    and is placed again in the owner's next turn. Whoever loses a Pin loses an army pin: one in the hand, else one that
    stands, which the loser chooses.

    With `max_rounds` the game ends after so many rounds: the most Flags win, then the most hexagons, else it is shared.

    Source: Ground Round rules D0.01, a design published at bgdf.com; where it is silent, the readings above.
    """

    id = "ground_round"
    options_type = Options
    layouts = ("ground_round",)
    sides = range(2, 4)

    def title(self, options: Options) -> str:
        return "Ground Round"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        nothing: tuple[tuple[str, ...], ...] = ((),) * len(seating.sides)
        signs = symbols(layout)
        territory = Territory(options, signs, {h: neighbours(layout, h) for h in signs}, nothing)
        return State(options, tuple(side.seats[0] for side in seating.sides), Stand(territory, ((),) * len(nothing)))

    def darts(self, state: State, turn: Turn) -> int:
        return state.options.darts

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        territory, hands = state.now.territory, state.now.hands
        returned = len(hands[turn.side])
        now = Stand(territory, put(hands, turn.side, tuple(range(1, returned + 1))), movable=territory.pins[turn.side])
        state = State(state.options, state.seats, now, returned=returned, asked={"place": returned})
        ended = state.options.max_rounds is not None and turn.round > state.options.max_rounds
        return Step(state, winners=territory.leaders(turn.playing) if ended else None)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        hit = hexes(segment.id)
        tries = len(state.now.territory.held(turn.side, "dart")) - state.cancelled
        may_cancel = tries > 0 and (bool(hit) or state.options.cancel_misses)
        state = replace(state, before=state.now if may_cancel else None, granted=0)
        if may_cancel:
            state = _count(state, "cancel")
        if len(hit) > 1:
            return Step(_count(replace(state, line=hit), "hex"))
        return _land(state, hit[0] if hit else None, "red" in segment.groups, turn)

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """Whoever throws last may cancel like anybody else: while that is open, the end waits for the next visit."""
        last = state.options.max_rounds is not None and turn.round >= state.options.max_rounds
        if not last or (state.before is not None and turn.side in turn.playing):
            return Step(state)
        return Step(state, winners=state.now.territory.leaders(turn.playing))

    def prompts(self, state: State, turn: Turn) -> tuple[Prompt, ...]:
        now, asked = state.now, state.asked
        found: list[Prompt] = []
        held = now.territory.held(turn.side)
        for number in now.hands[turn.side]:
            prompt_id, blocking = turn.prompt_id("place", number), not turn.darts_left
            text = "Where does the army pin go?"
            found += [Prompt(prompt_id, turn.seat, text, options=held, default=held[0], blocking=blocking)]
        if state.line:
            prompt_id = turn.prompt_id("hex", asked["hex"])
            found.append(Prompt(prompt_id, turn.seat, "Which hexagon?", options=state.line, default=state.line[0]))
        if state.loser is not None:
            pins, seat = now.territory.where_pins_stand(state.loser), state.seats[state.loser]
            prompt_id = turn.prompt_id("remove", asked["remove"])
            found.append(Prompt(prompt_id, seat, "Which army pin comes off?", options=pins, default=pins[0]))
        settled = turn.darts_left or not found
        if state.before is not None:
            prompt_id = turn.prompt_id("cancel", asked["cancel"])
            found.append(Prompt(prompt_id, turn.seat, "Cancel the dart?", options=("cancel",), blocking=False))
        moves = tuple(f"{pin}>{h}" for pin in now.territory.symbols if pin in now.movable for h in held if h != pin)
        if moves and settled and not (turn.darts and turn.darts_left):
            prompt_id = turn.prompt_id("move", asked.get("move", 0) + 1)
            found.append(Prompt(prompt_id, turn.seat, "Move an army pin?", options=moves, blocking=False))
        return tuple(found)

    def decide(self, state: State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[State]:
        now = state.now
        territory, hand = now.territory, now.hands[turn.side]
        match prompt.id.partition("@")[0]:
            case "hex":
                return _land(replace(state, line=()), answer, False, turn)
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
        return Step(_count(replace(state, now=now), "move"))

    def score(self, state: State, side: int) -> int:
        return len(state.now.territory.held(side, "flag"))

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        now, territory = state.now, state.now.territory
        sides = range(len(state.seats))
        board = {
            "cells": territory.cells(turn.side),
            "attack": [territory.attack(side) for side in sides],
            "unlimited": now.unlimited,
            "cancels": len(territory.held(turn.side, "dart")) - state.cancelled,
        }
        detail = tuple({"hexagons": len(territory.held(side)), "in_hand": len(now.hands[side])} for side in sides)
        targets = territory.takeable(turn.side, now.unlimited) if turn.darts_left else ()
        return Panel("ground_round", detail, targets=targets, board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        oldest = next(iter(self.prompts(state, turn)), None)
        answer = _answer(state, oldest, turn.side) if oldest and oldest.seat == seat else None
        throws = turn.darts_left and seat == turn.seat
        return Advice(aim(state.now, turn.side, turn.darts_left, skill) if throws else None, answer)


def _land(state: State, hex_id: str | None, red: bool, turn: Turn) -> Step[State]:
    """A dart in this hexagon, or in none."""
    side, unlimited = turn.side, state.now.unlimited
    state = replace(state, now=replace(state.now, unlimited=False))
    if hex_id is None:
        return Step(state)
    taken = state.now.territory.can_take(hex_id, side, unlimited)
    if not taken and state.now.territory.owners.get(hex_id) != side:
        return Step(state)
    if taken:
        state = _capture(state, hex_id, turn)
    now, symbol = state.now, state.now.territory.symbols[hex_id]
    granted = 0
    if symbol == "crossed_darts" and red and not now.crossed:
        granted = len(now.territory.held(side, symbol)) + 1
    now = replace(now, unlimited=symbol == "flaming_fist", crossed=now.crossed or granted > 0)
    facts: tuple[Fact, ...] = (Claimed(side=side, cell=hex_id),) if taken else ()
    won = (side,) if now.territory.holds_every_flag(side) else None
    return Step(replace(state, now=now, granted=granted), facts, extra_darts=granted, winners=won)


def _capture(state: State, hex_id: str, turn: Turn) -> State:
    """The hexagon changes hands. Nobody asks a side that has left the match which of its pins comes off."""
    if state.now.territory.symbols[hex_id] == "pin":
        state = _count(state, "place")
    now, loser = state.now.captured(hex_id, turn.side, state.asked["place"])
    if loser is None:
        return replace(state, now=now)
    if loser in turn.playing:
        return _count(replace(state, now=now, loser=loser), "remove")
    territory = now.territory.without_pin(loser, now.territory.where_pins_stand(loser)[0])
    return replace(state, now=replace(now, territory=territory))


def _count(state: State, kind: str) -> State:
    """One more prompt of this kind."""
    return replace(state, asked={**state.asked, kind: state.asked.get(kind, 0) + 1})


def _answer(state: State, prompt: Prompt, side: int) -> str | None:
    """A good answer; a dart that brought nothing is cancelled, and pins stay where they are while anything falls."""
    options = prompt.options or ()
    match prompt.id.partition("@")[0]:
        case "hex":
            return best_hit(state.now, side, options)
        case "place":
            return best_place(state.now, side, options)
        case "cancel":
            idle = state.before is not None and replace(state.before, unlimited=False) == state.now
            return "cancel" if idle and not state.line else None
        case "move":
            return best_move(state.now, side, options)
    return prompt.default


GAMES = (GroundRound(),)
