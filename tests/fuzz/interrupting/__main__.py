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
