"""Processes that are stopped at random moments, by ^C and by kill -9, and what is left of them.

    python -m tests.fuzz.interrupting --kills 1000 --interrupts 1000 [--seed 0] [--only NAME]

A scenario is a program and what must hold however it ends.  It runs to its end once, to see how long it takes; then it is
stopped at moments spread evenly over that time and a little more.  How long it takes changes with what else the machine
does: a program that ends before its moment says anew how long it takes, and another moment is drawn, so that the numbers
asked for are those of programs that were stopped.  ^C reaches all processes of the program, as from a terminal; kill -9
its first one.  Afterwards

- every file is as it was or as it should become, and there is no other;
- no process is left, nothing in the folder for temporary files, nothing in shared memory;
- after ^C the status says so, or the program was done; nothing is on stderr but the one traceback of a plain Python program
  or the one line of `tensh`;
- a terminal is as it was, and the next prompt can read the history.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tensh.cli.process import status as status_of
from tensh.cli.repl.history import History
from tests.support.project import plain_environment
from tests.support.terminal import Terminal

INTERRUPT, KILL = "^C", "kill -9"
PATIENCE = 60.0  # seconds that a process has to end
SHARED_MEMORY = Path("/dev/shm")


@dataclass
class Scenario:
    """A program to be stopped."""

    name: str
    command: list  # arguments of Python
    files: dict  # name -> content, before it runs
    results: dict  # name -> function of a path that fails unless the file is as one that is whole
    is_plain: bool = False  # plain Python, which shows the traceback of a KeyboardInterrupt


# ── programs ─────────────────────────────────────────────────────────────────
LOADER = """
import tensh as torch
from tensh.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, i):
        return torch.full((20_000,), float(i)), i

if __name__ == "__main__":
    options = dict(batch_size=4, num_workers=2, multiprocessing_context="METHOD")
    for x, i in DataLoader(Rows(), shuffle=True, **options):
        assert x.sum().item() == 20_000 * i.sum().item()
    stays = DataLoader(Rows(), persistent_workers=True, **options)
    for epoch in range(3):
        for x, i in stays:
            if epoch == 1:
                break
    at_exit = iter(DataLoader(Rows(), batch_size=8, num_workers=1, multiprocessing_context="METHOD"))
    next(at_exit)
"""

THREADED = """
import threading
import tensh as torch
from tensh.utils.data import DataLoader, TensorDataset

def read(data):
    for epoch in range(3):
        for x, in DataLoader(data, batch_size=8, num_workers=1, multiprocessing_context="fork"):
            x.sum()

data = TensorDataset(torch.randn(64, 3000))
threads = [threading.Thread(target=read, args=[data], daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

SAVES = """
import torch
from safetensors.torch import save_file

for step in range(25):
    whole = torch.full((100_000,), float(step))
    torch.save({"a": whole, "b": whole.clone()}, "model.pt")
    save_file({"a": whole, "b": whole.clone()}, "model.safetensors")
    torch.save({"a": whole, "b": whole}, "legacy.pt", _use_new_zipfile_serialization=False)
"""

TRAINING = """
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(128, 64), torch.randn(128, 1)
for step in range(150):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
loss
"""

SCRIPT = "\n".join(f"x{n} = torch.arange({n + 1}) * 2\nx{n}.sum()\n#> tensor({n * (n + 1)})" for n in range(60)) + "\n"
WRONG = re.sub(r"#> tensor\(\d+\)", "#> tensor(-1)", SCRIPT)


def is_saved(path):
    """A checkpoint whose two tensors are of one step."""
    import tensh as torch
    from tensh.utils.safetensors.torch import load_file

    found = load_file(path) if path.suffix == ".safetensors" else torch.load(path)
    assert found["a"].shape == (100_000,) and torch.equal(found["a"], found["b"])


def is_one_of(*contents):
    """A file with one of some contents."""

    def check(path):
        assert path.read_text() in contents, path.read_text()[:200]

    return check


def is_notebook_of(count):
    """A notebook with so many cells, or what stood there before."""

    def check(path):
        text = path.read_text()
        assert text == "old" or json.loads(text)["cells"], text[:200]

    return check


LINES = [  # typed at a prompt, and what is typed behind each
    ("x = torch.arange(100_000.)", "\r"),
    ("y = (x * 2).sum()", "\r"),
    ("%save state.safetensors", "\r"),
    ("for i in range(20): z = torch.randn(200, 200) @ torch.randn(200, 200)", "\r\r"),
    ("%load state.safetensors", "\r"),
    ("x += 1", "\r"),
    ("%undo", "\r"),
    ("\x1b[200~def f(a):\n    return a + 1\nf(3)\x1b[201~", "\r"),
    ('torch.save({"a": x, "b": x.clone()}, "model.pt")', "\r"),
    ("%save state.safetensors", "\r"),
    ("y", "\r"),
]


def is_session(path):
    """What `%save` has written at some time."""
    from tensh.utils.safetensors.torch import load_file

    assert load_file(path)["x"].tolist() == [*range(100_000)]


def tensh(*arguments):
    return ["-m", "tensh", *arguments]


COMMANDS = {
    "run": tensh("run", "script.tsh"),
    "run --json": tensh("run", "--json", "script.tsh"),
    "run --seed": tensh("run", "--seed", "1", "script.tsh"),
    "-c": tensh("-c", "torch.randn(100, 100) @ torch.randn(100, 100)"),
    "check": tensh("check", "script.tsh"),
    "check --json": tensh("check", "--json", "script.tsh"),
    "graph": tensh("graph", "-c", "x = torch.ones(3, requires_grad=True)\ny = (x * 2).exp().sum()", "y", "--values"),
    "graph --why": tensh(
        "graph", "-c", "x = torch.ones(3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()", "--why", "x"
    ),
    "doc": tensh("doc", "torch.matmul"),
    "api": tensh("api"),
    "api --missing": tensh("api", "--missing"),
    "env": tensh("env"),
    "config": tensh("config"),
    "--help": tensh("--help"),
    "training": tensh("run", "training.tsh"),
}

SCENARIOS = [
    *(
        Scenario(f"loader {method} {kind}", [*command, "loader.py"], {"loader.py": LOADER.replace("METHOD", method)}, {}, plain)
        for kind, command, plain in [("python", [], True), ("tensh", tensh("run"), False)]
        for method in ["fork", "spawn"]
    ),
    Scenario("loader in threads", ["loader.py"], {"loader.py": THREADED}, {}, True),
    Scenario(
        "saves", tensh("run", "saves.py"), {"saves.py": SAVES},
        dict.fromkeys(["model.pt", "model.safetensors", "legacy.pt"], is_saved),
    ),
    Scenario(
        "check --update", tensh("check", "--update", "document.tsh"), {"document.tsh": WRONG},
        {"document.tsh": is_one_of(WRONG, SCRIPT)},
    ),
    Scenario(
        "convert", tensh("convert", "--force", "script.tsh", "new.ipynb"), {"script.tsh": SCRIPT, "new.ipynb": "old"},
        {"new.ipynb": is_notebook_of(60)},
    ),
    *[Scenario("prompt", tensh(), {}, {"model.pt": is_saved, "state.safetensors": is_session})] * 5,
    *(
        Scenario(name, command, {"script.tsh": SCRIPT, "training.tsh": TRAINING}, {})
        for name, command in COMMANDS.items()
    ),
]  # fmt: skip


# ── stopping them ────────────────────────────────────────────────────────────
class Trial:
    """A run of a scenario in folders of its own."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.place = Path(tempfile.mkdtemp(prefix="stopped-"))
        for name in ("work", "home", "temporary"):
            (self.place / name).mkdir()
        for name, content in scenario.files.items():
            (self.place / "work" / name).write_text(content)

    def run(self, how=None, moment=0.0):
        """Run it, stopped at a moment or not; the seconds it took."""
        place = self.place
        with open(place / "out", "wb") as out, open(place / "err", "wb") as err:
            begin = time.monotonic()
            self.process = subprocess.Popen(
                [sys.executable, *self.scenario.command], cwd=place / "work", env=self.variables(), stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True,
            )  # fmt: skip
        if how:
            try:
                self.process.wait(moment)
            except subprocess.TimeoutExpired:
                if how == KILL:
                    self.process.kill()
                else:
                    os.killpg(self.process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        return time.monotonic() - begin

    def complaints(self, how):
        """What is not as it should be."""
        left = left_over(self.process.pid)
        if self.process.poll() is None:
            yield "it does not end"
        if left:
            yield f"processes are left: {left}"
        error = (self.place / "err").read_text(errors="replace")
        status = self.process.returncode
        usual = (0, 1, -signal.SIGINT) if self.scenario.is_plain else (0, status_of.INTERRUPTED, -signal.SIGINT)
        if how == INTERRUPT and status not in usual and not is_pythons(error):
            yield f"status {status}: {error[-500:]}"
        elif how is None and status:
            yield f"it fails undisturbed, with status {status}"
        if how != KILL or "spawn" not in self.scenario.name:  # a process whose beginning does not arrive says so
            yield from complaints_of(error, how == INTERRUPT, self.scenario.is_plain)
        temporary = [str(path.relative_to(self.place)) for path in (self.place / "temporary").rglob("*")]
        if temporary:
            yield f"temporary files: {temporary}"
        yield from self.complaints_of_files()

    @property
    def is_stopped(self):
        """Did it not come to its end?"""
        return self.process.returncode != 0

    def variables(self):
        """The environment of the program: its home and its folder for temporary files are here."""
        variables = plain_environment() | {"HOME": str(self.place / "home"), "TMPDIR": str(self.place / "temporary")}
        return {name: value for name, value in variables.items() if not name.startswith("XDG_")}

    def complaints_of_files(self):
        known = {*self.scenario.files, *self.scenario.results, "__pycache__"}
        for path in sorted((self.place / "work").iterdir()):
            if path.name not in known:
                yield f"a file is left: {path.name}"
            elif path.name in self.scenario.results:
                try:
                    self.scenario.results[path.name](path)
                except Exception as error:
                    yield f"{path.name}: {type(error).__name__}: {str(error)[:300]}"
        for name in self.scenario.files:
            if not (self.place / "work" / name).exists():
                yield f"a file is lost: {name}"

    def close(self):
        for pid in processes_of(self.process.pid):
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.place, ignore_errors=True)


def usual_settings():
    """The settings of a terminal that nobody has changed. Those of the prompt's own may be read too late: it changes them."""
    ends = os.openpty()
    try:
        return termios.tcgetattr(ends[0])
    finally:
        for end in ends:
            os.close(end)


class PromptTrial(Trial):
    """A prompt at which lines are typed.  ^C is typed, too, and stops what runs; the prompt goes on."""

    def run(self, how=None, moment=0.0):
        self.entered, self.was_stopped, self.status = [], False, None
        begin = time.monotonic()
        self.terminal = Terminal(cwd=self.place / "work", **self.variables() | {"TENSH_HISTORY": str(self.history)})
        self.pid, self.descriptor = self.terminal.process, self.terminal.descriptor
        end = begin + moment
        for line, typed in [("", ""), *LINES]:
            row = self.terminal.screen.row if line else -1
            if line:
                self.entered.append(line)
                self.terminal.type(line + typed)
            while not (self.terminal.at_prompt() and self.terminal.screen.row > row) and self.terminal.status is None:
                self.terminal.read(0.02)
                if how and time.monotonic() > end:
                    self.stop(how)
                    return time.monotonic() - begin
        seconds = time.monotonic() - begin
        self.leave()
        return seconds

    @property
    def is_stopped(self):
        return self.was_stopped

    @property
    def history(self):
        return self.place / "home" / "history"

    def stop(self, how):
        self.was_stopped = True
        if how == KILL:
            self.terminal.kill()
            return
        self.terminal.type("\x03")
        self.leave()

    def is_waiting(self):
        """Is the cursor behind an empty prompt?  The terminal itself may have shown the ^C before it."""
        return "".join(self.terminal.screen.line).rstrip().removeprefix("^C") == ">>>"

    def leave(self):
        """Use the prompt once more, and end it."""
        end = time.monotonic() + PATIENCE / 2
        while self.terminal.status is None and not (self.is_waiting() and not self.terminal.read(0.1)):
            self.terminal.read(0.02)
            if time.monotonic() > end:
                self.terminal.raw += "Traceback: no prompt comes"
                self.terminal.kill()
                return
        if self.terminal.status is None:
            self.terminal.type("print(6 * 7)\r")
            end = time.monotonic() + PATIENCE / 2
            while "\n42\n" not in self.terminal.screen.text() and time.monotonic() < end:
                self.terminal.read(0.1)
            self.terminal.raw += "" if "\n42\n" in self.terminal.screen.text() else "Traceback: it does not go on"
            while not self.is_waiting() and time.monotonic() < end:
                self.terminal.read(0.1)
            self.entered += ["print(6 * 7)", "exit"]
            self.changed = termios.tcgetattr(self.descriptor)
            self.terminal.type("exit\r")
            while self.terminal.status is None:
                self.terminal.read(1)
                if time.monotonic() > end + PATIENCE:
                    self.terminal.raw += "Traceback: it does not end"
                    self.terminal.kill()
                    return
                with contextlib.suppress(termios.error):
                    self.changed = termios.tcgetattr(self.descriptor)
            if self.changed != (usual := usual_settings()):
                self.terminal.raw += f"Traceback: the terminal is {self.changed}, and was as all are: {usual}"
        self.status = self.terminal.status

    def complaints(self, how):
        raw = self.terminal.raw
        if left := left_over(self.pid):
            yield f"processes are left: {left}"
        is_begun = ">>>" in raw or not is_pythons(raw)
        if ("Traceback" in raw and is_begun) or "Exception ignored" in raw:
            yield f"the screen: {self.terminal.screen.text()[-1500:]} {raw[-600:]}"
        if how != KILL and is_begun and self.status not in (0, status_of.INTERRUPTED, -signal.SIGINT):
            yield f"status {self.status}: {raw[-600:]}"
        if how != KILL and raw.rfind("\x1b[?2004h") > raw.rfind("\x1b[?2004l"):
            yield "the terminal still marks what is pasted"
        yield from self.complaints_of_history()
        yield from self.complaints_of_files()

    def complaints_of_history(self):
        history = History(self.history)
        found = history.entries()
        entered = [re.sub("\x1b.....", "", line) for line in self.entered]
        rest = iter(entered)
        if history.notices or not all(entry in rest for entry in found):
            yield f"the history: {history.notices}, {found}"
        if len(found) < len(entered) - 2:  # the one that ^C came in, and the one that was being typed
            yield f"the history has lost lines: {found} of {entered}"

    def close(self):
        for pid in processes_of(self.pid):
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.close(self.descriptor)
        shutil.rmtree(self.place, ignore_errors=True)


FRAMES = r"Traceback \(most recent call last\):\n(?:  .*\n|\n)*"
TRACEBACK = re.compile(rf"(?:{FRAMES}\w+(?:: .*)?\n\nDuring handling .*\n\n)*{FRAMES}KeyboardInterrupt\n?")
LINE = re.compile(r"(?:\S.*: )?interrupted\n(?:(?:  |#).*\n)*")
USUAL = "document.tsh: new outputs written\n"


def is_pythons(error):
    """Is this Python's own complaint, of before it has come to the program?"""
    if "init_import_site" in error:  # the site reads the settings of packages, which are code, too
        return True
    if "Could not import runpy module" in error:  # `python -m` imports it before the program
        return True
    return bool(error) and not any(ours in error for ours in ("/tensh/", "loader.py", "saves.py", '"<string>"'))


def complaints_of(error, is_interrupted, is_plain):
    """What is on stderr and should not be."""
    if is_interrupted:
        if is_pythons(error):
            return
        error = (TRACEBACK if is_plain else LINE).sub("", error, count=1)
    if error.replace(USUAL, "").strip():
        yield f"stderr: {error[-1500:]}"


def processes_of(session):
    """The processes of a session, which a program begins."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(entry))
    return found


def left_over(session):
    """The processes of a session that do not end within a while."""
    end = time.monotonic() + PATIENCE / 2
    while (found := processes_of(session)) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def start(scenario):
    return (PromptTrial if scenario.name == "prompt" else Trial)(scenario)


def stop(scenario, how, moment):
    """(the seconds it took, whether it was stopped before its end, complaints) of one run."""
    trial = start(scenario)
    try:
        seconds = trial.run(how, moment)
        return seconds, trial.is_stopped, [*trial.complaints(how)]
    finally:
        trial.close()


class Moments:
    """When to stop a scenario: moments of the time that it takes, which is learned anew from every run."""

    SLACK = 1.1  # how much longer it may take than the time before

    def __init__(self, scenario, chance):
        self.scenario, self.chance = scenario, chance
        self.seconds = measure(scenario)

    def stop(self, how):
        """(the moment, whether it was stopped before its end, complaints) of one run."""
        moment = self.chance.uniform(0, self.SLACK * self.seconds)
        seconds, is_stopped, complaints = stop(self.scenario, how, moment)
        self.seconds = max(self.seconds, moment) if is_stopped else seconds
        return moment, is_stopped, complaints


def measure(scenario):
    """Seconds that a run takes that nobody stops; it must not fail."""
    trial = start(scenario)
    try:
        seconds = trial.run()
        found = [*trial.complaints(None)]
        assert not found, f"{scenario.name}: {found}"
        return seconds
    finally:
        trial.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--interrupts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of the names of the scenarios")
    options = parser.parse_args()
    chosen = [scenario for scenario in SCENARIOS if options.only in scenario.name]
    # ignored in the background, and then by all that begins here
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance = random.Random(options.seed)
    moments = {scenario.name: Moments(scenario, chance) for scenario in {each.name: each for each in chosen}.values()}
    shared = {*os.listdir(SHARED_MEMORY)} if SHARED_MEMORY.exists() else set()
    runs, wrong = Counter(), 0
    turns = [how for how, count in ((KILL, options.kills), (INTERRUPT, options.interrupts)) for _ in range(count)]
    for number, how in enumerate(turns):
        scenario, is_stopped = chosen[number % len(chosen)], False
        while not is_stopped:
            moment, is_stopped, found = moments[scenario.name].stop(how)
            runs[how] += 1
            for complaint in found:
                wrong += 1
                print(f"{scenario.name}, {how} after {moment:.3f} s: {complaint}", flush=True)
        if number % 50 == 49:
            print(f"{number + 1} stopped", flush=True)
    if SHARED_MEMORY.exists() and (left := {*os.listdir(SHARED_MEMORY)} - shared):
        print("in shared memory, of these or other programs:", sorted(left))
    for how in runs:
        print(f"{how}: {turns.count(how)} stopped before their end, in {runs[how]} runs")
    print(f"{wrong} complaints")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
