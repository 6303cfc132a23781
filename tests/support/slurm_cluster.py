"""A real Slurm cluster of several nodes on this host, started by the tests themselves.

Rootless as well as for root: own munge key, own ports, everything in one folder, and
no service of the system is touched.
"""

import getpass
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.servers.ports import free_port

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun", "scontrol")
HOW = "apt-get install --no-install-recommends slurm-wlm munge"
NODES = 3
STARTING = 60.0


def missing_programs() -> list[str]:
    """Return what has to be installed before a cluster can be started."""
    return [name for name in PROGRAMS if program(name) is None]


def program(name: str) -> str | None:
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    return shutil.which(name, path=path)


@dataclass
class Cluster:
    """Two nodes with two processors each, and one that a test can take away."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    nodes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self) -> None:
        """Start all daemons and wait until the nodes are idle."""
        self._write()
        self._daemon(
            *("munged", "--foreground", "--force", "--num-threads=2"),
            f"--key-file={self.folder}/munge.key",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid",
            f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed",
        )
        until((self.folder / "munge.socket").exists, "munged to listen")
        self._daemon("slurmctld", "-D", "-c", "-f", f"{self.folder}/slurm.conf")
        for number in range(1, NODES + 1):
            self.start_node(f"n{number}")
        until(lambda: self.states().count("idle") == NODES, "all nodes to be idle")

    def start_node(self, name: str) -> None:
        """Start the daemon of one node."""
        self.nodes[name] = self._daemon(
            "slurmd", "-D", "-N", name, "-f", f"{self.folder}/slurm.conf"
        )

    def states(self) -> list[str]:
        """Return the state of each node."""
        answer = self.ask("sinfo", "--noheader", "--Node", "--format=%T")
        return answer.stdout.split()

    def ask(self, name: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [name, *arguments],
            env=os.environ | self.environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )

    def stop(self) -> None:
        """End the jobs, then all daemons."""
        self.ask("scancel", f"--user={getpass.getuser()}")
        until(lambda: not self.ask("squeue", "--noheader").stdout, "jobs to end")
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _daemon(self, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        log = self.folder / f"{name}-{len(self.processes)}.out"
        path = program(name)
        assert path is not None
        with log.open("wb") as output:
            process = subprocess.Popen(
                [path, *arguments],
                env=os.environ | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.processes.append(process)
        return process

    def _write(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        for name in ("state", *(f"spool-n{n}" for n in range(1, NODES + 1))):
            (self.folder / name).mkdir()
        host = socket.gethostname()
        ports = [free_port() for _ in range(NODES + 1)]
        nodes = "\n".join(
            f"NodeName=n{number} NodeHostname={host} NodeAddr=127.0.0.1 "
            f"Port={ports[number]} CPUs=2 RealMemory=500 State=UNKNOWN"
            for number in range(1, NODES + 1)
        )
        (self.folder / "slurm.conf").write_text(
            f"""\
ClusterName=tiny
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={getpass.getuser()}
SlurmdUser={getpass.getuser()}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd-%n.log
SlurmctldParameters=enable_configless
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
MessageTimeout=30
JobRequeue=1
{nodes}
PartitionName=batch Nodes=ALL Default=YES MaxTime=60 State=UP
"""
        )


def until(holds, what: str) -> None:
    """Wait until something holds, at most a minute."""
    deadline = time.monotonic() + STARTING
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"waited in vain for {what}")
        time.sleep(0.1)
