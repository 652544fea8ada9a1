"""The kinds of failure between the daemon and a broker, and for each a sentence that says what to do."""

from __future__ import annotations

import re
import socket
import ssl
from enum import Enum
from typing import NamedTuple

from daemon.config.sections import BrokerAddress, Mqtt

_LATER = "see the broker's log; oche tries again"


class ErrorKind(Enum):
    """A kind of failure. Its value is a sentence in two halves: what is wrong, and what to do about it."""

    NAME = ("the broker's name {host} is not known here", "check mqtt.host, or use its address")
    REFUSED = ("no broker answers at {where}", "start it, or check mqtt.host and mqtt.port{tls_port}")
    UNREACHABLE = ("the broker {where} cannot be reached ({seen})", "check mqtt.host and the network")
    TIMEOUT = (
        "nothing answers at {where}",
        "check mqtt.host and mqtt.port, whether it is switched on, and whether a firewall lets us through{tls_port}",
    )
    AUTHORITY = ("the certificate of the broker {where} is from an authority that is not known", "{authority}")
    HOST_NAME = (
        "the certificate of the broker {where} is for another host",
        "set mqtt.host to a name in the certificate, or give the broker a certificate for {host}",
    )
    EXPIRED = (
        "the certificate of the broker {where} has expired, or is not valid yet",
        "renew it, and check the clocks of both machines",
    )
    CERTIFICATE = ("the certificate of the broker {where} cannot be trusted ({seen})", "give it another one")
    OWN_CERTIFICATE = ("the broker {where} does not let us in without a certificate that it knows", "{own}")
    NO_TLS = (
        "what listens at {where} does not speak TLS",
        "set mqtt.port to the port where it does (usually 8883), or take tls out",
    )
    TLS = (
        "the broker {where} speaks TLS on this port",
        "write tls = true below [mqtt], or set mqtt.port to the one without",
    )
    LOGIN = ("the broker {where} refused the login", "check mqtt.username and the password")
    BANNED = ("the broker {where} has banned us", "lift the ban there")
    IDENTIFIER = ("the broker {where} refused the client id {client_id}", "allow it there")
    BUSY = ("the broker {where} takes no more connections ({seen})", _LATER)
    DENIED = ("the broker {where} refused the connection ({seen})", _LATER)
    NO_ANSWER = ("what listens at {where} does not answer like a broker", "check mqtt.host and mqtt.port")
    TAKEN_OVER = ("at {where} another client calls itself {client_id}", "give each oche its own bridge.name")
    ENDED = ("the broker {where} ended the connection ({seen})", _LATER)
    LOST = (
        "the connection to the broker {where} was lost",
        "all is sent again when it is back (if this repeats, {repeats})",
    )
    FAILED = ("the connection to the broker {where} failed ({seen})", "check mqtt.host, mqtt.port and the network")


_CERTIFICATE: dict[int, ErrorKind] = {
    **dict.fromkeys((2, 18, 19, 20, 21), ErrorKind.AUTHORITY),  # the numbers of OpenSSL
    **dict.fromkeys((9, 10), ErrorKind.EXPIRED),
    **dict.fromkeys((62, 63, 64), ErrorKind.HOST_NAME),
}
_SOCKET: tuple[tuple[type[Exception], ErrorKind], ...] = (
    (ssl.SSLEOFError, ErrorKind.NO_ANSWER),
    (ssl.SSLZeroReturnError, ErrorKind.NO_ANSWER),
    (socket.gaierror, ErrorKind.NAME),
    (UnicodeError, ErrorKind.NAME),  # a host name that none can be
    (ConnectionRefusedError, ErrorKind.REFUSED),
    (ConnectionError, ErrorKind.NO_ANSWER),
    (TimeoutError, ErrorKind.TIMEOUT),
)
_CODES: dict[int, ErrorKind] = {
    133: ErrorKind.IDENTIFIER,
    **dict.fromkeys((134, 135, 140), ErrorKind.LOGIN),
    **dict.fromkeys((136, 137, 151, 159), ErrorKind.BUSY),
    138: ErrorKind.BANNED,
    142: ErrorKind.TAKEN_OVER,
}


class BrokerError(Exception):
    """A connection could not be made, or has ended. `str()` is the detail, for the kinds whose sentence needs one."""

    def __init__(self, kind: ErrorKind, detail: str = "") -> None:
        super().__init__(detail)
        self.kind = kind


class Diagnosis(NamedTuple):
    """A sentence in two halves: what is wrong, and what to do about it."""

    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.remedy}"


def classify_socket_error(error: OSError | UnicodeError) -> BrokerError:
    """Returns the kind of an error that was raised by connecting a socket, TLS included."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return BrokerError(_CERTIFICATE.get(error.verify_code, ErrorKind.CERTIFICATE), error.verify_message)
    for kind, meaning in _SOCKET:
        if isinstance(error, kind):
            return BrokerError(meaning)
    if not isinstance(error, ssl.SSLError):
        return BrokerError(ErrorKind.UNREACHABLE, (getattr(error, "strerror", None) or str(error)).lower())
    reason = error.reason or str(error)
    if re.search("WRONG_VERSION_NUMBER|HTTP_REQUEST|RECORD_LAYER_FAILURE|UNKNOWN_PROTOCOL", reason):
        return BrokerError(ErrorKind.NO_TLS)
    if re.search("CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE", reason):  # an alert: the broker's word on our certificate
        return BrokerError(ErrorKind.OWN_CERTIFICATE)
    return BrokerError(ErrorKind.FAILED, reason.lower().replace("_", " "))


def classify_reason_code(code: int, words: str, *, stood: bool) -> BrokerError:
    """Returns the kind of a reason code of MQTT 5; `stood`: the broker ended an established connection with it."""
    return BrokerError(_CODES.get(code, ErrorKind.ENDED if stood else ErrorKind.DENIED), words.lower())


def explain(error: BrokerError, where: BrokerAddress, mqtt: Mqtt, client_id: str) -> Diagnosis:
    """Returns why there is no connection to this broker, and the remedy."""
    words = {
        "where": str(where),
        "host": where.host,
        "client_id": client_id,
        "seen": str(error),
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
    what, remedy = error.kind.value
    return Diagnosis(what.format_map(words), remedy.format_map(words))
