"""Whether the daemon in this container answers: the health check of the image; the exit status says it.

The page is asked on this machine, at the port of the configuration. Any answer counts, also that a token is needed.
Without a configuration the page has its defaults. Where the configuration has no page there is nothing to ask, and the
daemon's end is the container's.
"""

from __future__ import annotations

import sys
import tomllib
from http.client import HTTPConnection
from pathlib import Path

CONFIGURATION = Path(sys.argv[1] if len(sys.argv) > 1 else "/etc/oche/oche.toml")
ANSWER_S = 5.0

text = CONFIGURATION.read_text(encoding="utf-8") if CONFIGURATION.exists() else ""
web = tomllib.loads(text).get("web", {})
if web.get("on", True):
    host = web.get("host", "127.0.0.1")
    page = HTTPConnection(
        {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), web.get("port", 8180), timeout=ANSWER_S
    )
    try:
        page.request("GET", "/api/broker")
        page.getresponse()
    except OSError as error:
        sys.exit(f"the page does not answer: {error}")
