"""Configurations of the tests: small dictionaries in the names of the Clash file."""

MIXED, HTTP, SOCKS, REDIR, TPROXY, DNS = 17890, 17891, 17892, 17893, 17894, 15300
NODE_CIPHERS = ("aes-128-gcm", "aes-256-gcm", "chacha20-ietf-poly1305")


def base(rules=("MATCH,DIRECT",), **keys):
    """A mixed port on loopback and the given rules; underscores in key names become dashes."""
    config = {"mixed-port": MIXED, "mode": "rule", "ipv6": True, "rules": list(rules)}
    config.update({key.replace("_", "-"): value for key, value in keys.items()})
    return config


def dns(upstream, fake_ip=True, listen=f"127.0.0.1:{DNS}", **keys):
    """The `dns:` map with one upstream, HOST or HOST:PORT."""
    section = {
        "enable": True,
        "listen": listen,
        "ipv6": True,
        "enhanced-mode": "fake-ip" if fake_ip else "normal",
        "fake-ip-range": "198.18.0.1/16",
        "fake-ip-range6": "fdfe:dcba:9876::1/64",
        "nameserver": [upstream],
        "default-nameserver": [upstream],
    }
    section.update({key.replace("_", "-"): value for key, value in keys.items()})
    return section


def capture(mode="tproxy", **keys):
    """The `sluice:` map that captures what comes in on lan0."""
    section = {"interfaces": ["lan0"], "mode": mode, "dns-hijack": True}
    section.update({key.replace("_", "-"): value for key, value in keys.items()})
    return {"capture": section}


def gateway(upstream, rules=("MATCH,DIRECT",), mode="tproxy", capture_keys=None, **keys):
    """A capturing router with fake-IP DNS."""
    return base(
        rules,
        dns=dns(upstream),
        sluice=capture(mode, **(capture_keys or {})),
        **keys,
    )


def ss_node(name, server, port, cipher="aes-128-gcm", password="test-password", **keys):
    return {
        "name": name, "type": "ss", "server": server, "port": port,
        "cipher": cipher, "password": password, "udp": True, **keys,
    }


def socks_node(name, server, port, **keys):
    return {"name": name, "type": "socks5", "server": server, "port": port, "udp": True, **keys}


def select_group(name, *members):
    return {"name": name, "type": "select", "proxies": list(members)}
