"""Fuzz one reader with libFuzzer, guided by coverage:  python tools/guided_fuzz.py READER [--seconds S] [--keep FOLDER]

Needs the package atheris, which exists for some versions of Python only; `tools/fuzz.py` needs nothing, limits memory and
time, and watches for effects of a file.  This tool reads millions of small files in one process, which ends at
the first crash; files for which the reader raises an undocumented exception are kept in a folder.
"""

import argparse
import hashlib
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main():
    import atheris

    with atheris.instrument_imports(include=["tensh"]):
        from tests.fuzz.files.seeds import SEEDS, seeds
        from tests.fuzz.files.targets import TARGETS
        from tests.fuzz.files.worker import attempt

    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("reader", choices=list(SEEDS))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", default="fuzzing-findings", help="the folder for files that something is wrong with")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    target, folder, corpus = TARGETS[asked.reader], tempfile.mkdtemp(), tempfile.mkdtemp()
    for number, data in enumerate(seeds(asked.reader)):
        Path(corpus, str(number)).write_bytes(data)

    def read(data):
        message, _ = attempt(target, data, folder)
        if message and message.startswith("!"):
            path = Path(asked.keep, f"{asked.reader}-{hashlib.sha1(data, usedforsecurity=False).hexdigest()[:12]}")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            print(f"{path}: {ascii(message[2:300])}", flush=True)

    options = [f"-max_total_time={asked.seconds}", "-max_len=4000", "-print_final_stats=1", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, corpus], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
