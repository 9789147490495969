"""Processes that are stopped at random moments, by ^C and by kill -9, and the state that they leave.

    python -m tests.fuzz.interrupting --kills 1000 --interrupts 1000 [--seed 0] [--only NAME]

A scenario is a program and conditions that must hold however it ends. It first runs to its end, to measure its time;
then it is stopped at moments spread evenly over that time and a little more. The time depends on the load of the
machine: if a program ends before its moment, its time is measured again and another moment is drawn, so that only
programs that were stopped are counted. ^C reaches all processes of the program, as from a terminal; kill -9 reaches its
first one. Afterwards

- every file is in its old or its new state, and there are no others;
- no process is left, nothing in the folder for temporary files, nothing in shared memory;
- after ^C the exit status reports that, unless the program had finished; stderr has only the traceback of a plain Python program
  or the one line of `tensh`;
- a terminal is as it was, and the next prompt can read the history.
"""

import argparse
import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path

from tests.fuzz.interrupting.scenarios import SCENARIOS
from tests.fuzz.interrupting.trials import INTERRUPT, KILL, start, stop

SHARED_MEMORY = Path("/dev/shm")


class Moments:
    """When to stop a scenario: moments within its time, which every run measures again."""

    SLACK = 1.1  # factor by which it may take longer than before

    def __init__(self, scenario, chance):
        self.scenario, self.chance = scenario, chance
        self.seconds = measure(scenario)

    def stop(self, how):
        """Return (the moment, whether it was stopped before its end, complaints) of one run."""
        moment = self.chance.uniform(0, self.SLACK * self.seconds)
        seconds, is_stopped, complaints = stop(self.scenario, how, moment)
        self.seconds = max(self.seconds, moment) if is_stopped else seconds
        return moment, is_stopped, complaints


def measure(scenario):
    """Measure the seconds of a run that is not stopped; it must not fail."""
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
