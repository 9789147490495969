"""Changes to zip archives: their records, names, and entries of the directory."""

import functools
import io
import re
import zipfile

from tests.fuzz.files.mutators import NUMBERS, change_bytes

NAMES = [
    "/etc/x",
    "../../x",
    "x" * 3000,
    "",
    "C:\\x",
    "\udcff",
    "archive/data.pkl",
    "x\x1b]0;a\a.npy",
    "a/b/c",
    "__class__.npy",
]
HEADS = re.compile(b"PK(\1\2|\3\4|\5\6|\6\6|\6\7)")


@functools.lru_cache(64)
def records_of(data):
    """Return (name, content) of the records; None where the archive cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            if sum(info.file_size for info in zipped.infolist()) > 2**20:
                return None
            return [(info.filename, zipped.read(info)) for info in zipped.infolist()]
    except Exception:  # any error of Python's own reader
        return None


def change_archive(change, inside):
    """A mutator of archives; ``change`` is applied to records whose names end with ``inside``."""

    def mutate(rng, data, others=()):
        found = records_of(data)
        if not found or rng.random() < 0.35:
            return change_directory(rng, data) if rng.random() < 0.4 else change_bytes(rng, data, others)
        records = list(found)
        for number, (name, content) in enumerate(records):
            if (name.endswith(inside) and rng.random() < 0.8) or rng.random() < 0.05:
                records[number] = name, change(rng, content)
        match rng.randrange(12):
            case 0:
                records.append(rng.choice(records))  # a duplicate name
            case 1:
                records.insert(0, (rng.choice(NAMES), b"x"))
            case 2:
                records = [(name.replace("/data/0", "/data/1"), content) for name, content in records]
            case 3:
                records.pop(rng.randrange(len(records)))
            case 4:
                records.append((records[0][0].partition("/")[0] + "/data/9", b"\0" * rng.choice((10**4, 10**4, 10**6))))
            case 5:
                rng.shuffle(records)
        return pack(rng, records)

    return mutate


def pack(rng, records):
    """Pack records into an archive, sometimes compressed, sometimes with a wrong directory."""
    file = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if rng.random() < 0.2 else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", how) as zipped:
        for name, content in records:
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
            info.compress_type = how
            with zipped.open(info, "w", force_zip64=rng.random() < 0.1) as record:
                record.write(content)
    return change_directory(rng, file.getvalue()) if rng.random() < 0.3 else file.getvalue()


def change_directory(rng, data):
    """Other sizes, places, kinds and flags in the two lists of an archive."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        heads = [found.start() for found in HEADS.finditer(data)]
        if not heads:
            break
        place = rng.choice(heads) + rng.randrange(4, 46)
        size = rng.choice((1, 2, 4, 8))
        data[place : place + size] = rng.choice(NUMBERS).to_bytes(9, "little")[:size]
    return bytes(data)
