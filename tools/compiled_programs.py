"""Compile and trace random functions, and compare values, gradients, written arguments and random numbers.

    python tools/compiled_programs.py [--programs 5000] [--first 0]

Prints every program that differs, and at the end how many were compiled and why others were not. The exit status is 1
if one differs.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main():
    from tests.support.compiled_programs import check_program, check_traces, make_program

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    traced = Counter()
    wrong, tried, reasons, seed = 0, 0, Counter(), given.first
    while tried < given.programs:
        seed += 1
        source = make_program(seed)
        if source is None:
            continue
        tried += 1
        found, compiled = check_program(source, f"<program {seed}>")
        compiled = compiled.compiled
        for kind, difference in check_traces(source, f"<program {seed}>").items():
            traced[kind] += 1
            if difference:
                wrong += 1
                print(f"program {seed}, {kind}: {difference}\n{source}", flush=True)
        if found:
            wrong += 1
            print(f"program {seed}: {found}\n{source}", flush=True)
        reason = "compiled" if compiled.graphs and not compiled.off else compiled.reason and compiled.reason.reason
        reasons[reason] += 1
        compiled.forget()
    print(f"{tried} programs, {wrong} differ; " + ", ".join(f"{times} by {kind}" for kind, times in traced.items()))
    for reason, times in reasons.most_common(25):
        print(f"{times:6} {reason}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
