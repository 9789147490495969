"""The files of tests/fuzzing.py: whole ones of each kind, and what is done to them."""

import collections
import io
import json
import os
import pickle
import random
import re
import struct
import zipfile
from pathlib import Path

import numpy as np

import tensh
from tensh.cli.session import opening
from tensh.utils.safetensors import SafetensorError
from tensh.utils.safetensors import torch as safetensors

CHECKPOINTS = Path(__file__).parent / "checkpoints"
NUMBERS = [0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 255, 256, 1000, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62,
           2**63 - 1, 2**63, 2**64 - 1]  # fmt: skip
NAMES = """
os.system posix.system builtins.eval builtins.exec builtins.getattr builtins.__import__ builtins.open builtins.compile
fuzzing.canary __main__.canary subprocess.Popen builtins.bytearray builtins.range builtins.slice builtins.set builtins.frozenset
collections.OrderedDict collections.Counter collections.defaultdict torch.Tensor torch.Size torch.device torch.float32
torch._utils._rebuild_tensor_v2 torch._utils._rebuild_tensor_v3 torch._utils._rebuild_parameter torch.FloatStorage
torch._utils._rebuild_parameter_with_state torch._tensor._rebuild_from_type_v2 torch.storage.UntypedStorage _codecs.encode
torch.nn.modules.linear.Linear torch.nn.functional.relu torch.nn.modules.module.Module torch.serialization._get_layout
numpy.dtype numpy.ndarray numpy._core.multiarray._reconstruct numpy._core.multiarray.scalar torch.load torch.save
torch._C.Generator torch.nn.utils.rnn.PackedSequence torch.nn.modules.container.Sequential builtins.int builtins.complex
""".split()
VALUES = [b"K\x01", b"K\xff", b"J\xff\xff\xff\xff", b")", b"]", b"}", b"N", b"\x88", b"X\x03\x00\x00\x00abc", b"G" + struct.pack(">d", 1.5),
          b"\x8a\x09" + b"\xff" * 8 + b"\x00", b"\x8b\xff\xff\xff\x7f", b"C\x03abc", b"\x8f", b"K\x00\x85"]  # fmt: skip
ODD = [b"R", b"b", b"\x81", b"Q", b"s", b"u", b"a", b"e", b"(", b"t", b"\x85", b"\x86", b"\x87", b"0", b"1", b"2", b".", b"\x93", b"\x94",
       b"q\x00", b"h\x00", b"r\xff\xff\xff\x7f", b"j\xff\xff\xff\x7f", b"\x80\x05", b"\x95" + b"\xff" * 8, b"\x90", b"\x91", b"\x92",
       b"\x8e" + b"\xff" * 7 + b"\x7f", b"\x8d" + b"\xff" * 7 + b"\x7f", b"\x96" + b"\xff" * 7 + b"\x7f", b"I99\n", b"p1000000000\n"]  # fmt: skip


def reader(kind, folder):
    """(whole files, name of a file -> its bytes, bytes -> what is loaded, the documented exceptions) for files of a kind."""
    originals = ORIGINALS[kind]()

    def make(name):
        return made(random.Random(name), kind, originals)

    return (
        originals,
        make,
        READERS[kind](folder),
        DOCUMENTED.get(kind, (RuntimeError, pickle.UnpicklingError, EOFError)),
    )


# ── whole files ──────────────────────────────────────────────────────────────
def values():
    x = tensh.arange(6.0).view(2, 3)
    return collections.OrderedDict(
        a=x, b=x[:, 1], t=x.t(), p=tensh.nn.Parameter(tensh.ones(2)), l=[1, 2.5, "x", None, (1, 2), {3}],
        e=tensh.tensor([1.5], dtype=tensh.bfloat16), s=x.shape, d=tensh.float32, u=tensh.tensor([1], dtype=tensh.uint32),
        z=tensh.empty(0, 3), big=2**70, c=collections.Counter("aab"), dev=tensh.device("cpu"), raw=b"abc",
    )  # fmt: skip


def saved(obj, **options):
    file = io.BytesIO()
    tensh.save(obj, file, **options)
    return file.getvalue()


def archives():
    model = tensh.nn.Linear(2, 3)
    optimizer = tensh.optim.Adam(model.parameters())
    model(tensh.ones(1, 2)).sum().backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    return [
        (CHECKPOINTS / "pytorch.pt").read_bytes(),
        saved(values()),
        saved(state),
        saved(tensh.ones(3), pickle_protocol=4),
    ]


def legacies():
    old = {"_use_new_zipfile_serialization": False}
    return [
        saved(values(), **old),
        saved(tensh.ones(3), **old),
        saved({"w": tensh.ones(3, 3)}, **old, pickle_protocol=4),
    ]


def beyond():
    odd = {"n": np.float64(2), "a": np.arange(6).reshape(2, 3), "f": frozenset([1]), "d": collections.defaultdict(int, a=1),
           "g": tensh.Generator(), "r": range(3), "sl": slice(1, 2)}  # fmt: skip
    return [saved(tensh.nn.Sequential(tensh.nn.Linear(1, 1), tensh.nn.ReLU())), saved(odd), saved(tensh.nn.LSTM(1, 1))]


def tables():
    tensors = {
        "w": tensh.arange(6.0).view(2, 3),
        "n": tensh.tensor(5),
        "b": tensh.tensor([True]),
        "e": tensh.empty(0, 3),
    }
    return [safetensors.save(tensors, {"format": "pt"}), (CHECKPOINTS / "package.safetensors").read_bytes()]


def array_files():
    arrays = [
        np.arange(6.0).reshape(2, 3),
        np.array(5),
        np.zeros((0, 2)),
        np.array(["a", "bc"]),
        np.asfortranarray(np.ones((2, 3))),
    ]
    return [stored(np.save, array) for array in arrays]


def array_archives():
    arrays = {"x": np.arange(6.0), "y": np.zeros((30, 30))}
    return [stored(np.savez, **arrays), stored(np.savez_compressed, **arrays)]


def stored(write, *arrays, **named):
    file = io.BytesIO()
    write(file, *arrays, **named)
    return file.getvalue()


ORIGINALS = {
    "archive": archives,
    "legacy": legacies,
    "beyond": beyond,
    "safetensors": tables,
    "npy": array_files,
    "npz": array_archives,
}


def bytes_reader(**options):
    return lambda folder: lambda data: tensh.load(io.BytesIO(data), **options)


def path_reader(extension):
    def for_folder(folder):
        path = os.path.join(folder, "file" + extension)

        def read(data):
            with open(path, "wb") as file:
                file.write(data)
            session = Session()
            return opening.named(session, path)

        return read

    return for_folder


class Session:
    """What opening a file needs of one."""

    def __init__(self):
        self.engine, self.namespace = "tensh", {}


READERS = {
    "archive": bytes_reader(), "legacy": bytes_reader(), "beyond": bytes_reader(weights_only=False),
    "safetensors": lambda folder: safetensors.load, "npy": path_reader(".npy"), "npz": path_reader(".npz"),
}  # fmt: skip
DOCUMENTED = {"safetensors": SafetensorError, "npy": opening.OpeningError, "npz": opening.OpeningError}


# ── what is done to them ─────────────────────────────────────────────────────
def made(rng, kind, originals):
    data = rng.choice(originals)
    if rng.random() < 0.5:
        return bytes_changed(rng, data, originals)
    if kind in ("archive", "beyond"):
        return repacked(rng, data)
    if kind == "npz":
        return repacked(rng, data, arrays=True)
    if kind == "safetensors":
        return header_changed(rng, data)
    return pickle_changed(rng, data) if kind == "legacy" else text_changed(rng, data)


def bytes_changed(rng, data, originals=()):
    """Bytes flipped, taken out, doubled, cut off, taken from another file, or a number among them replaced."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        place, length = rng.randrange(len(data) + 1), rng.randint(1, 30)
        match rng.randrange(7):
            case 0:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length] * rng.choice([1, 2, 50])
            case 3:
                data[place : place + length] = rng.randbytes(length)
            case 4:
                form = rng.choice(["<I", "<Q", "<H", "<q"])
                size = struct.calcsize(form)
                data[place : place + size] = rng.choice(NUMBERS).to_bytes(9, "little")[:size]
            case 5 if originals:
                other = rng.choice(originals)
                begin = rng.randrange(len(other))
                data[place:place] = other[begin : begin + rng.randint(1, 200)]
            case _:
                if rng.random() < 0.2:
                    del data[place:]
        if not data:
            break
    return bytes(data)


def asked_for(rng):
    """Instructions that ask for a name."""
    module, _, name = rng.choice(NAMES).rpartition(".")
    if rng.random() < 0.2:
        return (
            b"X"
            + struct.pack("<I", len(module))
            + module.encode()
            + b"X"
            + struct.pack("<I", len(name))
            + name.encode()
            + b"\x93"
        )
    return f"c{module}\n{name}\n".encode()


def inserted(rng):
    """Instructions of pickle."""
    match rng.randrange(9):
        case 0:
            return asked_for(rng) + rng.choice([b")R", b"X\x04\x00\x00\x00true\x85R", b"K\x05\x85R", b"(ttR"])
        case 1:
            return (
                asked_for(rng)
                + b"".join(rng.choices(VALUES, k=rng.randint(0, 3)))
                + rng.choice([b"\x85R", b"\x86R", b"\x87R", b"tR"])
            )
        case 2:
            return asked_for(rng) + rng.choice(VALUES) + b"b"
        case 3:
            return asked_for(rng) + b")\x81" + rng.choice(VALUES) + b"b"
        case 4:
            return rng.choice([b"]", b"(", b"\x85", b"]]a", b")"]) * rng.choice([10, 100, 1000, 1000, 100_000])
        case 5:  # a tuple that doubles itself, and what hashes it
            return (
                b")"
                + b"q\x07h\x07\x86" * rng.choice([3, 30, 60])
                + rng.choice([b"", b"K\x01s", b"\x85R", b"}" + b"h\x07K\x01s"])
            )
        case 6:
            return b"}" + b")" + b"\x85" * rng.choice([100, 1000, 1000, 200_000]) + b"K\x01s"
        case 7:
            return b"".join(rng.choices(ODD + VALUES, k=rng.randint(1, 8)))
        case _:
            return (
                b"(X\x07\x00\x00\x00storage"
                + asked_for(rng)
                + b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpu"
                + rng.choice(VALUES)
                + b"tQ"
            )


def pickle_changed(rng, data):
    """Instructions put into a pickle, or numbers in it replaced."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2])):
        place = rng.randrange(len(data) + 1)
        if rng.random() < 0.3:
            stops = [i for i, byte in enumerate(data) if byte in b"RQbsutqh\x85\x86"]
            place = rng.choice(stops) if stops else place
        match rng.randrange(3):
            case 0:
                data[place:place] = inserted(rng)
            case 1:
                numbers = [i for i, byte in enumerate(data) if byte == ord("K")]
                if numbers:
                    place = rng.choice(numbers)
                    data[place : place + 2] = b"\x8a\x09" + rng.choice(NUMBERS).to_bytes(9, "little")
            case _:
                data = bytearray(bytes_changed(rng, data))
    return bytes(data)


def repacked(rng, data, arrays=False):
    """An archive with other records, or with what archives should not have."""
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        records = [(info.filename, zipped.read(info)) for info in zipped.infolist()]
    change = text_changed if arrays else pickle_changed
    for number, (name, content) in enumerate(records):
        if (name.endswith((".npy", "data.pkl")) and rng.random() < 0.7) or rng.random() < 0.1:
            records[number] = name, change(rng, content)
    match rng.randrange(8):
        case 0:
            records.append(rng.choice(records))  # a name that stands there twice
        case 1:
            records.insert(0, (rng.choice(["/etc/x", "../../x", "x" * 3000, "", "C:\\x", "\udcff"]), b"x"))
        case 2:
            records = [(name.replace("/data/0", "/data/1"), content) for name, content in records]
        case 3:
            records.pop(rng.randrange(len(records)))
        case 4:
            records.append(
                (records[0][0].partition("/")[0] + "/data/9", b"\0" * rng.choice([10**4, 10**4, 10**4, 10**6]))
            )
        case 5:
            rng.shuffle(records)
    return packed(rng, records)


def packed(rng, records):
    file = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if rng.random() < 0.2 else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", how) as zipped:
        for name, content in records:
            with zipped.open(
                zipfile.ZipInfo(name.encode("utf-8", "replace").decode()), "w", force_zip64=rng.random() < 0.1
            ) as record:
                record.write(content)
    data = bytearray(file.getvalue())
    if rng.random() < 0.4:  # sizes, places, kinds and flags in the two lists of an archive
        heads = [found.start() for found in re.finditer(b"PK(\1\2|\3\4|\5\6)", data)]
        place = rng.choice(heads) + rng.randrange(4, 46)
        data[place : place + 4] = rng.choice(NUMBERS).to_bytes(9, "little")[: rng.choice([1, 2, 4])]
    return bytes(data)


def header_changed(rng, data):
    """The header of safetensors with other sizes, places and texts."""
    length = int.from_bytes(data[:8], "little")
    header, rest = json.loads(data[8 : 8 + length]), data[8 + length :]
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(header))
        odd = rng.choice([*NUMBERS, -1, 1.5, None, "x", [], {}, True, 10**400, [2**63, 0], [0, 0], [1] * 100])
        entry = header[name]
        match rng.randrange(4):
            case 0 if isinstance(entry, dict) and entry:
                entry[rng.choice(list(entry))] = odd
            case 1 if isinstance(entry, dict) and isinstance(entry.get("shape"), list):
                entry["shape"] = [*entry["shape"], odd]
            case 2:
                header[rng.choice([*header, "损", "__metadata__", ""])] = rng.choice([entry, odd])
            case _:
                if isinstance(entry, dict) and isinstance(entry.get("data_offsets"), list) and entry["data_offsets"]:
                    entry["data_offsets"][rng.randrange(len(entry["data_offsets"]))] = odd
    text = json.dumps(header).encode()
    if rng.random() < 0.3:
        text = bytes_changed(rng, text)
    if rng.random() < 0.05:
        text = rng.choice([b"[", b'{"a":', b"-"]) * 100_000
    length = rng.choice(NUMBERS) if rng.random() < 0.1 else len(text)
    return min(length, 2**64 - 1).to_bytes(8, "little") + text + rest


def text_changed(rng, data):
    """The header of a .npy file with another shape or type."""
    if not data.startswith(b"\x93NUMPY"):
        return bytes_changed(rng, data)
    length = int.from_bytes(data[8:10], "little")
    text, rest = data[10 : 10 + length].decode("latin1"), data[10 + length :]
    shape, end = text.index("'shape': ") + 9, text.index(")") + 1
    sizes = ", ".join(str(rng.choice([*NUMBERS, -1, 1.5, "'a'", "()"])) for _ in range(rng.randint(1, 4)))
    match rng.randrange(4):
        case 0:
            text = text[:shape] + f"({sizes},)" + text[end:]
        case 1:
            kinds = [
                "|O",
                "<f8",
                ">f4",
                "<U1000000000",
                "|V2000000000",
                "<M8[s]",
                "x",
                "[('a', '<f8'), ('b', '|O')]",
                "|S0",
                "c16",
                "?",
            ]
            begin = text.index("'descr': ") + 9
            text = text[:begin] + repr(rng.choice(kinds)) + text[text.index(", ", begin) :]
        case 2:
            text = rng.choice(
                ["(" * 5000, "{" * 5000, "__import__('os').system('true')", "[0] * 10 ** 12", "9" * 9000, "-" * 9000]
            )
        case _:
            text = bytes_changed(rng, text.encode("latin1")).decode("latin1")
    text = text.encode("latin1")[:60_000]
    return data[:8] + len(text).to_bytes(2, "little") + text + rest
