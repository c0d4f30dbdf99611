"""Real programs as peers, each on a port of its own in a namespace."""

from support.netns import bracketed
from support.wait import wait_until

PASSWORD = "test-password"


def wait_listening(namespace, port, what):
    def listening():
        lines = namespace.run("ss", "-Hltn", f"sport = :{port}").stdout
        return bool(lines.strip())

    wait_until(listening, 5, f"{what} listens")


def ss_server(namespace, address, port, cipher):
    """Debian's shadowsocks-libev, TCP and UDP."""
    namespace.popen("ss-server", "-s", address, "-p", port, "-k", PASSWORD, "-m", cipher, "-u",
                    "-t", "60")
    wait_listening(namespace, port, "ss-server")


def microsocks(namespace, address, port, login=None):
    words = ["microsocks", "-i", address, "-p", port]
    if login:
        words += ["-u", login[0], "-P", login[1]]
    namespace.popen(*words)
    wait_listening(namespace, port, "microsocks")


def danted(namespace, address, port, folder, outside):
    """dante's server without login: CONNECT and UDP ASSOCIATE."""
    config = folder / "danted.conf"
    config.write_text(f"""
logoutput: {folder}/danted.log
internal: {bracketed(address)} port = {port}
external: {outside}
socksmethod: none
clientmethod: none
user.privileged: root
user.unprivileged: nobody
client pass {{ from: 0/0 to: 0/0 }}
socks pass {{ from: 0/0 to: 0/0 command: connect udpassociate bindreply udpreply }}
""")
    namespace.popen("danted", "-f", config, "-p", folder / "danted.pid")
    wait_listening(namespace, port, "danted")


def iperf_server(namespace, address, port):
    namespace.popen("iperf3", "-s", "-B", address, "-p", port)
    wait_listening(namespace, port, "iperf3")
