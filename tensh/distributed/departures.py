"""Processes that end while others wait for them.

A process whose program is done tells all others by a message before MPI ends.  Who waits looks for these messages now and
then: what needs a process that has ended will not happen, which is an error long before the time limit.
"""

import multiprocessing.util
import threading

import numpy as np

watched = None
"""The departures of this process's world, once it has joined one."""


class Departures:
    """The processes of a world that have told that they end."""

    def __init__(self, mpi, world):
        self.mpi, self.world = mpi, world.Dup()
        self.ended, self.lock, self.sent = set(), threading.Lock(), []
        multiprocessing.util.Finalize(None, self.tell, exitpriority=1)  # also runs in children of multiprocessing

    def tell(self):
        """Tell all other processes that this one ends."""
        if not self.mpi.Is_finalized():
            others = [rank for rank in range(self.world.size) if rank != self.world.rank]
            self.sent = [self.world.Isend(np.zeros(1, np.uint8), rank) for rank in others]

    def find(self, communicator, ranks):
        """Return the first of some ``ranks`` of a communicator that has ended, or None."""
        with self.lock:
            status = self.mpi.Status()
            while self.world.Iprobe(status=status):
                self.world.Recv(np.zeros(1, np.uint8), status.Get_source())
                self.ended.add(status.Get_source())
        if not self.ended:
            return None
        places = communicator.group.Translate_ranks(ranks, self.world.group)
        return next((rank for rank, place in zip(ranks, places, strict=True) if place in self.ended), None)


def watch(mpi, world):
    """Begin to tell and to look; all processes of the world call this."""
    global watched
    if watched is None:
        watched = Departures(mpi, world)


def find_ended(communicator, ranks=None):
    """Return the first of some ``ranks`` of a communicator, by default of all, that has ended, or None."""
    return watched and watched.find(communicator, range(communicator.size) if ranks is None else ranks)
