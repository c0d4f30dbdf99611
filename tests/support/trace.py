"""Makes another process run one system call (ptrace, x86-64 and AArch64 by register sets).

For one purpose: to see that a seccomp filter ends the process. The program counter is set to a system
call instruction of the C library and the call's register to execve's number.
"""

import ctypes
import os
import platform
import signal
import struct

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_CONT = 0x4206, 0x4207, 7
PTRACE_GETREGSET, PTRACE_SETREGSET = 0x4204, 0x4205
NT_PRSTATUS = 1
WALL = 0x40000000
MACHINES = {
    # machine: (execve's number, index of the call's register, index of the program counter,
    #           words in a register set, the call instruction)
    "x86_64": (59, 10, 16, 27, b"\x0f\x05"),
    "aarch64": (221, 8, 32, 34, b"\x01\x00\x00\xd4"),
}
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def _ptrace(request, pid, address=None, data=None):
    if _libc.ptrace(request, pid, address, data) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"ptrace {request:#x} {pid}: {os.strerror(number)}")


class Tracee:
    """Seizes the main thread of `pid` for the length of the block."""

    def __init__(self, pid):
        self.pid = pid
        self.number, self.call, self.counter, self.words, self.instruction = MACHINES[
            platform.machine()
        ]

    def __enter__(self):
        _ptrace(PTRACE_SEIZE, self.pid)
        _ptrace(PTRACE_INTERRUPT, self.pid)
        os.waitpid(self.pid, WALL)
        return self

    def __exit__(self, *_):
        """The process has ended; waitpid collected it."""

    def run_execve(self):
        """Runs execve in the process; returns the signal that ended it."""
        registers = self._registers()
        registers[self.call] = self.number
        registers[self.counter] = self._call_instruction()
        self._set_registers(registers)
        _ptrace(PTRACE_CONT, self.pid)
        while True:
            _, status = os.waitpid(self.pid, WALL)
            if os.WIFSIGNALED(status):
                return os.WTERMSIG(status)
            if os.WIFEXITED(status):
                raise AssertionError(f"the process exited with {os.WEXITSTATUS(status)}")
            number = os.WSTOPSIG(status)
            _ptrace(PTRACE_CONT, self.pid, None, number if number != signal.SIGTRAP else 0)

    def _registers(self):
        room = ctypes.create_string_buffer(self.words * 8)
        vector = _Vector(ctypes.addressof(room), len(room))
        _ptrace(PTRACE_GETREGSET, self.pid, NT_PRSTATUS, ctypes.addressof(vector))
        return list(struct.unpack(f"{self.words}Q", room.raw))

    def _set_registers(self, registers):
        room = ctypes.create_string_buffer(struct.pack(f"{self.words}Q", *registers))
        vector = _Vector(ctypes.addressof(room), self.words * 8)
        _ptrace(PTRACE_SETREGSET, self.pid, NT_PRSTATUS, ctypes.addressof(vector))

    def _call_instruction(self):
        """Where the C library holds a system call instruction."""
        with open(f"/proc/{self.pid}/maps") as maps:
            for line in maps:
                if "libc.so.6" in line and " r-xp " in line:
                    low, high = (int(part, 16) for part in line.split()[0].split("-"))
                    break
        with open(f"/proc/{self.pid}/mem", "rb") as memory:
            memory.seek(low)
            return low + memory.read(high - low).index(self.instruction)
