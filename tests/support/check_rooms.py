#!/usr/bin/env python3
"""Fails when an include goes back: docs/rooms.txt says which room may include which.

Also: protobuf and gRPC headers only in the adapter rooms, uv.h only in the runtime, every folder
with sources stands in a room with a README.md, and no header is named like one of the system's.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLANES = ("proto", "dataplane", "controlplane", "ui")
SOURCES = (".cc", ".h")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
PROTOBUF = re.compile(r"(\.pb\.h$)|(^(grpc|grpcpp|google/protobuf)/)")
SYSTEM_NAMES = {"time.h", "signal.h", "search.h", "string.h", "poll.h", "sched.h", "resolv.h",
                "netdb.h", "errno.h", "stdio.h"}


class Rooms:
    """The parsed docs/rooms.txt."""

    def __init__(self, text):
        self.direct, self.marks = {}, {"@adapters": [], "@libuv": []}
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, rest = line.partition(":")
            (self.marks if name.startswith("@") else self.direct)[name] = rest.split()
        self._closure = {}

    def room_of(self, path):
        """The longest listed room that holds `path`, or None."""
        parts = path.split("/")
        for size in range(len(parts), 0, -1):
            candidate = "/".join(parts[:size])
            if candidate in self.direct:
                return candidate
        return None

    def below(self, room):
        """Everything that `room` may include, besides itself."""
        if room not in self._closure:
            found = set()
            for lower in self.direct.get(room, []):
                found |= {lower} | self.below(lower)
            self._closure[room] = found
        return self._closure[room]

    def allows(self, room, header):
        target = self.room_of(header)
        return target == room or target in self.below(room) or header in self.below(room)

    def marked(self, mark, path):
        return any(path.startswith(room + "/") for room in self.marks[mark])


def check_file(rooms, path, text):
    """Faults of one file as texts."""
    room = rooms.room_of(path)
    if room is None:
        return [f"{path}: its folder is not in docs/rooms.txt"]
    faults = []
    for match in INCLUDE.finditer(text):
        header = match.group(2)
        where = f"{path}:{text.count(chr(10), 0, match.start(2)) + 1}"
        if PROTOBUF.search(header):
            if not rooms.marked("@adapters", path):
                faults.append(f"{where}: {header} outside the adapter rooms")
        elif header == "uv.h":
            if not rooms.marked("@libuv", path):
                faults.append(f"{where}: uv.h outside the runtime")
        elif header.split("/")[0] in PLANES and "/" in header:
            if not (ROOT / header).exists():
                faults.append(f"{where}: {header} does not exist")
            elif not rooms.allows(room, header):
                faults.append(f"{where}: {room} must not include {header}")
    return faults


def sources():
    for plane in PLANES:
        for path in sorted((ROOT / plane).rglob("*")):
            if path.suffix in SOURCES:
                yield path


def described(folder):
    """True when the folder, or a room around it, has its sentence."""
    around = [folder, *folder.parents]
    return any((f / "README.md").exists() for f in around[: around.index(ROOT) - 1])


def main():
    rooms = Rooms((ROOT / "docs/rooms.txt").read_text())
    faults, folders, count = [], set(), 0
    for path in sources():
        name = str(path.relative_to(ROOT))
        faults += check_file(rooms, name, path.read_text())
        folders.add(path.parent)
        count += 1
        if path.name in SYSTEM_NAMES:
            faults.append(f"{name}: hides a system header of this name")
    faults += [f"{folder.relative_to(ROOT)}: has no README.md"
               for folder in sorted(folders) if not described(folder)]
    for fault in faults:
        print(fault)
    print(f"rooms: {count} files, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
