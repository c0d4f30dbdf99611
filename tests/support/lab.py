"""The networks that whole-box tests run in.

    lan                        router                          wan
    eth0 192.168.77.2 ------- lan0 192.168.77.1
         192.168.77.3         wan0 203.0.113.1 --------------- eth0 203.0.113.2  origin, echo
         fd77::2, fd77::3     fd77::1, 2001:db8:203::1              203.0.113.53 DNS upstream
                                                                    192.0.2.50, 192.0.2.53
                                                                    2001:db8:203::2, ::53, ::50

The router forwards without NAT: the WAN sees the client's own address when a flow went plainly, and
the router's when the router carried it.
"""

from support.netns import Namespace

LAN_NET4, LAN_NET6 = "192.168.77.0/24", "fd77::/64"
CLIENT4, CLIENT6 = "192.168.77.2", "fd77::2"
SECOND4, SECOND6 = "192.168.77.3", "fd77::3"
GATEWAY4, GATEWAY6 = "192.168.77.1", "fd77::1"
ROUTER4, ROUTER6 = "203.0.113.1", "2001:db8:203::1"
WAN4, WAN6 = "203.0.113.2", "2001:db8:203::2"
UPSTREAM4, UPSTREAM6 = "203.0.113.53", "2001:db8:203::53"
FAR4, FAR6 = "192.0.2.50", "2001:db8:203::50"
FAR_DNS4 = "192.0.2.53"


class Box:
    """One namespace with lo only. All of 127.0.0.0/8 and ::1 answer."""

    def __enter__(self):
        self.ns = Namespace("box")
        return self

    def __exit__(self, *_):
        self.ns.close()


class Lab:
    """The three namespaces of the picture; everything in them ends with the block."""

    def __enter__(self):
        self._made = []
        try:
            self.lan, self.router, self.wan = (self._make(r) for r in ("lan", "router", "wan"))
            self._link(self.lan, "eth0", self.router, "lan0")
            self._link(self.router, "wan0", self.wan, "eth0")
            self._address_router()
            self._address(self.lan, [CLIENT4, SECOND4], [CLIENT6, SECOND6], GATEWAY4, GATEWAY6)
            self._address(
                self.wan, [WAN4, UPSTREAM4, FAR4, FAR_DNS4], [WAN6, UPSTREAM6, FAR6],
                ROUTER4, ROUTER6,
            )
            self.lan.set_resolver(GATEWAY4)
            self.router.set_resolver(UPSTREAM4)
            self.wan.set_resolver(UPSTREAM4)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for namespace in reversed(self._made):
            namespace.close()

    def _make(self, role):
        namespace = Namespace(role)
        self._made.append(namespace)
        return namespace

    @staticmethod
    def _link(left, left_name, right, right_name):
        left.ip("link", "add", "name", left_name, "type", "veth",
                "peer", "name", right_name, "netns", right.name)
        left.ip("link", "set", left_name, "up")
        right.ip("link", "set", right_name, "up")

    def _address_router(self):
        for address in (f"{GATEWAY4}/24", f"{GATEWAY6}/64"):
            self.router.ip("address", "add", address, "dev", "lan0", *nodad(address))
        for address in (f"{ROUTER4}/24", f"{ROUTER6}/64"):
            self.router.ip("address", "add", address, "dev", "wan0", *nodad(address))
        self.router.ip("route", "add", "192.0.2.0/24", "via", WAN4)
        self.router.run("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")

    @staticmethod
    def _address(namespace, v4, v6, gateway4, gateway6):
        for address in v4:
            # A server address outside the link's network has no on-link neighbours.
            length = 32 if address.startswith("192.0.2.") else 24
            namespace.ip("address", "add", f"{address}/{length}", "dev", "eth0")
        for index, address in enumerate(v6):
            # Only the first is chosen as a source by itself; the others are there to be bound.
            use = [] if index == 0 else ["preferred_lft", "0"]
            namespace.ip("address", "add", f"{address}/64", "dev", "eth0", "nodad", *use)
        namespace.ip("route", "add", "default", "via", gateway4)
        namespace.ip("-6", "route", "add", "default", "via", gateway6)


def nodad(address):
    """Duplicate detection would delay the first packet by a second; IPv4 has none."""
    return ["nodad"] if ":" in address else []
