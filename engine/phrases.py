"""How options that differ from usual are told beside the title: "double in", "12 rounds".

A phrase is the key of a sentence and its English template, as for `say`. It stands under the name of its option and the
value, as a record writes it (`null`, `true`, `12`, `equal_turns`); `*` is any other value, told in the place {count} if
it is a number, and {given} if it is a text. Three phrases have to fit beside a title in every language: none has more
than 17 characters. A game of a third party has its own as `phrases`; without one its option is told by its name.
"""

from __future__ import annotations

from collections.abc import Mapping

from protocol.sentence import Sentence, Value, list_places, say

Phrase = tuple[str, str]
Phrases = Mapping[str, Mapping[str, Phrase]]
MOST_LETTERS = 17
_ROUNDS: Mapping[str, Phrase] = {
    "null": ("variant.endless", "no round limit"),
    "1": ("variant.one_round", "1 round"),
    "*": ("variant.rounds", "{count} rounds"),
}

PHRASES: Phrases = {
    "scoring": {
        "standard": ("variant.standard", "usual scoring"),
        "cut_throat": ("variant.cut_throat", "cut-throat"),
        "no_score": ("variant.no_score", "no score"),
        "classic": ("variant.classic", "last dart counts"),
        "maker": ("variant.maker", "maker scoring"),
        "hole_out": ("variant.hole_out", "hole out"),
    },
    "in": {
        "straight": ("variant.straight_in", "straight in"),
        "double": ("variant.double_in", "double in"),
        "master": ("variant.master_in", "master in"),
    },
    "out": {
        "straight": ("variant.straight_out", "straight out"),
        "double": ("variant.double_out", "double out"),
        "master": ("variant.master_out", "master out"),
    },
    "bull": {
        "50/50": ("variant.fat_bull", "fat bull"),
        "25/50": ("variant.split_bull", "split bull"),
        "any": ("variant.bull_last", "bull at the end"),
        "true": ("variant.bull_last", "bull at the end"),
        "inner": ("variant.inner_bull", "inner bull only"),
    },
    "freeze": {
        "off": ("variant.no_freeze", "no freeze"),
        "lose": ("variant.freeze_loses", "freeze loses"),
        "bust": ("variant.freeze_bust", "freeze is bust"),
    },
    "finish": {
        "first": ("variant.first_out", "first out wins"),
        "equal_turns": ("variant.equal_turns", "equal turns"),
        "share": ("variant.finish_shared", "shared finish"),
    },
    "numbers": {
        "standard": ("variant.fixed_numbers", "fixed numbers"),
        "random": ("variant.random_numbers", "random numbers"),
        "hidden": ("variant.hidden_numbers", "hidden numbers"),
        "wild_card": ("variant.wild_numbers", "wild numbers"),
        "crazy": ("variant.crazy_numbers", "crazy numbers"),
        "drawn": ("variant.drawn_numbers", "drawn numbers"),
        "thrown": ("variant.thrown_numbers", "thrown numbers"),
        "classic": ("variant.classic_numbers", "as on the board"),
        "scores": ("variant.scores", "cells are scores"),
        "*": ("variant.numbers", "on {given}"),
    },
    "order": {
        "free": ("variant.free_order", "any order"),
        "down": ("variant.downwards", "downwards"),
        "up": ("variant.upwards", "upwards"),
        "upwards": ("variant.upwards", "upwards"),
        "clockwise": ("variant.clockwise", "clockwise"),
        "random": ("variant.random_order", "random order"),
        "round": ("variant.by_round", "order by round"),
        "total": ("variant.by_total", "order by total"),
    },
    "mark": {
        "last": ("variant.beat_last", "beat the last"),
        "best": ("variant.beat_best", "beat the best"),
        "own": ("variant.beat_own", "beat your own"),
    },
    "sequence": {
        "machine": ("variant.machine", "machine targets"),
        "bar": ("variant.bar", "bar targets"),
        "pub": ("variant.pub", "pub targets"),
        "*": ("variant.sequence", "targets {given}"),
    },
    "team_close": {
        "shared": ("variant.close_shared", "shared marks"),
        "both": ("variant.close_both", "both must close"),
        "one": ("variant.close_one", "one may close"),
    },
    "mode": {
        "null": ("variant.usual_mode", "usual mode"),
        "rapid": ("variant.rapid", "rapid"),
        "dealt": ("variant.dealt", "dealt cards"),
    },
    "ring": {
        "any": ("variant.any_ring", "any ring"),
        "single": ("variant.singles", "singles only"),
        "inner": ("variant.inner_singles", "inner singles"),
        "double": ("variant.doubles", "doubles only"),
        "triple": ("variant.triples", "triples only"),
    },
    "masters": {"true": ("variant.triples", "triples only")},
    "tie_loses": {
        "true": ("variant.level_loses", "level loses"),
        "false": ("variant.level_safe", "level is safe"),
    },
    "start": {"*": ("variant.start", "from {count}")},
    "field": {"*": ("variant.start", "from {count}")},
    "target": {
        "null": ("variant.no_target", "no target"),
        "*": ("variant.target", "target {count}"),
    },
    "lowest": {"*": ("variant.lowest", "lowest {count}")},
    "highest": {"*": ("variant.highest", "highest {count}")},
    "marks": {"1": ("variant.one_mark", "1 mark"), "*": ("variant.marks", "{count} marks")},
    "lives": {"1": ("variant.one_life", "1 life"), "*": ("variant.lives", "{count} lives")},
    "goals": {"1": ("variant.one_goal", "1 goal"), "*": ("variant.goals", "{count} goals")},
    "innings": {"1": ("variant.one_inning", "1 inning"), "*": ("variant.innings", "{count} innings")},
    "holes": {"1": ("variant.one_hole", "1 hole"), "*": ("variant.holes", "{count} holes")},
    "wickets": {"1": ("variant.one_wicket", "1 wicket"), "*": ("variant.wickets", "{count} wickets")},
    "heads": {"1": ("variant.one_head", "1 head"), "*": ("variant.heads", "{count} heads")},
    "decoys": {
        "0": ("variant.no_decoys", "no decoys"),
        "1": ("variant.one_decoy", "1 decoy"),
        "*": ("variant.decoys", "{count} decoys"),
    },
    "hits": {"1": ("variant.one_hit", "1 hit each"), "*": ("variant.hits", "{count} hits each")},
    "until": {"darts": ("variant.until_darts", "fixed darts"), "hits": ("variant.until_hits", "hits counted")},
    "count": {"*": ("variant.in_all", "{count} in all")},
    "spread": {"null": ("variant.any_lead", "no lead limit"), "*": ("variant.spread", "lead up to {count}")},
    "rounds": _ROUNDS,
    "max_rounds": _ROUNDS,
    "turns": {"1": ("variant.one_visit", "1 visit"), "*": ("variant.visits", "{count} visits")},
    "darts": {"1": ("variant.one_dart_each", "1 dart each"), "*": ("variant.darts_each", "{count} darts each")},
    "limit": {"*": ("variant.hole_darts", "{count} darts a hole")},
    "visit": {
        "break": ("variant.whole_break", "whole breaks"),
        "three": ("variant.three_darts", "three darts"),
    },
    "starts": {"*": ("variant.handicap", "handicap")},
    "fields": {"*": ("variant.own_fields", "own fields")},
    "draw": {"true": ("variant.drawn_fields", "drawn fields")},
    "targets": {"*": ("variant.own_targets", "own targets")},
    "contracts": {"*": ("variant.own_order", "own order")},
    "shared": {
        "true": ("variant.shared_score", "shared score"),
        "false": ("variant.own_scores", "own scores"),
    },
    "places": {"true": ("variant.places", "for places"), "false": ("variant.no_places", "no places")},
    "multiples": {"slop": ("variant.all_rings", "any double counts"), "strict": ("variant.in_play", "in play only")},
    "rings": {
        "both": ("variant.both_rows", "both ring rows"),
        "double": ("variant.double_row", "row of doubles"),
        "triple": ("variant.triple_row", "row of triples"),
        "none": ("variant.no_rows", "no ring rows"),
    },
    "beds": {"three": ("variant.three_beds", "three beds close"), "one": ("variant.one_bed", "one bed closes")},
    "bull_marks": {
        "one": ("variant.bull_one", "bull is one mark"),
        "split": ("variant.bull_split", "inner bull is two"),
    },
    "lock": {"closed": ("variant.lock_closed", "locks when closed")},
    "fail": {
        "start": ("variant.fail_start", "fail: start over"),
        "one_down": ("variant.fail_down", "fail: one down"),
        "stay": ("variant.fail_stay", "fail: same again"),
    },
    "top": {"stays": ("variant.top_stays", "stays at the top")},
    "ace": {"*": ("variant.ace", "ace is {count}")},
    "double_up": {"false": ("variant.no_double_up", "no double up")},
    "wild": {"true": ("variant.jokers", "with jokers"), "false": ("variant.no_jokers", "no jokers")},
    "chain_resets": {"true": ("variant.chain", "new pile a round")},
    "straight": {"thrown": ("variant.straight_thrown", "straights thrown")},
    "star_in_chance": {"true": ("variant.star", "star in Chance")},
    "rethrows": {
        "null": ("variant.usual_rethrows", "usual rethrows"),
        "0": ("variant.no_rethrows", "no rethrows"),
        "1": ("variant.one_rethrow", "1 rethrow"),
        "*": ("variant.rethrows", "{count} rethrows"),
    },
    "foul": {"visit": ("variant.foul_visit", "foul costs all")},
    "free_hexes_undefended": {"true": ("variant.undefended", "no free defence")},
    "pin_on_free": {"enemies": ("variant.pin_enemies", "pins hit enemies")},
    "tower_reach": {"territory": ("variant.far_towers", "far towers")},
    "cancel_misses": {"false": ("variant.misses_stay", "misses stay")},
    "first": {"batter": ("variant.batter_first", "batter first"), "bowler": ("variant.bowler_first", "bowler first")},
    "above": {"*": ("variant.above", "runs above {count}")},
    "strays": {"true": ("variant.strays", "strays count")},
    "off_board": {"*": ("variant.off_board", "off board: {count}")},
    "ordered": {"true": ("variant.ordered", "in order")},
    "miss": {"*": ("variant.miss", "a miss costs {count}")},
    "shanghai": {
        "wins": ("variant.shanghai_wins", "Shanghai wins"),
        "bonus": ("variant.shanghai_bonus", "Shanghai bonus"),
        "off": ("variant.no_shanghai", "no Shanghai"),
    },
    "one_number_shanghai": {"false": ("variant.no_shanghai", "no Shanghai")},
    "bonus": {"*": ("variant.bonus", "bonus {count}")},
    "skip": {"true": ("variant.skip", "rings skip ahead")},
    "points": {"value": ("variant.value", "points on board"), "marks": ("variant.marks_count", "marks count")},
    "extra_innings": {
        "0": ("variant.no_extra", "no extra innings"),
        "1": ("variant.one_extra", "1 extra inning"),
        "*": ("variant.extra", "{count} extra innings"),
    },
    "extra": {"next": ("variant.extra_next", "extras go on up")},
    "playoff": {"*": ("variant.playoff", "{count}-hole play-off")},
    "multi": {"one": ("variant.one_life_hit", "one life a hit")},
    "self_hit": {
        "life": ("variant.self_life", "own hit costs"),
        "lose_killer": ("variant.self_disarms", "own hit disarms"),
        "off": ("variant.self_free", "own hit is free"),
    },
    "third": {"stays": ("variant.third_stays", "third: it stays"), "drawn": ("variant.third_drawn", "third: drawn")},
    "overage": {"subtract": ("variant.subtract", "too much goes off")},
    "strike": {"dart": ("variant.by_dart", "gotcha by dart"), "visit": ("variant.by_visit", "gotcha by visit")},
    "must_score": {"every": ("variant.every_dart", "every dart scores")},
    "end": {"exact": ("variant.exact_end", "end exactly")},
    "full": {"again": ("variant.again", "full: play again")},
    "dead": {"draw": ("variant.dead_draw", "dead is a draw")},
    "fences": {"false": ("variant.no_fences", "no fences")},
    "sits_out": {"false": ("variant.no_sitting", "no sitting out")},
    "way": {"doubles": ("variant.doubles", "doubles only"), "any": ("variant.any_ring", "any ring")},
    "hare": {"*": ("variant.hare", "hare from {count}")},
    "nominate": {"true": ("variant.nominate", "name the colour")},
    "fouls": {"true": ("variant.fouls", "with fouls")},
    "allow_negative": {"true": ("variant.negative", "goes below zero")},
    "bull_bonus": {"false": ("variant.no_bull_bonus", "no bull bonus")},
    "cerberus_must_fall": {"false": ("variant.cerberus", "Cerberus may stay")},
    "auto_wild": {"true": ("variant.auto_wild", "auto wild")},
    "three_bulls": {"false": ("variant.no_bull_bed", "bulls make no bed")},
    "bull_is_double": {
        "true": ("variant.bull_double", "bull is a double"),
        "false": ("variant.bull_no_double", "bull is no double"),
    },
    "bull_round": {"25": ("variant.bull_25", "bull round: 25")},
    "round_up": {"true": ("variant.round_up", "rounds up"), "false": ("variant.round_down", "rounds down")},
    "reopen_after_bust": {"false": ("variant.stays_open", "bust stays open")},
    "split_11": {"true": ("variant.split_11", "split the 11")},
    "tie": {
        "share": ("variant.tie_share", "ties are shared"),
        "one_more_round": ("variant.one_more", "one more round"),
        "deciding_visit": ("variant.deciding", "deciding visit"),
        "highest_visit": ("variant.highest_visit", "highest visit"),
        "all": ("variant.all_again", "all throw again"),
        "one_dart": ("variant.one_dart", "one-dart rounds"),
        "hits": ("variant.most_hits", "most hits win"),
        "again": ("variant.numbers_again", "all numbers again"),
    },
}
"""Those of the options that ship, the ones that change most for a player first."""
_SEVERAL = {
    2: ("variant.two", "{first} · {second}"),
    3: ("variant.three", "{first} · {second} · {third}"),
}
_MORE = ("variant.more", "{first} · {second} · {third} …")
_PLACES = ("first", "second", "third")


def tell_options(differing: Mapping[str, object], own: Phrases) -> Sentence | None:
    """A sentence of up to three of these options, the game's `own` phrases first; None where there are none."""
    known = (*own, *(name for name in PHRASES if name not in own))
    ordered = sorted(differing, key=lambda name: known.index(name) if name in known else len(known))
    parts = [_tell_option(name, differing[name], own) for name in ordered]
    if len(parts) < 2:
        return parts[0] if parts else None
    key, template = _SEVERAL.get(len(parts), _MORE)
    return say(key, template, **dict(zip(_PLACES, parts, strict=False)))


def _tell_option(name: str, value: object, own: Phrases) -> Sentence:
    phrases, written = own.get(name) or PHRASES.get(name, {}), _write(value)
    if phrase := phrases.get(written) or phrases.get("*"):
        key, template = phrase
        values: dict[str, Value] = {"given": written}
        if isinstance(value, int) and not isinstance(value, bool):
            values = {"count": value}
        needed = list_places(template)
        if values.keys() >= needed:  # not where a game of a third party has texts where ours have numbers
            return say(key, template, **{place: each for place, each in values.items() if place in needed})
    option = name.replace("_", " ")
    if value is None or written == "false":
        return say("variant.without", "no {given}", given=option)
    if written == "true" or not isinstance(value, int | float | str):
        return say("variant.with", "{given}", given=option)
    return say("variant.option", "{name} {given}", name=option, given=written.replace("_", " "))


def _write(value: object) -> str:
    """The value as a key of the phrases; a list or an object as nothing that is one."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float | str) else ""
