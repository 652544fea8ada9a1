"""Hosts and addresses as people write them."""

from __future__ import annotations

from ipaddress import ip_address


def format_host_port(host: str, port: int) -> str:
    """Returns host and port where a browser on this machine finds what listens there."""
    if is_any(host):
        return f"127.0.0.1:{port}"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Returns whether only this machine reaches this address or name."""
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def is_any(host: str) -> bool:
    """Returns whether this stands for every address of this machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False
