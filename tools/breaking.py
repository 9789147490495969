"""Break correct programs, and follow the advice:  python tools/breaking.py [--every N] [--program NAME] [--kind KIND]

Prints how many of the broken programs fail, get advice, and print the right output when the advice is followed; then
the advice that leads to another output. Status 1 if there is any.

    python tools/breaking.py                    all of them, the nightly run: two minutes
    python tools/breaking.py --kind uncalled    one kind of mistake
    python tools/breaking.py --silent           also programs without advice
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.explain.breaking import RIGHT, broken, outcome, run


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--every", type=int, default=1, help="only every Nth of them")
    parser.add_argument("--program", action="append", choices=list(RIGHT), help="one program; may be repeated")
    parser.add_argument("--kind", help="one kind of mistake")
    parser.add_argument("--silent", action="store_true", help="show those of which nothing is said, too")
    asked = parser.parse_args()
    names = asked.program or list(RIGHT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        printed = {}
        for name in names:
            path.write_text(RIGHT[name], encoding="utf-8")
            printed[name] = run(path)[1]
        count = Counter()
        for program in list(broken(names))[:: asked.every]:
            if asked.kind in (None, program.kind):
                found = outcome(program, path, printed[program.name])
                count[found.word] += 1
                if found.word == "false" or (asked.silent and found.word == "silent"):
                    print(f"=== {program.title}: {found.word}\n{found.text}{found.after}")
    failing = sum(count.values()) - count["right"] - count["wrong"]
    print(f"{sum(count.values())} programs with a mistake, {failing} of which fail: ", end="")
    words = {
        "mended": "mended", "other": "run in another way that is as likely", "told": "told what to do in words",
        "silent": "without advice", "false": "with advice that does not help",
    }  # fmt: skip
    print(", ".join(f"{count[word]} {text}" for word, text in words.items()))
    sys.exit(bool(count["false"]))


if __name__ == "__main__":
    main()
