"""nft rules and routes as a user writes them by hand for redir-port and tproxy-port."""

REDIRECT = """
table inet mine {{
  chain pre {{
    type nat hook prerouting priority dstnat;
    iifname "lan0" meta l4proto tcp fib daddr type != local redirect to :{port}
  }}
}}
"""

TPROXY = """
table inet mine {{
  chain pre {{
    type filter hook prerouting priority mangle;
    iifname "lan0" meta l4proto {{ tcp, udp }} fib daddr type != local \\
      tproxy to :{port} meta mark set 0x1 accept
  }}
}}
"""


def redirect_to(namespace, port):
    namespace.nft(REDIRECT.format(port=port))


def tproxy_to(namespace, port):
    namespace.nft(TPROXY.format(port=port))
    for family in ("-4", "-6"):
        namespace.ip(family, "rule", "add", "pref", "50", "fwmark", "1", "lookup", "50")
        namespace.ip(family, "route", "add", "local", "default", "dev", "lo", "table", "50")
