"""The kinds of failure between the daemon and a broker, and for each a sentence that says what to do."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from daemon.config.sections import BrokerAddress, Mqtt
from protocol.sentence import Sentence, Value, say

_RENAME = say("broker.taken_over_remedy", "give one of the two another name below [bridge], and restart it")
_LATER = say("broker.later", "see the broker's log; oche tries again")


class ErrorKind(Enum):
    """A kind of failure. Its value is a sentence in two halves: what is wrong, and what to do about it.

    Their values are added by `explain`.
    """

    NAME = (
        say("broker.name", "the broker's name {name} is not known here"),
        say("broker.name_remedy", "check mqtt.host, or use the broker's address"),
    )
    REFUSED = (
        say("broker.refused", "no broker answers at {where}"),
        say("broker.refused_remedy", "start it, or check mqtt.host and mqtt.port{tls_port}"),
    )
    UNREACHABLE = (
        say("broker.unreachable", "the broker {where} cannot be reached ({seen})"),
        say("broker.unreachable_remedy", "check mqtt.host and the network"),
    )
    TIMEOUT = (
        say("broker.timeout", "nothing answers at {where}"),
        say(
            "broker.timeout_remedy",
            "check mqtt.host and mqtt.port, that the broker is switched on, and that no firewall is "
            "in the way{tls_port}",
        ),
    )
    AUTHORITY = (
        say("broker.authority", "the certificate of the broker {where} is from an unknown authority"),
        say("broker.authority_remedy", "{authority}"),
    )
    HOST_NAME = (
        say("broker.host_name", "the certificate of the broker {where} is for another host"),
        say(
            "broker.host_name_remedy",
            "set mqtt.host to a name in the certificate, or give the broker a certificate for {name}",
        ),
    )
    EXPIRED = (
        say("broker.expired", "the certificate of the broker {where} has expired, or is not valid yet"),
        say("broker.expired_remedy", "renew it, and check the clocks of both machines"),
    )
    CERTIFICATE = (
        say("broker.certificate", "the certificate of the broker {where} cannot be trusted ({seen})"),
        say("broker.certificate_remedy", "give it another one"),
    )
    OWN_CERTIFICATE = (
        say("broker.own", "the broker {where} only admits clients with a certificate that it knows"),
        say("broker.own_remedy", "{own}"),
    )
    NO_TLS = (
        say("broker.no_tls", "the server at {where} does not speak TLS"),
        say("broker.no_tls_remedy", "set mqtt.port to the broker's TLS port (usually 8883), or remove tls"),
    )
    TLS = (
        say("broker.tls", "the broker {where} speaks TLS on this port"),
        say("broker.tls_remedy", "write tls = true below [mqtt], or set mqtt.port to the port without TLS"),
    )
    LOGIN = (
        say("broker.login", "the broker {where} refused the login"),
        say("broker.login_remedy", "check mqtt.username and the password"),
    )
    BANNED = (
        say("broker.banned", "the broker {where} has banned oche"),
        say("broker.banned_remedy", "lift the ban there"),
    )
    IDENTIFIER = (
        say("broker.identifier", "the broker {where} refused the client id {given}"),
        say("broker.identifier_remedy", "allow it there"),
    )
    BUSY = say("broker.busy", "the broker {where} accepts no more connections ({seen})"), _LATER
    DENIED = say("broker.denied", "the broker {where} refused the connection ({seen})"), _LATER
    NO_ANSWER = (
        say("broker.no_answer", "the server at {where} does not answer like a broker"),
        say("broker.no_answer_remedy", "check mqtt.host and mqtt.port"),
    )
    TAKEN_OVER = (
        say("broker.taken_over", "another client at {where} also calls itself {given}"),
        _RENAME,
    )
    DRIVEN_OUT = (
        say(
            "broker.driven_out",
            "the broker {where} ends every connection soon after it was made, as it does when "
            "another client also calls itself {given}",
        ),
        say(
            "broker.driven_out_remedy",
            "give one of the two another name below [bridge], and restart it; or see in the broker's "
            "log why it ends the connection",
        ),
    )
    ENDED = say("broker.ended", "the broker {where} ended the connection ({seen})"), _LATER
    LOST = (
        say("broker.lost", "the connection to the broker {where} was lost"),
        say(
            "broker.lost_remedy", "oche sends everything again when it is back (if this happens repeatedly, {repeats})"
        ),
    )
    FAILED = (
        say("broker.failed", "the connection to the broker {where} failed ({seen})"),
        say("broker.failed_remedy", "check mqtt.host, mqtt.port and the network"),
    )


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

    what: Sentence
    remedy: Sentence

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


def classify_reason_code(code: int, words: str, *, was_established: bool) -> BrokerError:
    """Returns the kind of a reason code of MQTT 5; `was_established`: one that ended a connection."""
    return BrokerError(_CODES.get(code, ErrorKind.ENDED if was_established else ErrorKind.DENIED), words.lower())


def explain(error: BrokerError, where: BrokerAddress, mqtt: Mqtt, client_id: str) -> Diagnosis:
    """Returns why there is no connection to this broker, and the remedy."""
    is_usual = mqtt.tls and where.port == 1883
    words: dict[str, Value] = {
        "where": str(where),
        "name": where.host,
        "given": client_id,
        "seen": str(error),
        "repeats": say(
            "broker.repeats",
            "another client also calls itself {given}: give one of the two another name below "
            "[bridge]; or the broker refuses what oche publishes: see its log",
            given=client_id,
        ),
        "tls_port": say("broker.tls_port", " (with TLS it is usually 8883)") if is_usual else "",
        "authority": say("broker.name_authority", "name its authority's file with mqtt.ca_file"),
        "own": say("broker.set_own", "set mqtt.cert_file and mqtt.key_file"),
    }
    if mqtt.ca_file:
        said = "broker.add_authority", "put the authority that signed it into {path}"
        words["authority"] = say(*said, path=mqtt.ca_file)
    if mqtt.cert_file:
        said = "broker.have_own", "use a certificate in {path} that its authority has signed and that has not expired"
        words["own"] = say(*said, path=mqtt.cert_file)
    what, remedy = error.kind.value
    return Diagnosis(_fill_in(what, words), _fill_in(remedy, words))


def _fill_in(said: Sentence, words: Mapping[str, Value]) -> Sentence:
    values = {name: word for name, word in words.items() if f"{{{name}}}" in said.template}
    return Sentence(said.key, said.template, values)
