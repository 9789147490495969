"""A run of a scenario in separate folders, interrupted or not, and complaints about what it leaves behind."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from tensh.cli.process import status as status_of
from tensh.cli.repl.history import History
from tests.fuzz.interrupting.scenarios import LINES
from tests.support.project import plain_environment
from tests.support.terminal import Terminal

INTERRUPT, KILL = "^C", "kill -9"
PATIENCE = 60.0  # seconds that a process has to end


class Trial:
    """A run of a scenario in separate folders."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.place = Path(tempfile.mkdtemp(prefix="stopped-"))
        for name in ("work", "home", "temporary"):
            (self.place / name).mkdir()
        for name, content in scenario.files.items():
            (self.place / "work" / name).write_text(content)

    def run(self, how=None, moment=0.0):
        """Run it, stopped at a moment or not; return the seconds it took."""
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
        """Yield complaints about violated conditions."""
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
        # a child process whose arguments do not arrive reports that
        if how != KILL or "spawn" not in self.scenario.name:
            yield from complaints_of(error, how == INTERRUPT, self.scenario.is_plain)
        temporary = [str(path.relative_to(self.place)) for path in (self.place / "temporary").rglob("*")]
        if temporary:
            yield f"temporary files: {temporary}"
        yield from self.complaints_of_files()

    @property
    def is_stopped(self):
        """Was it stopped before its end?"""
        return self.process.returncode != 0

    def variables(self):
        """The environment of the program, with the home and temporary folders of the trial."""
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
    """A terminal's default settings. The prompt's own terminal may be read too late, after it has changed them."""
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
        """Return True if the cursor is behind an empty prompt.  The terminal itself may have shown the ^C before it."""
        return "".join(self.terminal.screen.line).rstrip().removeprefix("^C") == ">>>"

    def leave(self):
        """Use the prompt once more, and leave it."""
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
        if len(found) < len(entered) - 2:  # the line that ^C interrupted, and the one that was being typed
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
    """Return True if the complaint is Python's own, from before it reached the program."""
    if "init_import_site" in error:  # Python's site module runs the code in .pth files of packages
        return True
    if "Could not import runpy module" in error:  # `python -m` imports it before the program
        return True
    return bool(error) and not any(ours in error for ours in ("/tensh/", "loader.py", "saves.py", '"<string>"'))


def complaints_of(error, is_interrupted, is_plain):
    """Yield complaints about the unexpected part of stderr."""
    if is_interrupted:
        if is_pythons(error):
            return
        error = (TRACEBACK if is_plain else LINE).sub("", error, count=1)
    if error.replace(USUAL, "").strip():
        yield f"stderr: {error[-1500:]}"


def processes_of(session):
    """The processes of a session, which a program starts."""
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
    """Return (the seconds it took, whether it was stopped before its end, complaints) of one run."""
    trial = start(scenario)
    try:
        seconds = trial.run(how, moment)
        return seconds, trial.is_stopped, [*trial.complaints(how)]
    finally:
        trial.close()
