"""What the process of process.py does: it hands each request to a child of its own, and that is all it does itself.

A child is made by fork, so it need not load what the process has loaded. One that nobody waits for any more is killed:
it keeps neither the disk nor a place. The reader of the history is a child that stays, because it remembers what it has
read, and answers in turn. So nothing here waits: not the doctor for a long replay, and no replay for the doctor.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import select
import signal
import socket
import traceback
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from daemon.admin.answers import Refused
from daemon.admin.process import DO, FRAME, ORDER, READ, STOP, Given, pack_frame
from daemon.admin.temporary import remove_cut_off
from daemon.die_with_parent import die_with
from daemon.errors import UserError
from daemon.files import explain_errors
from daemon.plugins import loader
from daemon.release import read_version

if TYPE_CHECKING:
    from daemon.admin.history.reader import HistoryReader

_NICENESS = 10
"""A dart goes first; with the 19 that there are a busy machine would hardly let it work at all."""


class _Reader(NamedTuple):
    pid: int
    requests: socket.socket
    """Takes the sockets of requests."""


class _Worker:
    """Obeys the orders that come over this socket. `folder` is that of the state.

    Each request is answered with this `trouble`, if there is one.
    """

    def __init__(self, orders: socket.socket, folder: Path, trouble: str) -> None:
        self._orders = orders
        self._folder = folder
        self._trouble = trouble
        self._children: dict[int, int] = {}
        """Their ids, by the numbers of the requests that they carry out."""
        self._reader: _Reader | None = None

    def run(self) -> None:
        """Returns when the daemon wants it to end: the children die with this process."""
        while True:
            data, given, _, _ = socket.recv_fds(self._orders, ORDER.size, 2)
            if not data:
                return
            order, number = ORDER.unpack(data)
            try:
                with explain_errors("the request cannot be carried out", "; try again in a moment"):
                    self._obey(order, number, given)
            except UserError as error:  # as where no process can be had
                if given:
                    _answer(socket.socket(fileno=given.pop(0)), partial(_refuse, error))
            finally:
                for each in given:
                    os.close(each)

    def _obey(self, order: bytes, number: int, given: list[int]) -> None:
        """Raises UserError and OSError, and has done nothing then."""
        if given and self._trouble:
            raise UserError(self._trouble)
        if order == READ:
            self._pass_on(given[0])
        elif order == DO:
            from daemon.admin import errands  # noqa: PLC0415  here, so that the next child has it

            self._children[number] = self._fork(partial(_run_errand, errands.carry_out, *given))
        elif number in self._children:
            child = self._children.pop(number)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            if order == STOP:
                remove_cut_off(self._folder)

    def _pass_on(self, request: int) -> None:
        """Gives a request to the reader of the history, who is there from the first one on. Raises OSError."""
        if self._reader is not None:
            try:
                socket.send_fds(self._reader.requests, [b"."], [request])
            except (BrokenPipeError, ConnectionResetError):  # it has died
                os.waitpid(self._reader.pid, 0)
                self._reader.requests.close()
                self._reader = None
            else:
                return
        from daemon.admin.history.reader import HistoryReader  # noqa: PLC0415  here, so that the next reader has it

        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            pid = self._fork(partial(_read_history, HistoryReader, theirs), mine.fileno(), request)
        self._reader = _Reader(pid, mine)
        mine.setblocking(False)
        socket.send_fds(mine, [b"."], [request])

    def _fork(self, work: Callable[[], None], *others: int) -> int:
        """Returns the id of a child that does this work and ends. These files are not for it. Raises OSError."""
        gc.freeze()  # no collection in the child goes through what both have, and so copies it
        parent, child = os.getpid(), os.fork()
        if child:
            return child
        status = 1
        try:
            if die_with(parent):
                for each in (self._orders.fileno(), *others):
                    os.close(each)
                work()
                status = 0
        except BaseException:  # noqa: BLE001  no child goes on with the work of its parent
            traceback.print_exc()
        finally:
            os._exit(status)


def _read_history(make: type[HistoryReader], requests: socket.socket) -> None:
    """Answers the requests whose sockets come, as long as this process lives."""
    reader: HistoryReader | None = None

    def answer(asked: socket.socket, said: bytes) -> object:
        nonlocal reader
        request, about = _decode(said)
        if reader is None:
            loader.load_again(about.sources)
            reader = make(about.folder, about.layouts)
        return None if _is_given_up(asked) else reader.answer(request, partial(_say, asked, "progress"))

    while True:
        data, given, _, _ = socket.recv_fds(requests, 1, 1)
        if not data:
            return
        asked = socket.socket(fileno=given[0])
        if not _answer(asked, partial(answer, asked)):
            reader = None  # what it remembers may be wrong now


def _run_errand(carry_out: Callable[[Any, Given, BinaryIO | None], object], asker: int, *out: int) -> None:
    """Answers the request that comes over this socket; `out` is perhaps a file that the answer is written to."""
    logging.getLogger("oche").addHandler(logging.NullHandler())  # what is wrong is said in the answer

    def work(said: bytes) -> object:
        request, given = _decode(said)
        with os.fdopen(out[0], "wb") if out else nullcontext() as file:
            return carry_out(request, given, file)

    _answer(socket.socket(fileno=asker), work)


def _refuse(error: UserError, _: bytes) -> None:
    raise error


def _decode(said: bytes) -> tuple[Any, Given]:  # Any: a request, by the order
    """Returns the request, and what it needs."""
    found: tuple[Any, Given] = pickle.loads(said)
    return found


def _answer(asked: socket.socket, work: Callable[[bytes], object]) -> bool:
    """Reads a request, says what the work makes of it or the error for the asker, and closes the socket.

    False: the work has failed as it should never do. The answer then says so, with the traceback.
    """
    kind = "answer"
    with asked, suppress(OSError, EOFError):  # who has asked has gone
        said = _read_frame(asked)
        told: object
        try:
            told = work(said)
        except (UserError, Refused, OSError) as error:
            told = error
        except BaseException:  # noqa: BLE001  a game may even end the program
            kind, told = "fault", traceback.format_exc()
        _say(asked, kind, told)
    return kind == "answer"


def _say(asked: socket.socket, kind: str, told: object) -> None:
    asked.sendall(pack_frame((kind, told)))


def _is_given_up(asked: socket.socket) -> bool:
    poll = select.poll()
    poll.register(asked, 0)
    return bool(poll.poll(0))


def _read_frame(asked: socket.socket) -> bytes:
    """Returns what arrives over this socket. Raises EOFError and OSError."""
    with asked.makefile("rb") as file:
        return _read(file, *FRAME.unpack(_read(file, FRAME.size)))


def _read(file: BinaryIO, size: int) -> bytes:
    """Returns so many bytes. Raises EOFError, where whoever asks has gone in the midst of it, and OSError."""
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main(parent: int, orders: int, folder: str, version: str) -> None:
    """Works until the daemon wants it to end.

    `parent` is the daemon's id; `orders` is the socket, by its number; `folder` is that of the state. `version` is that
    of the daemon: what a daemon of another one says could be misunderstood.
    """
    os.dup2(2, 1)  # a game may print
    if not die_with(parent):
        return
    with suppress(OSError):  # the service may not change it
        os.nice(_NICENESS)
    trouble = "" if version == read_version() else "oche was updated: restart it"
    _Worker(socket.socket(fileno=orders), Path(folder), trouble).run()
