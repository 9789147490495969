"""Measure the time of tensh in multiples of NumPy's and, where it is installed, of PyTorch's.

    python tools/bench.py [--group tiny|train|large|start] [--only REGEX] [--torch | --no-torch] [--rounds N] [--slack F]

A row is one workload, written once for tensh and PyTorch and once by hand in NumPy. All run in this process, in
turns, so that a change of the machine's speed affects all of them; a figure is the median over the rounds of the ratio
within a round. Start-up is timed in separate processes, whose best times are compared. The budgets are in
``bench_cases.py``, beside their workloads, and below. A row over its budget is measured again, longer, up to three
times with a pause before each, because other programs disturb a machine in bursts of seconds; the exit status is 1 if a
row is over its budget every time. Those rows are listed again at the end.
"""

import argparse
import gc
import importlib.util
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench_cases import CASES

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

# Budgets against PyTorch: of a row, and of the geometric mean of a group. None: only shown.
TORCH_BUDGETS = {"tiny": (1.0, 0.6), "train": (None, 0.8), "large": (None, 1.0), "start": (None, None)}


PAUSES = (0, 3, 10)  # seconds before a row over its budget is measured again


# ── start: whole processes, against the Python that does the least ───────────

IMPORT_NUMPY, NOTHING = ["-c", "import numpy"], ["-c", "pass"]
STARTS = [  # name, arguments of Python, against, budget
    ("tensh run, one line", ["-m", "tensh", "run", "{script}"], IMPORT_NUMPY, 1.25),
    ("tensh -c, one line", ["-m", "tensh", "-c", "torch.ones(2)"], IMPORT_NUMPY, 1.25),
    ("import tensh", ["-c", "import tensh"], IMPORT_NUMPY, 1.25),
    ("tensh --version", ["-m", "tensh", "--version"], NOTHING, 3.0),
    ("tensh --help", ["-m", "tensh", "--help"], NOTHING, 8.0),
]
PROMPTS = [  # name, keys typed at the first prompt, expected output, budget against the import of NumPy
    ("prompt, first paint", "", ">>> ", 2.0),
    ("prompt, first result", "torch.ones(2) + 41\r", "42.", 4.0),
]


def run_process(arguments, folder):
    """Return a function that runs Python once in a separate process."""
    script = Path(folder, "line.tsh")
    script.write_text("torch.tensor([1., 2.]) * 2\n")
    command = [sys.executable, *(argument.format(script=script) for argument in arguments)]
    return lambda: subprocess.run(command, cwd=folder, env=make_environment(folder), capture_output=True, check=True)


def make_environment(folder):
    """Return the environment of a process; its code is compiled once, by the untimed first run."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return kept | {"PYTHONPYCACHEPREFIX": folder, "PYTHONPATH": path, "TENSH_HISTORY": "off", "TERM": "xterm"}


def run_prompt(typed, wanted, folder):
    """Return a function that opens the prompt in a terminal, types, and waits for an output."""

    def work():
        ours, theirs = os.openpty()
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "start_new_session": True}
        with subprocess.Popen(
            [sys.executable, "-m", "tensh"], cwd=folder, env=make_environment(folder), **streams
        ) as process:
            os.close(theirs)
            seen, to_type = "", typed
            while wanted not in seen:
                seen += os.read(ours, 2**16).decode(errors="replace")
                if to_type and ">>> " in seen:
                    os.write(ours, to_type.encode())
                    to_type = ""
            process.kill()
        os.close(ours)

    return work


# ── measuring ────────────────────────────────────────────────────────────────


def time_calls(work, repeat):
    """Return how long ``work`` takes, on average over ``repeat`` calls."""
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def measure_in_turns(works, rounds, at_least):
    """Return the times of each of ``works`` in all rounds; a turn takes ``at_least`` seconds."""
    for work in works:
        work()
    repeats = [max(1, math.ceil(at_least / max(min(time_calls(work, 1), time_calls(work, 3)), 1e-8))) for work in works]
    gc.collect()
    turns = [[time_calls(*pair) for pair in zip(works, repeats, strict=True)] for _ in range(rounds)]
    return list(zip(*turns, strict=True))


def ratio(times, against, at_best):
    """Return the ratio of two lists of times; whole processes are compared by their best times."""
    if at_best:
        return min(times) / min(against)
    return statistics.median(a / b for a, b in zip(times, against, strict=True))


def format_time(time_):
    unit, scale = next(pair for pair in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 0)) if time_ >= pair[1])
    return f"{time_ / (scale or 1e-9):.3g} {unit}"


class Row:
    """One line of the table: the ratios of a case, and whether they are within their budgets."""

    def __init__(self, name, group, works, budget, rounds, at_least):
        self.name, self.group, self.budget, self.works = name, group, budget, works
        self.torch_budget = TORCH_BUDGETS[group][0] if len(works) > 2 else None
        self.measure(rounds, at_least)
        for pause in PAUSES:
            if not self.over():
                break
            time.sleep(pause)
            self.measure(3 * rounds, at_least)

    def measure(self, rounds, at_least):
        times = measure_in_turns(self.works, rounds, at_least)
        self.time = statistics.median(times[0])
        self.numpy, *torch = (ratio(times[0], other, self.group == "start") for other in times[1:])
        self.torch = torch[0] if torch else None

    def over(self):
        return self.numpy > self.budget or (self.torch_budget is not None and self.torch > self.torch_budget)

    def __str__(self):
        torch = (
            f"{self.torch:9.2f}{f'{self.torch_budget:7.2f}' if self.torch_budget else '      -'}" if self.torch else ""
        )
        mark = "   over budget" if self.over() else ""
        return f"{self.name:26}{format_time(self.time):>10}{self.numpy:9.2f}{self.budget:7.2f}{torch}{mark}"


class Failure(NamedTuple):
    """The line of a case that could not be measured."""

    name: str
    group: str
    reason: str
    torch = None

    def over(self):
        return True

    def __str__(self):
        return f"{self.name:26}  failed: {self.reason}"


def measure_case(name, group, works, *facts):
    """Measure one case; ``works`` makes the functions to compare."""
    try:
        return Row(name, group, works(), *facts)
    except Exception as error:
        return Failure(name, group, f"{type(error).__name__}: {error}")


def measure_cases(arguments, torch):
    """Measure the requested cases, one after the other."""

    def wanted(name, group):
        return arguments.group in (None, group) and re.search(arguments.only, name)

    import tensh

    for each in CASES:
        if wanted(each.name, each.group):
            modules = [tensh, torch] if torch else [tensh]

            def works(case=each, modules=modules):
                ours, *others = map(case.ours, modules)
                return [ours, case.by_hand(), *others]

            yield measure_case(each.name, each.group, works, each.budget * arguments.slack, arguments.rounds, 0.005)
    with tempfile.TemporaryDirectory() as folder:
        for name, command, against, budget in STARTS:
            if wanted(name, "start"):
                works = partial(list, [run_process(command, folder), run_process(against, folder)])
                yield measure_case(name, "start", works, budget * arguments.slack, 12, 0)
        for name, typed, result, budget in PROMPTS if os.name == "posix" else ():
            if wanted(name, "start"):
                works = partial(list, [run_prompt(typed, result, folder), run_process(IMPORT_NUMPY, folder)])
                yield measure_case(name, "start", works, budget * arguments.slack, 12, 0)


def report_groups(done):
    """Print the geometric mean of each group against PyTorch; return True if one exceeds its budget."""
    failed = False
    for group, (_, budget) in TORCH_BUDGETS.items():
        ratios = [line.torch for line in done if line.group == group and line.torch]
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            over = budget is not None and mean > budget
            failed |= over
            limit = f", budget {budget}" if budget else ""
            print(f"{group}: geometric mean {mean:.2f} of PyTorch's time{limit}{'   over budget' if over else ''}")
    return failed


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=TORCH_BUDGETS)
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose name matches")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--slack", type=float, default=1.0, help="multiply the budgets against NumPy by this, for a busy machine"
    )
    parser.add_argument(
        "--torch", action=argparse.BooleanOptionalAction, default=importlib.util.find_spec("torch") is not None,
        help="with PyTorch as well (default: where it is installed)",
    )  # fmt: skip
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    torch = importlib.import_module("torch") if arguments.torch else None
    print(f"{'':26}{'tensh':>10}{'/ NumPy':>9}{'budget':>7}{'/ torch   budget' if torch else ''}")
    done = []
    for line in measure_cases(arguments, torch):
        print(line, flush=True)
        done.append(line)
    failed = report_groups(done)
    over = [line for line in done if line.over()]
    if over:
        print("\nOver budget:", *over, sep="\n")
    return int(failed or bool(over))


if __name__ == "__main__":
    sys.exit(main())
