"""Asking a network itself, with real multicast: two namespaces of networks with a cable between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.process import ROOT

NEAR = """
set -e
ip link set lo up
ip link add wifi type veth peer name board
ip link set board netns "$BOARD"
ip address add $HERE dev wifi nodad
ip link set wifi up
"""
FAR = """
set -e
ip link set lo up
ip address add $THERE dev board nodad
ip link set board up
"""
"""The board's own network, with its address."""
RESPONDER = '''
"""The host of a board: it answers questions of mDNS at the port of these, and its program answers HTTP."""
import os, socket, struct, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from tests.drivers.mdns_packets import announce, write_packet

sys.stdin.readline()  # the cable is there
subprocess.check_call(["sh", "-c", os.environ["FAR"]])
is_v6 = ":" in os.environ["THERE"]
address = os.environ["THERE"].partition("/")[0]

class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        said = b'{"running": true}' if self.path == "/api/state" else b"2.0.2"
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass

class Server(HTTPServer):
    address_family = socket.AF_INET6 if is_v6 else socket.AF_INET

threading.Thread(target=Server(("::" if is_v6 else "", 3180), Page).serve_forever, daemon=True).start()
index = socket.if_nametoindex("board")
line = socket.socket(socket.AF_INET6 if is_v6 else socket.AF_INET, socket.SOCK_DGRAM)
line.bind(("::" if is_v6 else "", 5353))
if is_v6:
    group = socket.inet_pton(socket.AF_INET6, "ff02::fb") + struct.pack("=I", index)
    line.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
else:
    group = struct.pack("4s4si", socket.inet_aton("224.0.0.251"), bytes(4), index)
    line.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
print("ready", flush=True)
records = announce("_autodarts-board._tcp", "cellar", 3180, address)
while True:
    asked, sender = line.recvfrom(9000)
    if b"\\x05darts\\x05local" in asked:  # the address is told only when it is asked for
        line.sendto(write_packet(records[3]), sender)
    elif b"_autodarts-board" in asked:
        line.sendto(b"noise", sender)
        line.sendto(write_packet(*records[:3]), sender)
'''
LOOK = """
import asyncio, os, subprocess, sys
from drivers.announced import list_interfaces
from drivers.scan import format_json, match_web_boards
from drivers.web_scan import find_web_boards
from drivers.scan import Scan
from protocol.codebook import shipped

board = subprocess.Popen(
    ["unshare", "--net", sys.executable, "-c", os.environ["RESPONDER"]],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
)
def find_process():
    # unshare becomes the program itself, in its new network
    while os.readlink(f"/proc/{board.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
        os.sched_yield()
    return str(board.pid)
subprocess.check_call(["sh", "-c", os.environ["NEAR"]], env={**os.environ, "BOARD": find_process()})
board.stdin.write("go\\n"); board.stdin.flush()
assert board.stdout.readline() == "ready\\n"
assert list_interfaces() == ["wifi"], list_interfaces()
profiles = [shipped("autodarts").profile]
try:
    found = []
    for _ in range(20):
        found = match_web_boards(asyncio.run(find_web_boards(profiles, [])), profiles)
        if found:
            break
    print(format_json(Scan(found, []), {}))
finally:
    board.kill()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("here", "there", "address"),
    [
        ("192.168.0.2/24", "192.168.0.1/24", "web:192.168.0.1:3180"),
        ("fe80::2/64", "fe80::1/64", "web:[fe80::1%wifi]:3180"),
    ],
    ids=["IPv4", "IPv6"],
)
def test_a_board_that_announces_itself_is_found(tmp_path: Path, here: str, there: str, address: str) -> None:
    alone = ("unshare", "--net", *(("--map-root-user",) if os.geteuid() else ()))
    env = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin",
        "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/nothing",
        "NEAR": NEAR,
        "FAR": FAR,
        "RESPONDER": RESPONDER,
        "HERE": here,
        "THERE": there,
    }
    if subprocess.call([*alone, "ip", "link", "set", "lo", "up"], env=env, stderr=subprocess.DEVNULL):
        pytest.skip("no network of its own can be made here: needs ip, and the right to unshare")
    if ":" in here and not Path("/proc/self/net/if_inet6").exists():
        pytest.skip("this system has no IPv6")
    output = subprocess.check_output([*alone, sys.executable, "-c", LOOK], cwd=ROOT, env=env)
    (found,) = json.loads(output)["found"]
    assert (found["address"], found["what"]) == (address, "Autodarts 2.0.2 (cellar)")
    assert (found["fits"], found["state"]) == ([{"profile": "autodarts", "sure": "sure"}], "running")
