"""`srun strobe fleet` on two virtual nodes of this machine says what one process says. Needs root and Slurm."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from job_of_traces import write_job

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
PROGRAMS = ("slurmctld", "slurmd", "srun", "scontrol")

CONFIGURATION = """
ClusterName=strobe
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool_%n
TmpFS={folder}/tmp_%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd_%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd_%n.log
JobAcctGatherType=jobacct_gather/none
NodeName=virtual1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=1 State=UNKNOWN
NodeName=virtual2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=virtual1,virtual2 Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """Two nodes, and whoever they need."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        host = socket.gethostname().split(".")[0]
        port, port1, port2 = free_ports(3)
        self.configuration = folder / "slurm.conf"
        self.configuration.write_text(
            CONFIGURATION.format(host=host, folder=folder, port=port, port1=port1, port2=port2), encoding="utf-8")
        (folder / "state").mkdir()
        self.environment = dict(os.environ, SLURM_CONF=str(self.configuration))

    def start(self, *command):
        log = open(self.folder / (pathlib.Path(command[0]).name + ".out"), "ab")
        self.started.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))
        log.close()

    def __enter__(self):
        self.start("slurmctld", "-D")
        for node in ("virtual1", "virtual2"):
            (self.folder / f"spool_{node}").mkdir()
            (self.folder / f"tmp_{node}").mkdir()  # PMIx keeps files of a step there
            self.start("slurmd", "-D", "-N", node)
        for _ in range(100):
            states = self.run("sinfo", "-h", "-o", "%T").stdout.split()
            if states == ["idle"]:
                return self
            time.sleep(0.2)
        raise RuntimeError("the nodes do not come up: " + self.logs())

    def __exit__(self, *_):
        for one in reversed(self.started):
            one.terminate()
        for one in self.started:
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()

    def run(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=60)

    def logs(self):
        return "\n".join(path.name + ": " + path.read_text(errors="replace")[-1500:]
                         for path in [*self.folder.glob("*.log"), *self.folder.glob("*.out")])


class OnTwoNodes(unittest.TestCase):
    def setUp(self):
        missing = [program for program in PROGRAMS if not shutil.which(program)]
        if missing or os.geteuid() != 0:
            self.skipTest(f"it needs root and {', '.join(missing or PROGRAMS)}")
        if not (pathlib.Path(STROBE).parent / "libstrobe_mpi.so").is_file():
            self.skipTest("strobe was built without MPI")

    def test_two_nodes_say_what_one_process_says(self):
        with tempfile.TemporaryDirectory() as name, Slurm(pathlib.Path(name)) as slurm:
            run = write_job(pathlib.Path(name) / "run", 6, sleeper=2)
            words = [STROBE, "fleet", str(run), "--no-cache", "--format", "json"]
            once = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            done = slurm.run("srun", "--mpi=pmix", "-N", "2", "--ntasks-per-node", "1", *words)
            self.assertEqual(done.returncode, 0, done.stderr + slurm.logs())
            self.assertEqual(done.stdout, once)
            apart = slurm.run("srun", "--mpi=none", "-N", "2", *words)
            self.assertNotEqual(apart.returncode, 0)  # OpenMPI explains that it needs --mpi=pmix
            self.assertEqual(apart.stdout, "")


if __name__ == "__main__":
    unittest.main()
