"""Read randomly changed files, and report failures:  python tools/fuzz.py [NUMBER] [--minutes M] ...

Every file must be loaded, or refused with an exception that the reader documents and a message of one line.  The files are
read in processes with 512 MB of memory beyond their start and two seconds of the processor for each file; an audit hook
reports files written elsewhere, processes, sockets, imports, and code that is run.  A process that ends
is a finding, too.  The offending files are kept in a folder, and the command fails.

    python tools/fuzz.py 1000000 --jobs 2           the nightly run
    python tools/fuzz.py 20000 --reader session     one reader
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fuzz.files import driver


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("number", type=int, nargs="?", default=20_000, help="of files, all readers together")
    parser.add_argument("--minutes", type=float, help="begin nothing more after so many minutes")
    parser.add_argument("--reader", action="append", choices=list(driver.names()), help="one reader; may be repeated")
    parser.add_argument("--seed", type=int, default=0, help="other files")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--keep", default="fuzzing-findings", help="the folder for files that something is wrong with")
    asked = parser.parse_args()
    began = time.monotonic()
    found = driver.run(
        asked.number,
        asked.seed,
        asked.reader,
        asked.jobs,
        asked.minutes,
        asked.keep,
        lambda line: print(line, flush=True),
    )
    print(*found.wrong, sep="\n", end="\n" * bool(found.wrong))
    number, seconds = found.loaded + found.refused, time.monotonic() - began
    print(
        f"{number} files in {seconds:.0f} s: {found.loaded} loaded, {found.refused} refused, {len(found.wrong)} wrong"
    )
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
