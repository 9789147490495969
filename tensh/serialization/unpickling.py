"""Reading pickles without Python's unpickler: an instruction makes a plain value or looks up an allowed name.

Nothing is imported, no attributes are set, and nothing is called but what ``Names`` provides. Memory is bounded by the
size of the file times a constant: lengths are checked before anything of that length is made.

The instructions are those of protocols 0 to 5 that files of ``torch.save`` can contain; Python's ``pickletools``
documents them.
"""

import pickle
import struct

from tensh.serialization.containers import DamagedError, check_key, find_setter, make_frozenset

ALWAYS, TIMES = 2**24, 96  # bytes that any pickle may make, and further bytes as a multiple of its length
NUMBERS, SHARE = 2**20, 4  # tensor elements that any file may convert to Python numbers, and bytes per further element
ITEM = 64  # bytes of an element of a dict or set, and of a memoised value
COMPARED = 256  # bytes of a key whose hash is counted
STACKED = 8  # bytes of a reference
# bytes of an empty container, including the overhead of garbage collection
LIST, DICT, SET, TUPLE, MARK = 72, 80, 232, 56, 80
TRUNCATED = "pickle data was truncated"
LONGEST_NAME = 300  # characters of a module and name, with non-ASCII ones escaped, as in the error message


class Unpickler:
    """Reads a pickle in a block of bytes from a position on; ``place`` is then after its end.

    ``size`` is that of the whole file, including the elements of its tensors.
    """

    def __init__(self, data, names, storage=None, place=0, encoding="utf-8", size=None):
        self.data, self.names, self.storage, self.place, self.encoding = data, names, storage, place, encoding
        self.stack, self.marked, self.memo = [], [], {}
        self.alike = {}  # (id of a container, a hash) -> number of its keys with that hash
        self.left = ALWAYS + TIMES * len(data)  # bytes that may still be made
        # elements that may still be converted to Python numbers
        self.numbers = NUMBERS + (len(data) if size is None else size) // SHARE

    def load(self):
        """Load the object; raise UnpicklingError or DamagedError for invalid or forbidden contents, EOFError at the end."""
        data = self.data
        try:
            while True:
                if self.place >= len(data):
                    raise EOFError("Ran out of input")
                code = data[self.place]
                self.place += 1
                if code == STOP:
                    self.names.finish()
                    return self.stack.pop()
                instruction = INSTRUCTIONS.get(code)
                if instruction is None:
                    raise pickle.UnpicklingError(f"Unsupported operand {code}")
                instruction(self)
        except IndexError:
            raise pickle.UnpicklingError("unpickling stack underflow") from None

    # ── bytes of the file ────────────────────────────────────────────────────
    def take(self, count):
        """Return the next bytes."""
        end = self.place + count
        if end > len(self.data):
            raise EOFError(TRUNCATED)
        taken = bytes(self.data[self.place : end])
        self.place = end
        return taken

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self):
        """Return the bytes up to the end of a line, and skip the line end."""
        end = self.data.find(b"\n", self.place)
        if end < 0:
            raise EOFError(TRUNCATED)
        taken = self.data[self.place : end]
        self.place = end + 1
        return taken

    # ── the stack ────────────────────────────────────────────────────────────
    def pop_mark(self):
        """Pop the values pushed since the last mark."""
        items, self.stack = self.stack, self.marked.pop()
        return items

    def mark(self):
        self.charge(MARK)
        self.marked.append(self.stack)
        self.stack = []

    def pop(self):
        if self.stack:
            self.stack.pop()
        else:
            self.pop_mark()

    def tuple_of(self, count):
        if len(self.stack) < count:
            raise IndexError
        self.charge(TUPLE + STACKED * count)
        self.stack[-count:] = [tuple(self.stack[-count:])]

    def remember(self, number):
        self.charge(ITEM)
        self.memo[number] = self.stack[-1]

    def recall(self, number):
        if number not in self.memo:
            raise pickle.UnpicklingError(f"Memo value not found at index {number}")
        self.stack.append(self.memo[number])

    # ── containers ───────────────────────────────────────────────────────────
    def append(self, items):
        there = self.stack[-1]
        if type(there) is not list:
            raise pickle.UnpicklingError(f"Can only append to lists, but got {type(there)}")
        there.extend(items)

    def set_items(self, items):
        there = self.stack[-1]
        put = find_setter(there)
        for key, value in zip(items[::2], items[1::2], strict=True):
            put(self.key(key, there), value)

    def set_item(self):
        value, key = self.stack.pop(), self.stack.pop()
        self.set_items([key, value])

    def add_items(self):
        items = self.pop_mark()
        there = self.stack[-1]
        if type(there) is not set:
            raise pickle.UnpicklingError(f"Can only add to sets, but got {type(there)}")
        there.update(self.key(item, there) for item in items)

    def key(self, key, there):
        """Return a key after charging its memory and checking its hash."""
        self.charge(ITEM if type(key) in (str, int) else COMPARED)
        return check_key(key, self.alike, id(there))

    def dict_of(self):
        items = self.pop_mark()
        self.charge(DICT)
        self.stack.append({})
        self.set_items(items)

    # ── names and calls ──────────────────────────────────────────────────────────
    def name(self, module, name):
        if len(ascii(module)) + len(ascii(name)) > LONGEST_NAME:
            raise DamagedError("it contains a name that is too long")
        self.stack.append(self.names.find(module, name))

    def stacked_name(self):
        name, module = self.stack.pop(), self.stack.pop()
        if type(name) is not str or type(module) is not str:
            raise DamagedError("it contains a name that is not a string")
        self.name(module, name)

    def spend(self, cost, given):
        """Charge the memory of a call's arguments and result: a memoised value can be passed a million times."""
        parts = [given, *given.values()] if isinstance(given, dict) else [*given] if type(given) is tuple else [given]
        for part in parts:
            if isinstance(part, (str, bytes, bytearray)):
                cost += len(part)
            elif isinstance(part, (list, tuple, dict, set, frozenset)):
                cost += ITEM * len(part)
        self.charge(cost)

    def charge(self, cost):
        """Charge memory that the file makes: an empty set takes one byte in the file and 200 in memory."""
        self.left -= cost
        if self.left < 0:
            raise DamagedError("it builds more values than a file of its length can hold")

    def reduce(self):
        arguments, function = self.stack.pop(), self.stack.pop()
        self.spend(self.names.cost(function), arguments)
        self.numbers -= self.names.count_numbers(function, arguments)
        if self.numbers < 0:
            raise DamagedError("its nested tensors have more parts than a file of its length can hold")
        self.stack.append(self.names.call(function, arguments))

    def new(self):
        arguments, cls = self.stack.pop(), self.stack.pop()
        self.spend(self.names.cost(cls), arguments)
        self.stack.append(self.names.new(cls, arguments))

    def build(self):
        state = self.stack.pop()
        self.spend(ITEM, state)
        self.names.build(self.stack[-1], state)

    def mention(self):
        self.stack.append(self.storage(self.stack.pop()))

    def text(self, count):
        return self.take(count).decode("utf-8", "surrogatepass")

    def old_text(self, count):
        """Read a text of Python 2."""
        taken = self.take(count)
        return taken if self.encoding == "bytes" else taken.decode(self.encoding)

    def read_quoted(self):
        line = self.line().strip()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise DamagedError("it contains a string without quotes")
        return bytes(line[1:-1]).decode("unicode_escape").encode("latin1").decode(self.encoding)


def read_int(number):
    """Parse a number of an old protocol, in which 00 and 01 are booleans."""
    return {b"00": False, b"01": True}[bytes(number)] if bytes(number) in (b"00", b"01") else int(number)


def signed_integer(data):
    return int.from_bytes(data, "little", signed=True)


def push_value(value):
    """Return the instruction that pushes the result of ``value``."""

    def put(u):
        u.stack.append(value(u))

    return put


def make_container(make, cost, item=None):
    """Return the instruction for an empty container or, with ``item`` bytes per element, for one of values since a mark."""

    def put_empty(u):
        u.charge(cost)
        u.stack.append(make())

    def put(u):
        items = u.pop_mark()
        u.charge(cost + item * len(items))
        u.stack.append(make(items))

    return put_empty if item is None else put


STOP = pickle.STOP[0]
SIMPLE = {
    pickle.NONE: lambda u: None, pickle.NEWTRUE: lambda u: True, pickle.NEWFALSE: lambda u: False,
    pickle.EMPTY_TUPLE: lambda u: (), pickle.DUP: lambda u: u.stack[-1],
    pickle.BININT: lambda u: u.number("<i"), pickle.BININT1: lambda u: u.number("<B"), pickle.BININT2: lambda u: u.number("<H"),
    pickle.BINFLOAT: lambda u: u.number(">d"), pickle.FLOAT: lambda u: float(u.line()),
    pickle.INT: lambda u: read_int(u.line()), pickle.LONG: lambda u: int(u.line().rstrip(b"L")),
    pickle.LONG1: lambda u: signed_integer(u.take(u.number("<B"))), pickle.LONG4: lambda u: signed_integer(u.take(u.number("<I"))),
    pickle.BINUNICODE: lambda u: u.text(u.number("<I")), pickle.SHORT_BINUNICODE: lambda u: u.text(u.number("<B")),
    pickle.BINUNICODE8: lambda u: u.text(u.number("<Q")),
    pickle.UNICODE: lambda u: bytes(u.line()).decode("raw-unicode-escape"),
    pickle.STRING: lambda u: u.read_quoted(),
    pickle.BINSTRING: lambda u: u.old_text(u.number("<I")), pickle.SHORT_BINSTRING: lambda u: u.old_text(u.number("<B")),
    pickle.BINBYTES: lambda u: u.take(u.number("<I")), pickle.SHORT_BINBYTES: lambda u: u.take(u.number("<B")),
    pickle.BINBYTES8: lambda u: u.take(u.number("<Q")), pickle.BYTEARRAY8: lambda u: bytearray(u.take(u.number("<Q"))),
}  # fmt: skip
INSTRUCTIONS = {code[0]: push_value(value) for code, value in SIMPLE.items()} | {
    code[0]: instruction for code, instruction in {
        pickle.EMPTY_LIST: make_container(list, LIST), pickle.EMPTY_DICT: make_container(dict, DICT),
        pickle.EMPTY_SET: make_container(set, SET), pickle.LIST: make_container(list, LIST, STACKED),
        pickle.TUPLE: make_container(tuple, TUPLE, STACKED), pickle.FROZENSET: make_container(make_frozenset, SET, COMPARED),
        pickle.PROTO: lambda u: u.take(1), pickle.FRAME: lambda u: u.take(8),
        pickle.MARK: Unpickler.mark, pickle.POP: Unpickler.pop, pickle.POP_MARK: lambda u: (u.pop_mark(), None)[1],
        pickle.TUPLE1: lambda u: u.tuple_of(1), pickle.TUPLE2: lambda u: u.tuple_of(2), pickle.TUPLE3: lambda u: u.tuple_of(3),
        pickle.MEMOIZE: lambda u: u.remember(len(u.memo)), pickle.PUT: lambda u: u.remember(int(u.line())),
        pickle.BINPUT: lambda u: u.remember(u.number("<B")), pickle.LONG_BINPUT: lambda u: u.remember(u.number("<I")),
        pickle.GET: lambda u: u.recall(int(u.line())), pickle.BINGET: lambda u: u.recall(u.number("<B")),
        pickle.LONG_BINGET: lambda u: u.recall(u.number("<I")),
        pickle.APPEND: lambda u: u.append([u.stack.pop()]), pickle.APPENDS: lambda u: u.append(u.pop_mark()),
        pickle.SETITEM: Unpickler.set_item, pickle.SETITEMS: lambda u: u.set_items(u.pop_mark()),
        pickle.ADDITEMS: Unpickler.add_items, pickle.DICT: Unpickler.dict_of,
        pickle.GLOBAL: lambda u: u.name(u.line().decode(), u.line().decode()), pickle.STACK_GLOBAL: Unpickler.stacked_name,
        pickle.REDUCE: Unpickler.reduce, pickle.NEWOBJ: Unpickler.new, pickle.BUILD: Unpickler.build,
        pickle.BINPERSID: Unpickler.mention,
    }.items()
}  # fmt: skip
