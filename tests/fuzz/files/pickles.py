"""Changes to pickles: inserted instructions, and replaced numbers."""

import struct

from tests.fuzz.files.mutators import NUMBERS, change_bytes

NAMES = """
os.system posix.system builtins.eval builtins.exec builtins.getattr builtins.__import__ builtins.open builtins.compile
fuzzing.worker.canary __main__.canary subprocess.Popen builtins.bytearray builtins.range builtins.slice builtins.set builtins.frozenset
collections.OrderedDict collections.Counter collections.defaultdict torch.Tensor torch.Size torch.device torch.float32
torch._utils._rebuild_tensor_v2 torch._utils._rebuild_tensor_v3 torch._utils._rebuild_parameter torch.FloatStorage
torch._utils._rebuild_parameter_with_state torch._tensor._rebuild_from_type_v2 torch.storage.UntypedStorage _codecs.encode
torch.nn.modules.linear.Linear torch.nn.functional.relu torch.nn.modules.module.Module torch.serialization._get_layout
numpy.dtype numpy.ndarray numpy._core.multiarray._reconstruct numpy._core.multiarray.scalar torch.load torch.save
torch._C.Generator torch.nn.utils.rnn.PackedSequence torch.nn.modules.container.Sequential builtins.int builtins.complex
torch._utils._rebuild_nested_tensor torch.nested._internal.nested_tensor._rebuild_njt torch.nested._internal.nested_tensor.NestedTensor
torch.distributed.checkpoint.metadata.Metadata torch.distributed.checkpoint.metadata.MetadataIndex pathlib.PosixPath
torch.fx.graph_module.reduce_graph_module torch.fx.graph_module.GraphModule torch.fx.graph.Graph torch._dynamo.decorators._DimRange
""".split()
VALUES = [b"K\x01", b"K\xff", b"J\xff\xff\xff\xff", b")", b"]", b"}", b"N", b"\x88", b"X\x03\x00\x00\x00abc", b"G" + struct.pack(">d", 1.5),
          b"\x8a\x09" + b"\xff" * 8 + b"\x00", b"\x8b\xff\xff\xff\x7f", b"C\x03abc", b"\x8f", b"K\x00\x85"]  # fmt: skip
ODD = [b"R", b"b", b"\x81", b"Q", b"s", b"u", b"a", b"e", b"(", b"t", b"\x85", b"\x86", b"\x87", b"0", b"1", b"2", b".", b"\x93", b"\x94",
       b"q\x00", b"h\x00", b"r\xff\xff\xff\x7f", b"j\xff\xff\xff\x7f", b"\x80\x05", b"\x95" + b"\xff" * 8, b"\x90", b"\x91", b"\x92",
       b"\x8e" + b"\xff" * 7 + b"\x7f", b"\x8d" + b"\xff" * 7 + b"\x7f", b"\x96" + b"\xff" * 7 + b"\x7f", b"I99\n", b"p1000000000\n"]  # fmt: skip
STOPS = b"RQbsutqh\x85\x86"


def ask_for(rng):
    """Instructions that look up a name."""
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


def instructions(rng):
    """Instructions of pickle."""
    match rng.randrange(9):
        case 0:
            return ask_for(rng) + rng.choice([b")R", b"X\x04\x00\x00\x00true\x85R", b"K\x05\x85R", b"(ttR"])
        case 1:
            return (
                ask_for(rng)
                + b"".join(rng.choices(VALUES, k=rng.randint(0, 3)))
                + rng.choice([b"\x85R", b"\x86R", b"\x87R", b"tR"])
            )
        case 2:
            return ask_for(rng) + rng.choice(VALUES) + b"b"
        case 3:
            return ask_for(rng) + b")\x81" + rng.choice(VALUES) + b"b"
        case 4:
            return rng.choice([b"]", b"(", b"\x85", b"]]a", b")"]) * rng.choice([10, 100, 1000, 1000, 100_000])
        case 5:  # a tuple that doubles itself, and an instruction that hashes it
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
                + ask_for(rng)
                + b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpu"
                + rng.choice(VALUES)
                + b"tQ"
            )


def change_pickle(rng, data, others=()):
    """Insert instructions into a pickle, or replace numbers in it."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2])):
        place = rng.randrange(len(data) + 1)
        if rng.random() < 0.3:
            stops = [i for i, byte in enumerate(data) if byte in STOPS]
            place = rng.choice(stops) if stops else place
        match rng.randrange(3):
            case 0:
                data[place:place] = instructions(rng)
            case 1:
                numbers = [i for i, byte in enumerate(data) if byte == ord("K")]
                if numbers:
                    place = rng.choice(numbers)
                    data[place : place + 2] = b"\x8a\x09" + rng.choice(NUMBERS).to_bytes(9, "little")
            case _:
                data = bytearray(change_bytes(rng, data, others))
    return bytes(data)
