"""The file format of PyTorch before 1.6: several pickles in sequence, followed by the memory of the tensors."""

import io
import pickle
import sys

import numpy as np

from tensh.serialization.archive import dtype_of, fill, read_into, storage_facts, text
from tensh.serialization.containers import DamagedError
from tensh.serialization.rebuilding import storage_over
from tensh.serialization.unpickling import Unpickler

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
FIRST = 2**20  # bytes read at first
SIZES = {"short": 2, "int": 4, "long": 4}


class Legacy:
    """A file in the old format, from its current position on.

    Reads all of the pickles, and each storage into its memory.
    """

    def __init__(self, file, place):
        self.file, self.place_of = file, place
        self.rows, self.views = {}, {}  # key -> (class, its memory); key of a part -> the part
        self.begin = file.tell()
        self.size = self.left = file.seek(0, io.SEEK_END) - self.begin
        file.seek(self.begin)
        self.data = file.read(FIRST)

    def read_more(self):
        """Read as much again of the file, if it has more; return whether anything was read."""
        before = len(self.data)
        self.file.seek(self.begin + before)
        self.data += self.file.read(max(before, FIRST))
        return len(self.data) > before

    def load(self, names, encoding="utf-8"):
        """Load the object in the file; ``place`` is then at the file's end."""
        place = 0
        for expected, words in (
            (MAGIC, "Invalid magic number; corrupt file?"),
            (VERSION, "Invalid protocol version: {}"),
        ):
            found, place = self.unpickle(names, place, encoding)
            if type(found) is not int or found != expected:
                raise RuntimeError(words.format(found if type(found) is int else type(found).__name__))
        _, described = self.unpickle(names, place, encoding)  # information on the machine that wrote the file
        with names.outlining():  # the keys and sizes of the storages
            _, place = self.unpickle(names, described, encoding, self.mention)
        keys, place = self.unpickle(names, place, encoding)
        if type(keys) is not list:
            raise DamagedError("it has no list of its storages")
        for key in keys:
            place = self.fill(key, place)
        self.place = place
        for stored in [row[2] for row in self.rows.values()] + [*self.views.values()]:
            stored.others.clear()  # objects made without their elements
        return self.unpickle(names, described, encoding, self.mention)[0]  # now with the elements known

    def unpickle(self, names, place, encoding, mention=None):
        """Return (object of the pickle at a position, position of the next)."""
        while True:
            unpickler = Unpickler(self.data, names, mention or refuse, place, encoding)
            try:
                return unpickler.load(), unpickler.place
            except EOFError:  # the pickle extends beyond what was read
                if not self.read_more():
                    raise

    def mention(self, reference):
        """Return the storage that a pickle refers to, or a class with its source, which is ignored."""
        if type(reference) is tuple and len(reference) == 4 and text(reference[0]) == "module":
            return reference[1]
        kind, key, where, count = storage_facts(reference, 6)
        if key not in self.rows:
            dtype = dtype_of(kind)
            self.left -= count * dtype.itemsize
            if self.left < 0:
                raise DamagedError("its storages are larger than the file")
            row = np.zeros(count, dtype)
            self.rows[key] = kind, row, storage_over(self.place_of(row, where))
        known, row, stored = self.rows[key]
        if known != kind:
            raise DamagedError(f"storage {key} is declared as {known} and as {kind}")
        return stored if reference[5] is None else self.part(row, reference[5])

    def part(self, row, view):
        """Return a part of a storage, which old versions stored separately."""
        if type(view) is not tuple or len(view) != 3 or not all(type(n) is int and n >= 0 for n in view[1:]):
            raise DamagedError("it refers to an invalid part of a storage")
        key, begin, count = view
        if type(key) is not str or begin + count > row.size:
            raise DamagedError("it refers to an invalid part of a storage")
        return self.views.setdefault(key, storage_over(row[begin : begin + count]))

    def fill(self, key, place):
        """Read the memory of a storage, always little-endian; return the position after it."""
        if type(key) is not str or key not in self.rows:
            raise DamagedError("it lists a storage that no tensor uses")
        row = self.rows[key][1]
        end = place + 8 + row.nbytes
        if end > self.size:
            raise RuntimeError(f"unexpected EOF, expected {end - self.size} more bytes. The file might be corrupted.")
        self.file.seek(self.begin + place)
        fill(self.file, memoryview(count := bytearray(8)))
        if int.from_bytes(count, "little") != row.size:
            raise DamagedError(f"the size of storage {key} differs from the declared one")
        for piece in read_into(self.file, row.view(np.uint8)):
            if row.dtype == bool:
                truths = np.frombuffer(piece, np.uint8)
                np.not_equal(truths, 0, out=truths)
        if sys.byteorder == "big":
            row.byteswap(inplace=True)
        return end


def refuse(reference):
    raise DamagedError("it refers to a storage where none is allowed")


# ── writing ──────────────────────────────────────────────────────────────────
def write(writer, obj, file, protocol):
    """Write an object in the old format; ``writer`` makes the pickler."""
    facts = {"protocol_version": VERSION, "little_endian": sys.byteorder == "little", "type_sizes": SIZES}
    for each in (MAGIC, VERSION, facts):
        file.write(pickle.dumps(each, protocol))
    described = io.BytesIO()
    pickler = writer(
        described, protocol, mention=lambda stored: ("storage", stored.kind, stored.key, "cpu", stored.count, None)
    )
    pickler.dump(obj)
    file.write(described.getvalue())
    order = sorted(pickler.counts)
    file.write(pickle.dumps(order, protocol))
    for key in order:
        file.write(pickler.counts[key].to_bytes(8, "little"))
        block = pickler.blocks[int(key)]
        file.write(memoryview(np.ascontiguousarray(block)).cast("B") if block.nbytes else b"")
