"""Boards behind the kernel's own USB and Bluetooth (USB/IP, a virtual radio): for tests alone, and not in the wheel."""
