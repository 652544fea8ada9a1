"""The event of the week as Home Assistant has it: the entity, what it fires, and what the page's automation sends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
import yaml

from daemon.config.week_time import DAYS
from tests.contract import HOME_ASSISTANT
from tests.daemon.evenings import DAY
from tests.daemon.evenings import Evening as Journal
from tests.home_assistant.evening import Evening, open_evening
from tests.home_assistant.home_assistant import JSON

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

NOW = datetime.now().astimezone()
ENTITY = "event.oche_bridge_oche_week"


def at(moment: datetime) -> str:
    """The line of the configuration with this time of the week."""
    return f'week_at = "{DAYS[moment.weekday()]} {moment:%H:%M}"'


MIDWEEK, NIGHT = at(NOW - timedelta(3)), at(NOW - timedelta(hours=1))
"""Times of the week: three days ago, which is too late for an event, and an hour ago, which is not."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evening(
    home_assistant_root: Path,
    mosquitto_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    unused_tcp_port_factory: Callable[[], int],
) -> AsyncIterator[Evening]:
    """An evening at a table where a match was played yesterday, and another one ten days ago."""
    folder = tmp_path_factory.mktemp("evening")
    with Journal(folder / "state") as journal:
        for days in (1, 10):
            day = (NOW.astimezone(UTC) - DAY) / timedelta(1) - days
            journal.play("T20 S1 D20", day=day, options={"start": 101})
    async with open_evening(
        home_assistant_root, mosquitto_path, folder, unused_tcp_port_factory, bridge=MIDWEEK
    ) as found:
        yield found


def value(evening: Evening) -> str | None:
    """The state of the entity: when it fired last. None: there is no such entity."""
    found: str | None = evening.ha.states.get(ENTITY, {"state": None})["state"]
    return found


async def test_it_is_found_and_fires_nothing_before_its_time(evening: Evening) -> None:
    await evening.ha.until(lambda: value(evening) == "unknown")
    assert evening.ha.states[ENTITY]["attributes"]["event_types"] == ["week"]


async def test_it_fires_once_and_the_automation_of_the_page_sends_it(evening: Evening) -> None:
    part = HOME_ASSISTANT.read_text(encoding="utf-8").partition("\n## The week\n")[2]
    automation = yaml.safe_load(part.partition("```yaml\n")[2].partition("```")[0])
    *before, notify = automation["actions"]
    automation["actions"] = [*before, {"event": "sent", "event_data": notify["data"]}]  # there is no phone here
    sent: list[JSON] = []
    await evening.ha.listen(lambda event: sent.append(event["data"]), "subscribe_events", event_type="sent")
    await evening.ha.post("/api/config/automation/config/week", {"alias": "Week", **automation})
    await evening.ha.until(lambda: "automation.week" in evening.ha.states)

    await evening.configure_again(MIDWEEK, NIGHT)
    await evening.ha.until(lambda: bool(sent))
    fired = evening.ha.states[ENTITY]
    assert (fired["attributes"]["event_type"], fired["attributes"]["matches"]) == ("week", 1)
    assert [player["name"] for player in fired["attributes"]["players"]] == ["Ann", "Bo"]

    await evening.kill_daemon()
    await evening.ha.until(lambda: value(evening) == "unavailable")
    await evening.start_daemon()
    await evening.ha.until(lambda: value(evening) == fired["state"])
    await evening.ha.restart()
    await evening.ha.until(lambda: value(evening) == fired["state"])
    message = "Ann, Bo threw 3 darts. Best finish: 101, Ann."
    assert sent == [{"title": "Darts: 1 matches this week", "message": message}]


async def test_it_is_gone_once_it_is_switched_off(evening: Evening) -> None:
    await evening.configure_again(NIGHT, 'week_at = ""')
    await evening.ha.until(lambda: value(evening) is None)
    assert ENTITY not in (await evening.ha.registered()).values()


async def test_home_assistant_complains_of_nothing(evening: Evening) -> None:
    assert evening.ha.log == []
