"""The health check of the image, beside a page that answers and without one."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

HEALTH = Path(__file__).resolve().parents[2] / "debian" / "release" / "health.py"


def check(configuration: Path) -> tuple[int, str]:
    """Returns the exit status and what is said."""
    done = subprocess.run((sys.executable, HEALTH, configuration), stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


def test_any_answer_of_the_page_is_health_and_none_is_not(
    tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    file = tmp_path / "oche.toml"
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:  # which answers that it has no GET
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        file.write_text(f"[web]\nport = {server.server_port}\n", encoding="utf-8")
        assert check(file) == (0, "")
        thread.join()
    file.write_text(f"[web]\nport = {unused_tcp_port_factory()}\n", encoding="utf-8")
    status, said = check(file)
    assert (status, said.partition(":")[0]) == (1, "the page does not answer")
    file.write_text("[web]\non = false\n", encoding="utf-8")
    assert check(file) == (0, "")


@pytest.mark.slow
def test_without_a_configuration_the_page_is_where_it_is_by_default(tmp_path: Path) -> None:
    status, said = check(tmp_path / "missing.toml")
    assert status == 0 or said.startswith("the page does not answer")  # there may be one on this machine
