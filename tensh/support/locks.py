"""Locks of state that threads share: a process that forks takes them first, so that its child finds them free."""

import os
import threading


def make_shared_lock():
    """Make a lock that no other thread holds at a fork: in the child there would be no thread to release it.

    Locks are taken for a fork in the reverse of the order in which they were made, so one that is held while others are
    taken is to be made after these.
    """
    lock = threading.RLock()
    hold_at_forks(lambda: [lock])
    return lock


def hold_at_forks(find_locks):
    """Take the locks that a function returns before every fork, and release them after it."""
    held = []

    def take():
        for lock in find_locks():
            lock.acquire()
            held.append(lock)

    def release():
        while held:
            held.pop().release()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=take, after_in_parent=release, after_in_child=release)
