"""Whether a client that will send nothing more still reads. Knows no HTTP.

Both who has closed a socket and who has only shut down its sending half look the same on the wire until something is
written. On Linux the system's table of connections tells them apart where both ends are on this machine: nobody owns
a closed socket. Elsewhere whoever sends no more counts as gone, as with most servers.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

TABLES = {socket.AF_INET: "/proc/net/tcp", socket.AF_INET6: "/proc/net/tcp6"}
INODE = 9  # the column of who owns a socket
MAPPED = bytes(10) + b"\xff\xff"  # an IPv4 address in an IPv6 socket


def still_reads(sock: socket.socket) -> bool:
    """Whether somebody on this machine owns the other end of a connection."""
    if sock.family not in TABLES:
        return False
    try:
        family, theirs = _name(sock.family, sock.getpeername())
        _, ours = _name(sock.family, sock.getsockname())
        rows = Path(TABLES[family]).read_text(encoding="ascii").splitlines()
    except OSError:
        return False
    pair = f" {theirs} {ours} "
    return any(pair in row and row.split()[INODE] != "0" for row in rows)


def _name(family: socket.AddressFamily, address: tuple[str, int]) -> tuple[socket.AddressFamily, str]:
    """The family and an address as the table writes it: words of four bytes as the machine orders them."""
    packed = socket.inet_pton(family, address[0].partition("%")[0])
    if packed.startswith(MAPPED) and family == socket.AF_INET6:
        family, packed = socket.AF_INET, packed[len(MAPPED) :]
    words = [packed[at : at + 4] for at in range(0, len(packed), 4)]
    text = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return family, f"{text}:{address[1]:04X}"
