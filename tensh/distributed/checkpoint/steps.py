"""Steps that all ranks take together, and whose failure on any rank is raised on all."""

from tensh.distributed.checkpoint.api import CheckpointException, _is_wrapped_exception, _wrap_exception
from tensh.distributed.groups import get_rank, get_world_size
from tensh.distributed.objects import all_gather_object, broadcast_object_list, gather_object, scatter_object_list


def attempt(function, *arguments):
    """Return the result of a function, or its exception wrapped."""
    try:
        return function(*arguments)
    except BaseException as error:  # an interrupted rank must tell the others, too
        return _wrap_exception(error)


def find_failures(results):
    """Return rank -> wrapped exception for the results of all ranks."""
    return {rank: result for rank, result in enumerate(results) if _is_wrapped_exception(result)}


class Steps:
    """The ranks of a group, or this process alone; the first one coordinates.

    ``each`` runs a function on every rank; the coordinator's ``together`` then gets all results.
    """

    def __init__(self, group=None, alone=False):
        self.group, self.alone = group, alone
        self.rank, self.size = (0, 1) if alone else (get_rank(group), get_world_size(group))
        self.is_coordinator = self.rank == 0

    def scatter(self, name, each, together):
        """Return this rank's element of the coordinator's list ``together(results)``."""
        found = self._coordinate(name, each, together)
        if not self.alone:
            mine = [None]
            scatter_object_list(
                mine, (found if isinstance(found, list) else [found] * self.size) if self.is_coordinator else None,
                group=self.group, group_src=0,
            )  # fmt: skip
            found = mine[0]
        else:
            found = found[0] if isinstance(found, list) else found
        return self._raise(found)

    def broadcast(self, name, each, together):
        """Return the coordinator's ``together(results)`` on all ranks."""
        found = [self._coordinate(name, each, together)]
        if not self.alone:
            broadcast_object_list(found, group=self.group, group_src=0)
        return self._raise(found[0])

    def gather(self, name, each):
        """Return the results of all ranks, on all ranks."""
        results = [attempt(each)] * self.size
        if not self.alone:
            all_gather_object(results, results[0], group=self.group)
        if failures := find_failures(results):
            raise CheckpointException(name, failures)
        return results

    def _coordinate(self, name, each, together):
        """Return on the coordinator the common result or a CheckpointException, on others None."""
        results = [attempt(each)]
        if not self.alone:
            mine, results = results[0], [None] * self.size if self.is_coordinator else None
            gather_object(mine, results, group=self.group, group_dst=0)
        if not self.is_coordinator:
            return None
        failures = find_failures(results)
        found = None if failures else attempt(together, results)
        if _is_wrapped_exception(found):
            failures = {0: found}
        return CheckpointException(name, failures) if failures else found

    @staticmethod
    def _raise(found):
        if isinstance(found, CheckpointException):
            raise found
        return found
