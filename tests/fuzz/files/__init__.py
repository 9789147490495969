"""Mutated files, read one after the other: each must be loaded or refused, without any other effect.

`targets` names the readers, `seeds` has whole files of each kind, `mutators`, `pickles`, `archives` and `tables` change them,
`guidance` keeps those that reach new lines, `worker` reads them in a process with limits, `driver` starts such processes.
`tools/fuzz.py` is the command.
"""

from tests.fuzz.files.driver import run

__all__ = ["run"]
