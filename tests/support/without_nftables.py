#!/usr/bin/env python3
"""Runs a command on a machine that seems to have no nf_tables: netfilter netlink is not there.

usage: without_nftables.py COMMAND... A seccomp filter answers socket(AF_NETLINK, ..., NETLINK_NETFILTER)
with EPROTONOSUPPORT, which is what a kernel without the module says.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

SOCKET_CALL = {"x86_64": 41, "aarch64": 198}[platform.machine()]
AF_NETLINK, NETLINK_NETFILTER = 16, 12
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
RET_ALLOW, RET_ERRNO = 0x7FFF0000, 0x00050000
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
OFFSET_NUMBER, OFFSET_ARG0, OFFSET_ARG2 = 0, 16, 32


def instruction(code, value, if_true=0, if_false=0):
    """struct sock_filter: code(2) jump-true(1) jump-false(1) value(4)"""
    return struct.pack("HBBI", code, if_true, if_false, value)


FILTER = b"".join([
    instruction(LOAD_WORD, OFFSET_NUMBER),
    instruction(JUMP_EQUAL, SOCKET_CALL, 0, 5),
    instruction(LOAD_WORD, OFFSET_ARG0),
    instruction(JUMP_EQUAL, AF_NETLINK, 0, 3),
    instruction(LOAD_WORD, OFFSET_ARG2),
    instruction(JUMP_EQUAL, NETLINK_NETFILTER, 0, 1),
    instruction(RETURN, RET_ERRNO | errno.EPROTONOSUPPORT),
    instruction(RETURN, RET_ALLOW),
])


def main(command):
    program = ctypes.create_string_buffer(FILTER, len(FILTER))
    # struct sock_fprog: length(2) padding(6) pointer(8)
    header = struct.pack("HxxxxxxQ", len(FILTER) // 8, ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
