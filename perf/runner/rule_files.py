"""Rule files in the shape and size of those that people use, always the same ones."""

import struct
from random import Random
from string import ascii_lowercase

TOPS = ("com", "net", "org", "test", "co.example", "io")


def sites(count, seed, last=()):
    """`count` different names, "kqwzrt.com", 13 bytes in the middle; those of `last` at the end."""
    random = Random(seed)
    found = dict.fromkeys(last)
    while len(found) < count:
        label = "".join(random.choices(ascii_lowercase, k=random.randint(4, 12)))
        found[f"{label}.{random.choice(TOPS)}"] = None
    return list(reversed(found))


def geosite(categories):
    """A geosite.dat: {category: names}, every name with all below it."""
    suffix = b"\x08\x02"
    return b"".join(
        _field(1, _field(1, code.upper().encode())
               + b"".join(_field(2, suffix + _field(2, name.encode())) for name in names))
        for code, names in categories.items()
    )


def geoip(countries):
    """A geoip.dat: {country: [(address as a number, length)]}, IPv4."""
    return b"".join(
        _field(1, _field(1, code.upper().encode())
               + b"".join(_field(2, _field(1, struct.pack(">I", base)) + bytes([0x10, length]))
                          for base, length in prefixes))
        for code, prefixes in countries.items()
    )


def networks(count, start=0x01000000):
    """`count` disjoint v4 networks of 16 to 256 addresses, none beside its neighbour, not in 127/8."""
    at = start
    for number in range(count):
        yield at, 24 + number * 7 % 5
        at += 0x400 if at >> 24 != 126 else 0x03000000


def dotted(base):
    return ".".join(str(base >> shift & 255) for shift in (24, 16, 8, 0))


def _field(number, content):
    """One field of a protobuf message with its length."""
    head, size = bytes([number << 3 | 2]), len(content)
    while size >= 0x80:
        head, size = head + bytes([size & 0x7F | 0x80]), size >> 7
    return head + bytes([size]) + content
