"""The router under test: both processes under `sluice run`, in a namespace, with its own folders."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from support import proc
from support.netns import end_process
from support.paths import SLUICE, public_sluice
from support.wait import wait_until

START_LIMIT_S = 15.0
STOP_LIMIT_S = 10.0
ROLES = {
    "sluice-dataplane": "dataplane",
    "sluice-controlplane": "controlplane",
    "sluice-nft": "nft",
    "sluice-proc": "proc",
}


class Router:
    """Owns a folder with configuration, home and run directory, and every process under it.

    config: a dictionary (written as JSON, which YAML readers take) or YAML text.
    uid: the user that starts it; root when None. wrap: words in front of the command.
    captures: whether ready means that capture is on; None = when the configuration has it.
    files: name -> bytes or text, in the home directory before the start.
    """

    def __init__(self, namespace, config, name="router", env=None, wrap=(), uid=None,
                 captures=None, files=None):
        self.ns, self.name = namespace, name
        self.env, self.wrap = env or {}, list(wrap)
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-test-"))
        self.folder.chmod(0o755)
        self.home, self.run_dir = self.folder / "home", self.folder / "run"
        self.config_file = self.write("config.yaml", config)
        for file, content in (files or {}).items():
            self.put(file, content)
        self._program = SLUICE if uid is None else public_sluice()
        if uid is not None:
            os.chown(self.folder, uid, uid)
            self.wrap += ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "--"]
        if captures is None:
            captures = "capture" in self.config_file.read_text()
        self._captures = captures
        self.log_file = self.folder / "log"
        self.process = None
        self._known_pids = set()
        self._kernel_before = self._kernel_state()

    # --- life ---

    def start(self, wait=True):
        with self.log_file.open("ab") as log:
            self.process = self.ns.popen(
                *self.wrap, self._program, "run", "-f", self.config_file, "--home", self.home,
                "--run-dir", self.run_dir, stdout=log, stderr=subprocess.STDOUT,
                env={**os.environ, **self.env},
            )
        if wait:
            self.wait_ready()

    def wait_ready(self, limit=START_LIMIT_S):
        """Waits until both processes work and the first generation is in force."""

        def ready():
            if self.process.poll() is not None:
                raise AssertionError(
                    f"{self.name} ended with {self.process.returncode}\n{self.log_tail()}"
                )
            return self.try_status()

        try:
            status = wait_until(ready, limit, f"{self.name} ready")
        except AssertionError as problem:
            raise AssertionError(f"{problem}\n{self.log_tail()}") from None
        self.remember_pids()
        return status

    def try_status(self):
        """The status while everything works, else None."""
        try:
            result = self.cli("status", "--json", check=False, limit=3)
        except subprocess.TimeoutExpired:
            return None
        if result.returncode != 0:
            return None
        status = json.loads(result.stdout)
        working = status["generation"] > 0 and status["dataplane"] == "running"
        captures = not self._captures or status["capture"] == "on"
        return status if working and captures else None

    def stop(self, clean=True):
        """Stops the router. Fails when a process, rule, route, table or socket stays behind."""
        left = []
        if self.process is not None:
            self.remember_pids()
            end_process(self.process, STOP_LIMIT_S)
            if clean:
                left = self._leftovers()
            for pid in self._known_pids:
                if proc.alive(pid):
                    os.kill(pid, signal.SIGKILL)
            self.process = None
        if not left:
            shutil.rmtree(self.folder, ignore_errors=True)
        assert not left, f"{self.name} left behind: {left}\n{self.log_tail()}"

    def _leftovers(self):
        left = []
        still = [pid for pid in self._known_pids if proc.alive(pid)]
        if still:
            try:
                wait_until(lambda: not any(map(proc.alive, still)), 2, "processes end")
            except AssertionError:
                left += [f"process {proc.name(pid)} {pid}" for pid in still if proc.alive(pid)]
        after = self._kernel_state()
        for what, before in self._kernel_before.items():
            if after[what] != before:
                left.append(f"{what}: before {before}, after {after[what]}")
        left += [f"socket {path}" for path in self.run_dir.rglob("*") if path.is_socket()]
        return left

    def _kernel_state(self):
        """Everything that capture puts into the kernel and must take away again."""
        return {
            "tables": self.ns.run("nft", "list", "tables").stdout,
            "rules v4": self.ns.ip("-4", "rule"),
            "rules v6": self.ns.ip("-6", "rule"),
            "routes v4": local_routes(self.ns, "-4"),
            "routes v6": local_routes(self.ns, "-6"),
        }

    # --- the command line ---

    def cli(self, *words, check=True, limit=20):
        """`sluice --run-dir DIR WORDS` on the router's machine; output is text."""
        result = subprocess.run(
            self.ns.wrap([SLUICE, "--run-dir", self.run_dir, *words]),
            capture_output=True, text=True, timeout=limit,
        )
        if check and result.returncode != 0:
            raise AssertionError(
                f"sluice {' '.join(map(str, words))}: exit {result.returncode}\n"
                f"{result.stdout}{result.stderr}"
            )
        return result

    def json(self, *words):
        return json.loads(self.cli(*words, "--json").stdout)

    def status(self):
        return self.json("status")

    def flows(self, **wanted):
        """The flow table, or those whose metadata has all the given values."""
        return [
            flow
            for flow in self.json("flows")["connections"]
            if all(str(flow["metadata"].get(key)) == str(value) for key, value in wanted.items())
        ]

    def explain(self, target, network=None, source=None):
        words = ["explain", target]
        words += ["--network", network] if network else []
        words += ["--from", source] if source else []
        return self.json(*words)

    def select(self, group, name):
        self.cli("select", group, name)

    def selected(self, group):
        return next(g["now"] for g in self.status()["groups"] if g["name"] == group)

    def apply(self, config, *flags, check=True):
        """`config apply` with a new file."""
        return self.cli("config", "apply", self.write("next.yaml", config), *flags, check=check)

    def write(self, name, config):
        """A file in the router's folder, from a dictionary or a text."""
        path = self.folder / name
        path.write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
        return path

    def put(self, name, content):
        """A file in the home directory, replaced as editors do."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".new")
        fresh.write_bytes(content.encode() if isinstance(content, str) else content)
        fresh.replace(path)

    # --- processes ---

    def pids(self):
        """role -> pid: supervisor, dataplane, spawner, nft, controlplane (those that run)."""
        found = {"supervisor": self.process.pid}
        for pid in proc.descendants(self.process.pid):
            try:
                role = ROLES.get(proc.name(pid), proc.name(pid))
            except (FileNotFoundError, ProcessLookupError):
                continue
            if role == "dataplane" and role in found:
                role = "spawner"  # forked by the data plane from the same program
            found[role] = pid
        return found

    def pid(self, role):
        return self.pids()[role]

    def remember_pids(self):
        self._known_pids.update(self.pids().values() if proc.alive(self.process.pid) else [])

    def signal(self, role, number):
        """Sends a signal to one process; returns its pid."""
        self.remember_pids()
        pid = self.pid(role)
        os.kill(pid, number)
        return pid

    def kill(self, role):
        return self.signal(role, signal.SIGKILL)

    def wait_restarted(self, role, old_pid, limit=5.0):
        """Waits for a new process in this role; returns its pid."""

        def fresh():
            pid = self.pids().get(role)
            return pid if pid not in (None, old_pid) else None

        pid = wait_until(fresh, limit, f"{role} restarted")
        self.remember_pids()
        return pid

    # --- what it said ---

    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def log_tail(self, lines=60):
        return "\n".join(self.log().splitlines()[-lines:])


def local_routes(namespace, family):
    """`local default` routes: those that bring captured packets in."""
    lines = namespace.ip(family, "route", "show", "table", "all").splitlines()
    return [line for line in lines if line.startswith("local default")]
