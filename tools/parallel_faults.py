"""Kill processes at random moments: a rank of ``tensh launch``, a worker of ``tensh sweep``, or a whole sweep.

    python tools/parallel_faults.py [ranks] [workers] [--times 100] [--seed 0]

After each ``kill -9`` the command must end within its limit, no process and no shared memory may be left, and a sweep
must have every run once, done, and right. What is not as it must be is printed, then the figures; the exit status is 1
if there was anything. Linux only. The environment needs the extras ``mpi`` and ``sweep``.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
MARK = "TENSH_FAULTS"  # a variable that all processes of a command inherit, by which they are found
LIMIT = 60  # seconds for a command to end after the kill; a busy machine needs many
LINGER = 10  # seconds for the last processes to disappear

TRAINING = """
import time, torch
import torch.distributed as dist
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(300, 300))
end = time.monotonic() + 1
running = torch.ones(1)
while running:
    model(torch.ones(8, 300)).sum().backward()
    dist.broadcast(running := torch.tensor([float(time.monotonic() < end)]), 0)
dist.destroy_process_group()
"""

RUN = """
import os, time
n = 0
time.sleep(0.02)
with open("executed.txt", "a") as file:
    file.write(f"{n}\\n")
square = n * n
"""
RUNS = 60


def processes(mark):
    """Process number -> command line, of all processes with a mark that have not ended."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (
                        (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    )
    return found


def shared_memory():
    return {path.name for path in Path("/dev/shm").iterdir()}


class Fault:
    """A command that a process is killed in."""

    def __init__(self, number, folder, command):
        self.mark = f"{os.getpid()}.{number}"
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {MARK: self.mark, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        self.before = shared_memory()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tensh", *command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    def kill(self, is_target, choose):
        """Kill one of the command's processes; return whether there was one."""
        found = [pid for pid, line in sorted(processes(self.mark).items()) if is_target(pid, line)]
        if not found:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(choose(found), signal.SIGKILL)
        return True

    def end(self):
        """Wait for the command; return (seconds, output, faults)."""
        begin, faults = time.monotonic(), []
        try:
            said = self.process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            faults.append(f"it hangs: {processes(self.mark)}")
            for pid in processes(self.mark):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            said = self.process.communicate()[0]
        seconds = time.monotonic() - begin
        while (left := processes(self.mark)) and time.monotonic() < begin + seconds + LINGER:
            time.sleep(0.1)
        if left:
            faults.append(f"processes are left: {left}")
        if kept := {
            name for name in shared_memory() - self.before if name.startswith(("mpich", "ucx", "torch", "psm_"))
        }:
            faults.append(f"shared memory is left: {kept}")
        return seconds, said, faults


def kill_ranks(times, chance):
    """Kill a rank, or the process that supervises it, in each of many trainings."""
    waits, faults, killed, number = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "training.py").write_text(TRAINING)
        lasts = Fault("whole", folder, ["launch", "-n", "2", "training.py"]).end()[0]
        while killed < times:
            number += 1
            fault = Fault(number, folder, ["launch", "-n", "2", "training.py"])
            time.sleep(chance.uniform(0, lasts))
            hit = fault.kill(lambda pid, line: "tensh.cli.launching" in line and "mpiexec" not in line, chance.choice)
            killed += hit
            seconds, said, found = fault.end()
            waits.append(seconds)
            status = fault.process.returncode
            if hit and status == 0 and "training" in said:
                found.append(f"status 0: {said}")
            faults += report(number, found)
    print(
        f"ranks: {killed} of {number} commands were hit, the slowest ended after {max(waits):.1f} s; {len(faults)} faults"
    )
    return faults


def kill_workers(times, chance):
    """Kill a worker, or the whole command, which is resumed, in each of many sweeps."""
    from tensh.cli.sweeping.reading import read

    waits, faults, killed, executed, number = [], [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        lasts = begin_sweep("whole", folder).end()[0]
    while killed < times:
        number += 1
        with tempfile.TemporaryDirectory() as folder:
            fault = begin_sweep(number, folder)
            time.sleep(chance.uniform(0, lasts))
            main = fault.process.pid
            whole = chance.random() < 0.5
            hit = fault.kill(lambda pid, line: (pid == main) == whole and "tracker" not in line, chance.choice)  # noqa: B023
            killed += hit
            seconds, said, found = fault.end()
            waits.append(seconds)
            file = f"{folder}/runs.sqlite"
            if not os.path.exists(file):  # killed before it began
                found += [] if whole or fault.process.returncode else [f"no file: {said[-500:]}"]
                faults += report(number, found)
                continue
            if fault.process.returncode:
                again = Fault(f"{number}.again", folder, ["sweep", "runs.sqlite", "--resume", "--workers", "2"])
                _, said, more = again.end()
                found += more + (
                    [f"resumed, status {again.process.returncode}: {said[-500:]}"] if again.process.returncode else []
                )
            runs = read(file)[1]
            ns = sorted(int(run.settings["n"]) for run in runs)
            if ns and ns != list(range(1, RUNS + 1)):
                found.append(f"runs {ns}")
            wrong = [
                run for run in runs if run.state != "done" or run.values != {"square": int(run.settings["n"]) ** 2}
            ]
            if wrong:
                found.append(f"{len(wrong)} runs are not done: {wrong[:3]} {said[-500:]}")
            with contextlib.suppress(FileNotFoundError):
                executed += len(Path(folder, "executed.txt").read_text().splitlines()) - len(runs)
            faults += report(number, found)
    print(
        f"workers: {killed} of {number} commands were hit, the slowest ended after {max(waits):.1f} s, {executed} runs were "
        f"begun again; {len(faults)} faults"
    )
    return faults


def begin_sweep(number, folder):
    Path(folder, "run.py").write_text(RUN)
    values = ["--set", f"n=1:{RUNS}:1", "--report", "square"]
    return Fault(number, folder, ["sweep", "run.py", *values, "--workers", "2"])


def report(number, found):
    """Print faults; return them."""
    for each in found:
        print(f"{number}: {each}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=["ranks", "workers", []])
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    faults = []
    for name, kill in (("ranks", kill_ranks), ("workers", kill_workers)):
        if name in given.parts or not given.parts:
            faults += kill(given.times, random.Random(given.seed))
    sys.exit(bool(faults))
