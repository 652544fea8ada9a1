"""What a reader is told to type has `sudo` before it where only root may: in the pages and in the sentences of oche."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXTS = sorted(
    [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "systemd").rglob("*.md"),
        *(ROOT / "daemon" / "languages").glob("*.json"),
        *(ROOT / "daemon").rglob("*.py"),
        *(ROOT / "drivers").rglob("*.py"),
    ]
)
AS_ROOT = (
    r"apt(?:-get)? (?:install|upgrade|update|remove|purge|clean)\b",
    r"systemctl (?:start|stop|restart|reload|enable|disable|edit|mask|unmask|daemon-reload)\b",
    r"journalctl -",
    r"(?:usermod|groupadd|gpasswd) -",
    r"udevadm (?:control|trigger)\b",
    r"rfkill (?:block|unblock)\b",
    r"(?:mkdir|touch|cp|mv|rm|nano|install|chown|chmod|mosquitto_passwd) (?:[^ \n`;]+ )*?/(?:etc|usr|var)/",
)
BARE = re.compile(rf"(?<!sudo )(?<!pip )(?<![\w/.-])(?:{'|'.join(AS_ROOT)}).*")


def find_bare(text: str) -> list[str]:
    return [found[0] for found in BARE.finditer(re.sub(r"\n(?=\S)", " ", text))]


def test_a_command_without_sudo_is_found() -> None:
    assert find_bare("`apt install x`, `sudo apt install x`, then systemctl\nrestart oche")
    assert find_bare("cp -r acl /etc/x")
    assert not find_bare(
        "`sudo systemctl restart oche`; `systemctl status oche`; podman cp a /tmp/x; sudo cp acl /etc/x"
    )


def test_what_only_root_may_do_is_typed_with_sudo() -> None:
    for file in TEXTS:
        assert find_bare(file.read_text(encoding="utf-8")) == [], file
