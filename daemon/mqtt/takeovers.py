"""Tells two clients of one name, which take the broker from each other for ever, from a broker that was away.

In MQTT 5 a broker may say that another client has taken the session over. Others, as mosquitto 2.0.11, and all of them
in MQTT 3.1.1, just hang up. Then it shows by what repeats: connections that end soon after the broker took all we said.
"""

from __future__ import annotations

from daemon.errors import UserError
from daemon.mqtt.errors import BrokerError, ErrorKind

_BRIEF_S = 15.0
"""Longer than each of two has the broker: they wait for at most 5 seconds before they connect again."""
_ENOUGH = 2
"""So many in a row; one may be a broker that was just restarted, which does not let us in at once."""


class Takeovers:
    """What has ended the connections, one after the other."""

    def __init__(self) -> None:
        self._brief = 0

    def judge(self, error: BrokerError | UserError, lasted_s: float) -> BrokerError | UserError:
        """Returns the error, or the kind that it seems to be. `lasted_s` is as for Attempts.advance."""
        if not isinstance(error, BrokerError) or error.kind != ErrorKind.LOST or lasted_s >= _BRIEF_S:
            self._brief = 0
        elif lasted_s:  # 0: the other was quicker than we could say all, as on a slow machine
            self._brief += 1
        return BrokerError(ErrorKind.DRIVEN_OUT) if self._brief >= _ENOUGH else error


def is_takeover(error: Exception) -> bool:
    """Whether another client of our name has, or seems to have, ended the connection."""
    return isinstance(error, BrokerError) and error.kind in (ErrorKind.TAKEN_OVER, ErrorKind.DRIVEN_OUT)
