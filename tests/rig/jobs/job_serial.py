"""A serial board behind an FTDI chip: ftdi_sio makes its port, pyserial opens it, the cable is pulled in mid-frame."""

from __future__ import annotations

from pathlib import Path

from protocol.codebook import shipped
from protocol.standard import standard
from simulator.kernel.usb_boards import FtdiBoard
from tests.daemon.process import eventually
from tests.rig.jobs.evening import LEG, Evening

PORT = Path("/dev/ttyUSB0")


def board() -> FtdiBoard:
    return FtdiBoard(shipped("opendarts"))


def kernels_driver() -> str:
    return Path("/sys/class/tty/ttyUSB0/device/driver").resolve().name


async def test_a_leg_with_the_cable_pulled_in_the_middle_of_a_frame(tmp_path: Path) -> None:
    async with board() as ftdi, Evening(tmp_path, f'board = "serial:{PORT}"') as evening:
        await evening.hears(ftdi)
        assert abs(ftdi.baud / 115200 - 1) < 0.02, "the kernel has not set the profile's speed"
        assert kernels_driver() == "ftdi_sio"
        assert ftdi.latency_ms == 1, "darts wait in the chip"
        before, after = LEG[:10], LEG[10:]
        await evening.play(ftdi, before)

        ftdi.tear(b"3,4\r\n")
        assert "plug it in again" in await evening.until_board(is_online=False)
        await eventually(lambda: not PORT.exists())
        ftdi.hit(standard()["T1"])

        ftdi.plug()
        await evening.hears(ftdi)
        await evening.play(ftdi, after)
        state = await evening.state()
        assert (state["phase"], state["winners"]) == ("over", [0])
        evening.assert_kept()
        assert "does not know" not in evening.process.errors, "half a frame from before was read"
