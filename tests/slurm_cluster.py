"""A real Slurm of one node on loopback with one GPU that is none: for the test of profiles/slurm.

Its daemons (Debian's munge, slurmctld and slurmd) keep all their files in one folder and listen on
ports of their own; no cgroups, no accounting database. The GPU is /dev/null: what is proved with it
is scheduling.
"""

import contextlib
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")
INSTALL = "apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge"
PATHS = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])
UP_WITHIN = 60.0  # seconds
DOWN_WITHIN = 20.0

# Eight cores of two threads, whatever the machine has, so that whole cores can be told from halves.
# MinJobAge keeps ended jobs known; KillWait is the time from SIGTERM to SIGKILL.
CONF = """\
ClusterName=test
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MinJobAge=300
KillWait=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
GresTypes=gpu
NodeName=localhost Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:1
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# The plugin's job step drops SLURM_CONF before it calls srun; this puts it back.
SRUN = """\
#!/bin/sh
SLURM_CONF={folder}/slurm.conf exec {srun} "$@"
"""


@dataclass(frozen=True)
class Job:
    """A job as Slurm knows it. Times in Unix seconds, whole ones; end is 0.0 while there is none.

    cpus: hardware threads of the node.
    """

    number: int
    rule: str
    wildcards: str
    state: str
    submit: float
    start: float
    end: float
    gpus: int
    cpus: int


@dataclass(frozen=True)
class Cluster:
    """A running cluster. environment: what its users' programs need."""

    folder: Path
    environment: dict[str, str]

    def call(self, *words: str) -> str:
        """What a program of Slurm prints; RuntimeError with that if it fails."""
        done = subprocess.run(
            words,
            env={**os.environ, **self.environment},
            timeout=30,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}")
        return done.stdout

    def jobs(self) -> list[Job]:
        """All jobs, by number."""
        lines = self.call("scontrol", "show", "jobs", "-o").splitlines()
        return sorted((_job(n) for n in lines if n.startswith("JobId=")), key=lambda j: j.number)


def wait_for(what: str, found: Callable, within: float):
    """The first true value of found(), asked five times a second; TimeoutError says what lacks."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not within {within:.0f} s")


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if not shutil.which(name, path=PATHS)]


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    """Start a cluster, and stop its jobs and daemons whatever happens."""
    with tempfile.TemporaryDirectory(prefix="slurm-") as name:
        made = _lay_out(Path(name))
        try:
            _start(made)
            yield made
        finally:
            _stop(made)


def _lay_out(folder: Path) -> Cluster:
    for part in ("state", "spool", "bin"):
        (folder / part).mkdir()
    controller, node = _free_ports(2)
    user = getpass.getuser()
    text = CONF.format(folder=folder, controller=controller, node=node, user=user)
    (folder / "slurm.conf").write_text(text)
    (folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    srun = folder / "bin" / "srun"
    srun.write_text(SRUN.format(folder=folder, srun=shutil.which("srun", path=PATHS)))
    srun.chmod(0o755)
    paths = os.pathsep.join([str(srun.parent), PATHS])
    return Cluster(folder, {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": paths})


def _start(made: Cluster) -> None:
    folder = made.folder
    munge = [
        f"--{name}-file={folder}/{file}"
        for name, file in (("key", "munge.key"), ("pid", "munged.pid"), ("log", "munged.log"))
    ]
    socket_words = [f"--socket={folder}/munge.socket", f"--seed-file={folder}/munged.seed"]
    for words in (["munged", "--force", *munge, *socket_words], ["slurmctld", "-c"], ["slurmd"]):
        # What a daemon keeps open must not be a pipe that somebody waits for.
        with (folder / f"{words[0]}.out").open("w") as out:
            subprocess.run(
                words,
                env={**os.environ, **made.environment},
                timeout=30,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
    try:
        wait_for("an idle node", lambda: _node_is_idle(made), UP_WITHIN)
    except TimeoutError as error:
        logs = [f"{p.name}:\n{p.read_text()[-2000:]}" for p in sorted(folder.glob("*.log"))]
        raise RuntimeError("\n".join([str(error), *logs])) from None


def _node_is_idle(made: Cluster) -> bool:
    with contextlib.suppress(RuntimeError):
        return made.call("sinfo", "-h", "-o", "%T").strip() == "idle"
    return False


def _stop(made: Cluster) -> None:
    """Jobs first, as long as somebody can end them; then the daemons, by their pid files."""
    with contextlib.suppress(RuntimeError, TimeoutError, subprocess.TimeoutExpired):
        made.call("scancel", "--user", getpass.getuser())
        wait_for("no job", lambda: not made.call("squeue", "-h").strip(), DOWN_WITHIN)
    for name in ("slurmd", "slurmctld", "munged"):
        _end(name, made.folder / f"{name}.pid")


def _end(name: str, pid_file: Path) -> None:
    with contextlib.suppress(OSError, ValueError, TimeoutError):
        number = int(pid_file.read_text())
        process = Path(f"/proc/{number}")
        if (process / "comm").read_text().strip() != name:
            return
        os.kill(number, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            wait_for(f"the end of {name}", lambda: not process.exists(), DOWN_WITHIN)
            return
        os.kill(number, signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _job(line: str) -> Job:
    said = dict(re.findall(r"(\S+?)=(\S*)", line))
    rule = re.fullmatch(r"rule_(.+?)(?:_wildcards_(.*))?", said.get("Comment", ""))
    gpus = re.search(r"gpu(?::\w+)?:(\d+)", said.get("TresPerJob", ""))
    return Job(
        number=int(said["JobId"]),
        rule=rule[1] if rule else "",
        wildcards=rule[2] or "" if rule else "",
        state=said["JobState"],
        submit=_seconds(said["SubmitTime"]),
        start=_seconds(said["StartTime"]),
        end=_seconds(said["EndTime"]),
        gpus=int(gpus[1]) if gpus else 0,
        cpus=int(said["NumCPUs"]),
    )


def _seconds(stamp: str) -> float:
    return 0.0 if stamp == "Unknown" else datetime.fromisoformat(stamp).timestamp()
