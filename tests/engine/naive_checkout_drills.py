"""The checkout drills scored a second time, naively, from their rule sheets; nothing here knows the engine."""

from __future__ import annotations

from tests.engine.naive import face


class Player:
    """Somebody at a drill: which number, what is left of it, how many darts of it are gone, and the points."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.place = 0
        self.left = numbers[0]
        self.gone = 0
        self.points = 0
        self.tries = [0, 0]

    @property
    def through(self) -> bool:
        return self.place == len(self.numbers)


class NaiveDrill:
    """A whole leg. `game` is what it is called; the numbers of all players are the same."""

    def __init__(self, game: str, numbers: list[int], people: int, **options: object) -> None:
        self.game, self.options = game, {"out": "double", "bull": "25/50", **options}
        self.darts = {"catch_40": 6, "random_checkout": options.get("darts", 3)}.get(game, 9)
        self.players = [Player(numbers) for _ in range(people)]
        self.side, self.round = 0, 1
        self.winners: list[int] | None = None

    def visit(self, darts: list[str]) -> int:
        """A visit, misses added where less than three were thrown; how many of these darts were taken."""
        player = self.players[self.side]
        if player.gone == 0:
            player.left = player.numbers[player.place]
        start, taken, is_out = player.left, 0, False
        for dart in (darts + ["MISS"] * 3)[:3]:
            number, ring = face(dart)
            points = number * ring
            if number == 25 and self.options["bull"] == "50/50":
                points, ring = 50, 2
            taken += 1
            player.left -= points
            legal = {"double": ring == 2, "master": ring >= 2, "straight": ring >= 1}[str(self.options["out"])]
            if player.left == 0 and legal:
                is_out = True
                break
            if player.left < (1 if self.options["out"] == "straight" else 2):
                player.left = start
                break
        self._judge(player, taken, is_out)
        self._after()
        return taken

    def _judge(self, player: Player, taken: int, is_out: bool) -> None:
        number = player.numbers[player.place]
        if is_out:
            player.tries[0] += 1
            player.tries[1] += 1
            needed = player.gone + taken
            if self.game == "checkout_121":
                player.points = max(player.points, number)
            elif self.game == "catch_40":
                three = needed == 2 or (needed == 3 and number == 99)
                player.points += 3 if three else 2 if needed == 3 else 1
            else:
                player.points += 1
            player.place += 1
            player.gone = 0
            return
        player.gone += 3
        if player.gone == self.darts:
            player.tries[1] += 1
            player.gone = 0
            fail = self.options.get("fail")
            if self.game != "checkout_121":
                player.place += 1
            elif fail == "start":
                player.place = 0
            elif fail == "one_down" and player.place > 0:
                player.place -= 1

    def _after(self) -> None:
        """The next who has numbers left; at the end of the round perhaps the end."""
        later = [n for n in range(self.side + 1, len(self.players)) if not self.players[n].through]
        if later:
            self.side = later[0]
            return
        through = [player.through for player in self.players]
        turns = self.options.get("turns")
        if all(through) or self.round == turns or (self.game == "checkout_121" and any(through)):
            best = max(player.points for player in self.players)
            self.winners = [n for n, player in enumerate(self.players) if player.points == best]
            return
        self.round += 1
        self.side = next(n for n, player in enumerate(self.players) if not player.through)
