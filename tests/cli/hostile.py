"""Paths that are no files, and what may be said of them."""

import os

LONGEST = 600  # characters of a message


def refused(said, path, words):
    """Return True if one clear line about a file was said."""
    return (
        words in said and said.startswith(str(path)) and said.count("\n") == 1 and len(said) < LONGEST + len(str(path))
    )


def to_itself(path):
    path.symlink_to(path)


def in_a_circle(path):
    path.symlink_to(path.with_name("b"))
    path.with_name("b").symlink_to(path)


def to_nowhere(path):
    path.symlink_to("/nowhere/at/all")


def to_a_device(path):
    path.symlink_to("/dev/zero")


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(2**30)


def unreadable(path):
    path.write_text("1")
    path.chmod(0)


PLACES = {
    to_itself: "this link leads to itself, not to a file",
    in_a_circle: "this link leads to itself, not to a file",
    to_nowhere: "this link leads to /nowhere/at/all, which does not exist",
    to_a_device: "this is a device, not a file",
    os.mkfifo if hasattr(os, "mkfifo") else to_nowhere: "",
    os.mkdir: "this is a folder, not a file",
    sparse: "it is larger than the limit of 128 MiB: 1,024 MiB",
    unreadable: "Permission denied",
}
