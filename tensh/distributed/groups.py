"""Process groups: creation, destruction, lookup, and their processes."""

import itertools
import warnings
from dataclasses import dataclass
from datetime import timedelta

from tensh.distributed.backends import Backend, check_built, devices_of
from tensh.distributed.mpi.world import count_started, is_mpi_there, is_started_together, join_world, require_mpi
from tensh.distributed.process_group import ProcessGroup
from tensh.distributed.rendezvous_handlers import rendezvous
from tensh.distributed.stores.store import HashStore, PrefixStore


@dataclass(frozen=True)
class Entry:
    """The data of a group: its processes' global ranks, its backend, its store, and what carries its tensors."""

    ranks: tuple
    backend: str
    store: object
    communicator: object
    timeout: timedelta


class World:
    """The groups of this process: the group of all processes, and a dict of all groups."""

    def __init__(self):
        self.default_pg, self.groups, self.numbers = None, {}, itertools.count()

    def clear(self):
        self.__init__()


World.__module__, World.__qualname__ = "torch.distributed.distributed_c10d", "_World"
_world = World()


class _Members(type):
    """The type of ``group``: its ``WORLD`` is the group of all processes."""

    @property
    def WORLD(cls):
        return _world.default_pg

    @WORLD.setter
    def WORLD(cls, group):
        _world.default_pg = group


class group(metaclass=_Members):
    """``group.WORLD`` is the group of all processes, or None before ``init_process_group``."""


class GroupMember(metaclass=_Members):
    """``GroupMember.NON_GROUP_MEMBER`` marks a group to which this process does not belong."""

    NON_GROUP_MEMBER = -100


group.__module__ = GroupMember.__module__ = "torch.distributed.distributed_c10d"


def is_initialized():
    """Return True if the group of all processes exists.

    >>> import tensh as torch
    >>> torch.distributed.is_initialized()
    False
    """
    return _world.default_pg is not None


def find_group(given=None):
    """Return a group; None means the group of all processes.  Raise ValueError if there is none."""
    if _world.default_pg is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _world.default_pg if given is None else given


def entry_of(given=None, unknown=None):
    """Return the data of a group.  Raise ValueError for a group that was not created here, or was destroyed."""
    found = _world.groups.get(find_group(given))
    if found is None:
        raise ValueError(unknown or "Invalid process group specified")
    return found


def is_outside(given):
    """Return True for the marker of a group to which this process does not belong."""
    return given == GroupMember.NON_GROUP_MEMBER


def member_group(name, given):
    """Return the group for a collective; warn and return None if this process does not belong to it."""
    if is_outside(given):
        warnings.warn(
            f"Running {name} on global rank {get_rank()} which does not belong to the given group.", stacklevel=3
        )
        return None
    found = find_group(given)
    entry_of(
        found,
        f"Process group {found} is not initialized in the world group map. Please initialize the group first.",
    )
    return found


def check_timeout(timeout):
    """Raise TypeError for a time-out that is not a timedelta."""
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


def init_process_group(
    backend=None,
    init_method=None,
    timeout=None,
    world_size=-1,
    rank=-1,
    store=None,
    group_name="",
    pg_options=None,
    device_id=None,
):
    """Create the group of all processes.

    They meet at a ``store``, with ``rank`` and ``world_size``, or at a URL ``init_method``, by default ``env://``. MPI
    carries the tensors of several processes. If ``tensh launch`` or ``mpiexec`` has started them, ``mpi`` needs no
    other information about their number; ``gloo`` means the same. Others, such as those of ``mp.spawn``, start MPI
    where they meet. Collectives wait up to ``timeout``, by default 30 minutes. Raise ValueError for a second group and
    for missing information, RuntimeError for an unavailable backend, and for several processes without MPI.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.get_rank(), dist.get_world_size(), dist.is_initialized()
    (0, 1, True)
    >>> dist.destroy_process_group()
    """
    if _world.default_pg is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is not None and world_size <= 0:
        raise AssertionError("world_size must be positive if using store")
    if store is not None and rank < 0:
        raise AssertionError("rank must be non-negative if using store")
    backend = Backend(Backend.UNDEFINED if backend is None else backend)
    check_timeout(timeout)
    if backend == Backend.MPI and is_mpi_there() and (is_started_together() or world_size < 0):
        (rank, world_size), store = count_started(), HashStore() if store is None else store
    require_mpi(world_size, backend == Backend.MPI and store is init_method is None)
    if store is None:
        seconds = None if timeout is None else timeout.total_seconds()
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, seconds))
    check_built(backend)
    if rank >= world_size:
        raise RuntimeError(f"rank < size: the rank is {rank}, and world_size {world_size}")
    store, timeout = PrefixStore("default_pg", store), timeout or default_pg_timeout
    communicator = None if world_size == 1 else join_world(rank, world_size, store, timeout)
    _world.default_pg = _begin(
        tuple(range(world_size)), rank, communicator, backend, store, timeout, group_name, "default_pg"
    )


def _begin(ranks, rank, communicator, backend, store, timeout, name="", description=None):
    """Create a group of ``ranks``, in which this process has the number ``rank``."""
    name = name or str(next(_world.numbers))
    carrier = devices_of(backend).get("cpu", backend)
    facts = store, rank, len(ranks), name, description or "undefined", carrier
    if len(ranks) == 1:
        made = ProcessGroup(*facts)
    else:
        from tensh.distributed.mpi.group import MPIGroup

        made = MPIGroup(communicator, *facts, timeout=timeout)
    _world.groups[made] = Entry(ranks, backend, store, communicator, timeout)
    return made


def destroy_process_group(group=None):
    """Destroy a group; by default the group of all processes, and all others with it."""
    if is_outside(group):
        return
    ended = _world.default_pg if group is None else group
    if ended is None:
        raise AssertionError("Process group cannot be None")
    if ended not in _world.groups:
        raise ValueError("Invalid process group specified")
    for each in list(_world.groups) if ended is _world.default_pg else [ended]:
        each.shutdown()
    if ended is _world.default_pg:
        _world.clear()
    else:
        del _world.groups[ended]


def new_group(
    ranks=None,
    timeout=None,
    backend=None,
    pg_options=None,
    use_local_synchronization=False,
    group_desc=None,
    device_id=None,
    sort_ranks=True,
):
    """Create a group of some processes, by default all, given by their ranks. All processes call it in the same order.

    On other processes the result is the marker ``GroupMember.NON_GROUP_MEMBER``. Ranks are sorted unless ``sort_ranks``
    is False. Raise ValueError for missing or repeated ranks.
    """
    whole = entry_of()
    check_timeout(timeout)
    ranks = list(whole.ranks) if ranks is None else list(ranks)
    if len(set(ranks)) < len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    size = len(whole.ranks)
    if len(ranks) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in ranks:
        if rank not in whole.ranks:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    if not ranks:
        raise TypeError("a process group needs at least one rank, but ranks is empty")
    backend = Backend(backend) if backend else whole.backend
    check_built(backend)
    ranks, me = tuple(sorted(ranks) if sort_ranks else ranks), get_rank()
    number = next(_world.numbers)  # the same on all processes, which make these calls in the same order
    if me not in ranks:
        return GroupMember.NON_GROUP_MEMBER
    communicator = None
    if len(ranks) > 1:
        members = whole.communicator.Get_group().Incl(ranks)
        communicator = whole.communicator.Create_group(members, number)
    facts = backend, PrefixStore(f"{number}", whole.store), timeout or whole.timeout
    return _begin(ranks, ranks.index(me), communicator, *facts, str(number), group_desc)


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Create groups of ``group_size`` processes: (this process's group, all).  Raise ValueError unless they fit."""
    if group_size is None:
        raise ValueError(
            "Default group size only takes effect when CUDA is available."
            "If your subgroup using a backend that does not depend on CUDA,"
            "please pass in 'group_size' correctly."
        )
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if group_size > (size := get_world_size(group)):
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by '{group_size=}'")
    ranks = get_process_group_ranks(group)
    parts = [ranks[begin : begin + group_size] for begin in range(0, size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Create a group for each list of ranks: (this process's group, all).  Raise ValueError for a rank in two lists."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    homes = {}
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if homes.setdefault(rank, ranks) is not ranks:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {homes[rank]} and {ranks}")
    made = [new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list]
    return next((each for each in made if not is_outside(each)), None), made


def get_rank(group=None):
    """Return the number of this process in a group, or -1 outside of it."""
    if is_outside(group):
        return -1
    return find_group(group).rank()


def get_world_size(group=None):
    """Return the number of processes in a group; -1 outside of it."""
    if is_outside(group):
        return -1
    return find_group(group).size()


def get_backend(group=None):
    """Return the backend of a group.  Raise ValueError if this process does not belong to it."""
    if is_outside(group):
        raise ValueError("Invalid process group specified")
    return entry_of(group).backend


def get_backend_config(group=None):
    """Return the backends of a group by device, as text."""
    return ",".join(f"{device}:{name}" for device, name in devices_of(get_backend(group)).items())


def get_process_group_ranks(group):
    """Return the global ranks of a group's processes."""
    return list(entry_of(group).ranks)


def get_global_rank(group, group_rank):
    """Return the global rank of a group rank.  Raise ValueError if there is none."""
    if group is _world.default_pg:
        return group_rank
    ranks = () if is_outside(group) else entry_of(group, _describe_unregistered(group)).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_group_rank(group, global_rank):
    """Return the group rank of a global rank.  Raise ValueError if it is not in the group."""
    if group is _world.default_pg:
        return global_rank
    ranks = () if is_outside(group) else entry_of(group, _describe_unregistered(group)).ranks
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def _describe_unregistered(group):
    return f"Group {group} is not registered, please create group with torch.distributed.new_group API"


def get_pg_count():
    """Return the number of groups."""
    return len(_world.groups)


def _get_default_store():
    return entry_of().store


_get_default_group, _rank_not_in_group = find_group, is_outside
default_pg_timeout = timedelta(minutes=30)
"""The default time-out of collectives."""
