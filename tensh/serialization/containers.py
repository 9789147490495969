"""Containers and plain values from a file, made by functions that check their arguments first.

Keys are hashed, and Python hashes nested tuples recursively: a tuple nested a million times would crash the process,
and one that doubles sixty times would never finish. Keys with equal hashes are compared with each other: since only
hashes of strings and bytes are unpredictable, equal hashes of other keys are counted.
"""

import collections
import pickle

MOST_OF_A_KEY = 1000  # parts of a key, including repeated ones in nested tuples
MOST_ALIKE = 100  # keys of a container with the same hash
ALONE = 2**60  # integers below are their own hash
# allowed factories of a defaultdict
FACTORIES = (None, int, float, str, list, dict, set, tuple, bool, collections.OrderedDict)


class CallersError(Exception):
    """Wraps an exception that is not a fault of the file."""


class DamagedError(RuntimeError):
    """Raised for an inconsistent file."""


class LackingError(RuntimeError):
    """Raised for a file with something that tensh lacks."""


def check_key(key, alike, place=0):
    """Return a key if hashing it ends soon and few others have its hash; ``alike`` counts keys by container and hash."""
    if type(key) is str or type(key) is int and -ALONE < key < ALONE:
        return key
    if type(key) in (tuple, frozenset):
        waiting, left = [key], MOST_OF_A_KEY
        while waiting:
            parts = waiting.pop()
            left -= len(parts)
            if left < 0:
                raise DamagedError("it contains a key with too many parts")
            waiting += [part for part in parts if type(part) in (tuple, frozenset)]
    found = place, hash(key)
    alike[found] = alike.get(found, 0) + 1
    if alike[found] > MOST_ALIKE:
        raise DamagedError("it contains a container in which too many keys have the same hash")
    return key


def check_keys(keys):
    """Check the keys of a container and return them as a list."""
    alike = {}
    return [check_key(key, alike) for key in keys]


def find_setter(there):
    """Return the function that sets an item of a table."""
    kinds = {
        dict: dict,
        collections.OrderedDict: collections.OrderedDict,
        collections.Counter: dict,
        collections.defaultdict: dict,
    }
    if type(there) not in kinds:
        raise pickle.UnpicklingError(
            f"Can only SETITEM for dict, collections.OrderedDict, collections.Counter, but got {type(there)}"
        )
    return lambda key, value: kinds[type(there)].__setitem__(there, key, value)


def items(things):
    """Return a list or tuple whose elements may be keys."""
    if type(things) not in (list, tuple):
        raise DamagedError(f"it contains a container built from {type(things).__name__}")
    return check_keys(things)


def make_set(things=()):
    return set(items(things))


def make_frozenset(things=()):
    return frozenset(items(things))


def make_ordered_dict(pairs=()):
    if type(pairs) not in (list, tuple):
        raise DamagedError(f"it contains a container built from {type(pairs).__name__}")
    made, alike = collections.OrderedDict(), {}
    for key, value in pairs:
        made[check_key(key, alike)] = value
    return made


def make_counter(counts=()):
    made, alike = collections.Counter(), {}
    if type(counts) not in (dict, tuple):
        raise DamagedError("it contains a Counter that is not built from a dictionary")
    for key, count in counts.items() if type(counts) is dict else counts:
        dict.__setitem__(made, check_key(key, alike), count)
    return made


def make_defaultdict(factory=None):
    if not any(factory is known for known in FACTORIES):
        raise DamagedError("it contains a defaultdict whose default factory is not allowed")
    return collections.defaultdict(factory)


def make_complex(real=0.0, imag=0.0):
    return complex(*map(make_number, (real, imag)))


def make_number(value):
    if type(value) not in (int, float):
        raise DamagedError(f"it contains a number that is a {type(value).__name__}")
    return value


def encode_text(text, encoding="latin1"):
    """Make bytes, as pickles of protocol 2 write them."""
    if type(text) is not str or encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise DamagedError("it contains bytes that are not an encoded text")
    return text.encode(encoding)


def make_bytearray(content=b"", encoding=None):
    return bytearray(content if type(content) is bytes else encode_text(content, encoding))


def no_bytes():
    """Return empty bytes, which pickles of protocol 2 write as this call."""
    return b""


def make_slice(*places):
    return slice(*(None if place is None else require_int(place) for place in places))


def make_range(*places):
    return range(*map(require_int, places))


def require_int(value):
    if type(value) is not int:
        raise DamagedError(f"it contains an integer that is a {type(value).__name__}")
    return value
