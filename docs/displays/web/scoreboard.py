"""A scoreboard for a terminal that needs Python and nothing else: whose turn it is, the scores, this visit's darts.

    OCHE_TOKEN=xk3f-9m2w-… python3 scoreboard.py http://192.168.1.20:8180/ main

While only its own machine reaches the page, it needs no token. Copy it: docs/web.md says what else there is to show.
"""

import http.client
import json
import os
import sys
import time
import urllib.request


def events(page, table):
    """The events of the table, as (kind, value), until the connection is lost."""
    token = os.environ.get("OCHE_TOKEN")
    right = {"Authorization": f"Bearer {token}"} if token else {}
    ask = urllib.request.Request(f"{page.rstrip('/')}/api/table/{table}/events", headers=right)
    with urllib.request.urlopen(ask, timeout=15) as stream:  # a ping comes every 5 s: silence is a dead link
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)


if len(sys.argv) != 3 or not sys.argv[1].startswith("http"):
    sys.exit("Start it with the address of the page and a table: python3 scoreboard.py http://192.168.1.20:8180/ main")
wait_s = 1
while True:
    try:
        for kind, value in events(*sys.argv[1:]):
            wait_s = 1
            if kind == "state":
                turn, scores = value["turn"], [f"{side['name']} {side['score']}" for side in value["sides"]]
                print(*scores, ">", turn["player"], *(dart["segment"] for dart in turn["darts"]), sep="  ", flush=True)
            elif kind == "board" and value["state"] == "offline":
                print(value["text"], flush=True)
    except (OSError, http.client.HTTPException) as lost:
        print(f"not connected: {lost}", file=sys.stderr, flush=True)
    time.sleep(wait_s)
    wait_s = 5
