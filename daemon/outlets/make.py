"""The outlets put together: which parts there are for a configuration, each loaded only where it is asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.config.outlets import Feed, Outlets
from daemon.config.outlets import Loudspeaker as LoudspeakerConfig
from daemon.config.sections import Language
from daemon.mqtt.outbox import Outbox
from daemon.outlets.dispatcher import Action, Dispatcher
from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.extras import suggest_extra
from protocol.profile import Profile

if TYPE_CHECKING:
    from daemon.outlets.loudspeaker import Loudspeaker

log = logging.getLogger("oche.outlets")


def make_outlets(
    config: Outlets,
    tables: Mapping[str, Table],
    folder: Path,
    troubles: dict[str, str],
    publish: Callable[[str, object], bool],
    language: Language,
    outbox: Outbox | None,
    play: Callable[[str, str], None] | None,
) -> dict[str, Part]:
    """Returns the parts by their names in the log. They keep what fails in `troubles`, by the name of what fails.

    What must outlive a kill is in `folder`. `publish` sends a value to a topic, and returns whether it could. What is
    said is in this `language`, and goes into the outbox of the broker, if there is one. `play` has the screens of a
    table play a sound; None: there is no page.
    """
    parts: dict[str, Part] = {}
    actions: list[Action] = []
    followers: list[Callable[[Update], None]] = []
    if config.webhook:
        from daemon.outlets.webhooks import Webhooks  # noqa: PLC0415

        titles = {name: table.title for name, table in tables.items()}
        parts["the web hooks"] = webhooks = Webhooks(config.webhook, titles, troubles)
        actions.append(webhooks)
    if play is not None and any(rule.then.sound is not None for rule in config.rule):
        from daemon.outlets.sounds import RuleSounds  # noqa: PLC0415

        actions.append(RuleSounds(play))
    if config.light:
        from daemon.outlets.lights import Lights  # noqa: PLC0415

        cameras = [name for name, table in tables.items() if _has_cameras(table.codebook.profile)]
        parts["the lights"] = lights = Lights(config, folder, troubles, publish, cameras)
        actions.append(lights)
        followers.append(lights.follow)
    if config.loudspeaker.on and (
        loudspeaker := _make_loudspeaker(config.loudspeaker, tables, folder, troubles, language)
    ):
        parts["the loudspeaker"] = loudspeaker
        actions.append(loudspeaker)
        followers.append(loudspeaker.follow)
    if config.rule or followers:
        layouts = {name: table.codebook.layout for name, table in tables.items()}
        parts["the rules of the outlets"] = Dispatcher(config.rule, layouts, actions, followers)
    if config.feed.port is not None:
        parts |= _make_feed(config.feed, tables, troubles)
    if config.spoken != "off" and outbox is not None:
        from daemon.outlets.spoken import SpokenTopic  # noqa: PLC0415

        mode = "calls" if config.spoken == "calls" else config.spoken_detail
        parts["what is said aloud"] = SpokenTopic(tables, outbox, language, mode, config.spoken_pace)
    return parts


def _make_feed(config: Feed, tables: Mapping[str, Table], troubles: dict[str, str]) -> dict[str, Part]:
    """Returns the feed; nothing where its libraries or its table are not there, which costs no table anything."""
    table = _find_table(config.table, tables)
    if find_spec("socketio") is None or find_spec("uvicorn") is None:
        trouble = (
            "the feed needs python-socketio and uvicorn, which are not installed: "
            f"{suggest_extra('feed', __file__)}, or remove outlets.feed.port"
        )
    elif table is None:
        trouble = f"the feed has no table: {config.table} cannot be used"
    else:
        from daemon.outlets.feed import FeedServer  # noqa: PLC0415

        return {"the feed": FeedServer(config, table, troubles)}
    troubles["feed"] = trouble
    log.error("%s", trouble)
    return {}


def _make_loudspeaker(
    config: LoudspeakerConfig, tables: Mapping[str, Table], folder: Path, troubles: dict[str, str], language: Language
) -> Loudspeaker | None:
    """Returns the loudspeaker; None where its table is not there."""
    from daemon.outlets.loudspeaker import Loudspeaker  # noqa: PLC0415
    from daemon.outlets.player import play_file  # noqa: PLC0415

    if (table := _find_table(config.table, tables)) is None:
        troubles["loudspeaker"] = trouble = f"the loudspeaker has no table: {config.table} cannot be used"
        log.error("%s", trouble)
        return None
    play = partial(play_file, wanted=config.player)
    return Loudspeaker(config, table.name, folder, language, play, troubles)


def _has_cameras(profile: Profile) -> bool:
    """Whether boards of this kind look at the darts, so that light on them can look like a hand."""
    return profile.link == "web" or profile.framing.kind == "camera"


def _find_table(name: str | None, tables: Mapping[str, Table]) -> Table | None:
    """Returns the table of this name, without one the first; None where it cannot be used."""
    return next(iter(tables.values()), None) if name is None else tables.get(name)
