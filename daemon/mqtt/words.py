"""What can go wrong between us and a broker, told apart, and what a person is told about it: what it is, what to do."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from daemon.mqtt.address import BrokerAddress
from daemon.sections import Mqtt
from protocol.topics import everything, parse, pattern

Kind = Literal[
    "name",  # not resolved
    "refused",  # nobody listens there
    "unreachable",
    "timeout",  # nobody answers the connection
    "authority",  # the certificate: nobody we trust vouches for it
    "host_name",  # the certificate is another host's
    "expired",
    "certificate",  # it is wrong in another way
    "own_certificate",  # the broker wants ours, or does not take it
    "no_tls",  # we speak TLS, the broker does not
    "tls",  # the broker speaks TLS, we do not
    "login",
    "banned",
    "identifier",
    "busy",
    "denied",  # the broker refused the connection for another reason
    "hung_up",  # it ended the connection without an answer
    "silent",  # a connection stands, and nothing comes back
    "taken_over",  # another client has our identifier
    "ended",  # the broker ended a connection that had stood, and said why
    "lost",  # a connection that had stood
    "failed",
]
_LATER = "see the broker's log; oche tries again"
_WORDS: dict[Kind, tuple[str, str]] = {
    "name": ("the broker's name {host} is not known here", "check mqtt.host, or use its address"),
    "refused": ("no broker answers at {where}", "start it, or check mqtt.host and mqtt.port{tls_port}"),
    "unreachable": ("the broker {where} cannot be reached ({seen})", "check mqtt.host and the network"),
    "timeout": (
        "nothing answers at {where}",
        "check mqtt.host and mqtt.port, whether it is switched on, and whether a firewall lets us through{tls_port}",
    ),
    "authority": ("the certificate of the broker {where} is from an authority that is not known", "{authority}"),
    "host_name": (
        "the certificate of the broker {where} is for another host",
        "set mqtt.host to a name in the certificate, or give the broker a certificate for {host}",
    ),
    "expired": (
        "the certificate of the broker {where} has expired, or is not valid yet",
        "renew it, and check the clocks of both machines",
    ),
    "certificate": ("the certificate of the broker {where} cannot be trusted ({seen})", "give it another one"),
    "own_certificate": ("the broker {where} does not let us in without a certificate that it knows", "{own}"),
    "no_tls": (
        "what listens at {where} does not speak TLS",
        "set mqtt.port to the port where it does (usually 8883), or take tls out",
    ),
    "tls": ("the broker {where} speaks TLS on this port", "set mqtt.tls = true, or mqtt.port to the one without"),
    "login": ("the broker {where} refused the login", "check mqtt.username and the password"),
    "banned": ("the broker {where} has banned us", "lift the ban there"),
    "identifier": ("the broker {where} refused the client id {client_id}", "allow it there"),
    "busy": ("the broker {where} takes no more connections ({seen})", _LATER),
    "denied": ("the broker {where} refused the connection ({seen})", _LATER),
    "hung_up": ("what listens at {where} does not answer like a broker", "check mqtt.host and mqtt.port"),
    "silent": ("what listens at {where} does not answer like a broker", "check mqtt.host and mqtt.port"),
    "taken_over": ("at {where} another client calls itself {client_id}", "give each oche its own bridge.name"),
    "ended": ("the broker {where} ended the connection ({seen})", _LATER),
    "lost": (
        "the connection to the broker {where} was lost",
        "all is sent again when it is back (if this repeats, {repeats})",
    ),
    "failed": ("the connection to the broker {where} failed ({seen})", "check mqtt.host, mqtt.port and the network"),
}
_CERTIFICATE: dict[int, Kind] = {
    **dict.fromkeys((2, 18, 19, 20, 21), "authority"),  # the numbers of OpenSSL
    **dict.fromkeys((9, 10), "expired"),
    **dict.fromkeys((62, 63, 64), "host_name"),
}
_SOCKET: tuple[tuple[type[Exception], Kind], ...] = (
    (ssl.SSLEOFError, "hung_up"),
    (ssl.SSLZeroReturnError, "hung_up"),
    (socket.gaierror, "name"),
    (UnicodeError, "name"),  # a host name that none can be
    (ConnectionRefusedError, "refused"),
    (ConnectionError, "hung_up"),
    (TimeoutError, "timeout"),
)
_CODES: dict[int, Kind] = {
    133: "identifier",
    134: "login",
    135: "login",
    136: "busy",
    137: "busy",
    138: "banned",
    140: "login",
    142: "taken_over",
    151: "busy",
    159: "busy",
}


class Trouble(Exception):
    """A connection that could not be made, or has ended. `str()` is what was seen of it, for the kinds that need it."""

    def __init__(self, kind: Kind, detail: str = "") -> None:
        super().__init__(detail)
        self.kind: Kind = kind

    def __repr__(self) -> str:
        return f"Trouble({self.kind!r}, {str(self)!r})"


class Complaint(NamedTuple):
    """One sentence in two halves: what is wrong, and what to do about it."""

    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.remedy}"


def of_socket(error: OSError | UnicodeError) -> Trouble:
    """What an error means that came from making a connection, TLS included."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Trouble(_CERTIFICATE.get(error.verify_code, "certificate"), error.verify_message)
    for kind, meaning in _SOCKET:
        if isinstance(error, kind):
            return Trouble(meaning)
    if isinstance(error, ssl.SSLError):
        return _of_tls(error)
    return Trouble("unreachable", (getattr(error, "strerror", None) or str(error)).lower())


def _of_tls(error: ssl.SSLError) -> Trouble:
    reason = error.reason or str(error)
    if re.search("WRONG_VERSION_NUMBER|HTTP_REQUEST|RECORD_LAYER_FAILURE|UNKNOWN_PROTOCOL", reason):
        return Trouble("no_tls")
    if re.search("CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE", reason):  # an alert: the broker's word on our certificate
        return Trouble("own_certificate")
    return Trouble("failed", reason.lower().replace("_", " "))


def of_code(code: int, words: str, *, stood: bool) -> Trouble:
    """What the broker's reason means, as MQTT 5 numbers it; `stood`: it ended a connection that had been made."""
    return Trouble(_CODES.get(code, "ended" if stood else "denied"), words.lower())


def explain(trouble: Trouble, where: BrokerAddress, mqtt: Mqtt, client_id: str) -> Complaint:
    """Why there is no connection."""
    words = {
        "where": str(where),
        "host": where.host,
        "client_id": client_id,
        "seen": str(trouble),
        "repeats": f"another client calls itself {client_id}: give each oche its own bridge.name; "
        "or the broker refuses what we publish: see its log",
        "tls_port": " (with TLS it is usually 8883)" if mqtt.tls and where.port == 1883 else "",
        "authority": "name its authority's file with mqtt.ca_file",
        "own": "set mqtt.cert_file and mqtt.key_file",
    }
    if mqtt.ca_file:
        words["authority"] = f"put the authority that signed it into {mqtt.ca_file}"
    if mqtt.cert_file:
        words["own"] = f"have one signed by its authority, not expired, in {mqtt.cert_file}"
    what, remedy = _WORDS[trouble.kind]
    return Complaint(what.format_map(words), remedy.format_map(words))


def acl_lines(topics: Iterable[str], mqtt: Mqtt, bridge: str, tables: Collection[str]) -> tuple[str, ...]:
    """The lines of mosquitto's ACL that allow these topics."""
    wanted: dict[str, str] = {}
    ours = [everything("bridge", bridge, mqtt.base), *(everything("table", table, mqtt.base) for table in tables)]
    for each in sorted(topics):
        whole = next((whole for whole in ours if each.startswith(whole.removesuffix("#"))), None)
        address = parse(each, mqtt.base)
        if whole:
            wanted[whole] = "readwrite"
        elif address and address.kind in ("discovery", "discovery_component"):
            wanted[pattern(address.kind, mqtt.base, discovery=mqtt.discovery_prefix)] = "write"
        else:
            wanted[each] = "readwrite"
    return tuple(f"topic {access} {name}" for name, access in wanted.items())


def complain_of_acl(topics: Collection[str], mqtt: Mqtt, bridge: str, tables: Collection[str]) -> Complaint:
    """What the broker does not let us say or hear, and the lines it needs."""
    first, *rest = sorted(topics)
    more = f" and {len(rest)} more" if rest else ""
    lines = "; ".join(acl_lines(topics, mqtt, bridge, tables))
    user = f"user {mqtt.username}" if mqtt.username else "everybody"
    return Complaint(f"the broker does not let oche use {first}{more}", f"add to its ACL, for {user}: {lines}")
