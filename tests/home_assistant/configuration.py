"""What a Home Assistant of a test is told beforehand: what its owner would click.

The broker's address, that the first steps are done, and the things that blueprints act on.
"""

from __future__ import annotations

import json
from pathlib import Path

_CONFIGURATION = """
homeassistant:
  name: Home
frontend:
config:
automation: !include automations.yaml
script: !include scripts.yaml
input_boolean:
  effect: {}
  tablet: {}
lovelace:
  dashboards:
    darts-board:
      mode: yaml
      filename: dashboard.yaml
      title: Darts
template:
  - light:
      - name: Lamp
        unique_id: lamp
        turn_on: []
        turn_off: []
        set_level: []
        set_rgb: []
logger:
  default: warning
"""


def prepare(folder: Path, port: int, broker_port: int, more: str) -> None:
    """Writes it: the page at this port, the broker at that, `more` lines for configuration.yaml."""
    storage = folder / ".storage"
    storage.mkdir(parents=True)
    (folder / "configuration.yaml").write_text(_CONFIGURATION + more, encoding="utf-8")
    for name in ("automations", "scripts"):
        (folder / f"{name}.yaml").write_text("", encoding="utf-8")
    entry = {
        "entry_id": "mqtt",
        "version": 1,
        "minor_version": 1,
        "domain": "mqtt",
        "title": "MQTT",
        "data": {"broker": "127.0.0.1", "port": broker_port},
        "options": {},
        "source": "user",
        "unique_id": None,
        "disabled_by": None,
        "pref_disable_new_entities": False,
        "pref_disable_polling": False,
    }
    server = {
        "server_host": ["127.0.0.1"],
        "server_port": port,
        "cors_allowed_origins": [],
        "login_attempts_threshold": -1,
        "ip_ban_enabled": False,
        "ssl_profile": "modern_v6",
        "use_x_frame_options": True,
    }
    http = {"stable": server, "pending": None, "yaml_migration_done": True}
    for name, version, data in (
        ("core.config_entries", 1, {"entries": [entry]}),
        ("http", 3, http),
        ("onboarding", 4, {"done": ["core_config", "analytics", "integration"]}),
    ):
        stored = {"version": version, "minor_version": 1, "key": name, "data": data}
        (storage / name).write_text(json.dumps(stored), encoding="utf-8")
