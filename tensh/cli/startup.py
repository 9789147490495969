"""A quick start: nothing heavy is imported before it is needed, and what is needed is cheap.

Imports make hundreds of thousands of objects that stay until the end, and no garbage. Without the two functions here
the collector looks through them again and again, at start-up and once more when the interpreter ends: 20 ms of 115.
"""

import gc


def begin():
    """Before the imports: no collection."""
    gc.disable()


def freeze_loaded():
    """After the imports: what is there stays out of every collection to come; what the user makes is collected."""
    gc.freeze()
    gc.enable()


def end():
    """Whatever happened, leave with the collector on."""
    gc.enable()
