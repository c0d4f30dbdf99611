"""Counts packets that reach a namespace, before anything in it can drop them."""

import itertools

_numbers = itertools.count(1)


class PacketCount:
    """packets() tells how many matched the nft expression since the block began."""

    def __init__(self, namespace, match):
        self.ns, self.match, self.table = namespace, match, f"watch{next(_numbers)}"

    def __enter__(self):
        self.ns.nft(f"table inet {self.table} {{\n chain pre {{\n type filter hook prerouting "
                    f"priority -310; {self.match} counter;\n }}\n}}\n")
        return self

    def __exit__(self, *_):
        self.ns.run("nft", "delete", "table", "inet", self.table)

    def packets(self):
        text = self.ns.run("nft", "list", "table", "inet", self.table).stdout
        return int(text.split("counter packets ")[1].split()[0])
