"""The archives of torch.save: records that any program reads, and how much work it takes to write and to check them."""

import io
import sys
import zipfile

import pytest

import tensh as torch
from tensh.serialization.records import ALIGNMENT, PIECE, Records


def file_of(records, folder="x"):
    file = io.BytesIO()
    written = Records(file, folder)
    for name, data in records.items():
        written.put(name, data)
    written.end()
    return file


def test_records_are_read_by_other_programs_and_aligned():
    given = {"a": b"", "data/0": b"123", "ö": b"\0" * 100, "large": bytes(range(256)) * (PIECE // 256 + 3)}
    file = file_of(given, "ordner-ä")
    with zipfile.ZipFile(file) as zipped:
        assert zipped.testzip() is None
        assert {info.filename: zipped.read(info) for info in zipped.infolist()} == {
            f"ordner-ä/{name}": data for name, data in given.items()
        }
    for data in filter(None, given.values()):
        assert any(place % ALIGNMENT == 0 for place in places(file.getvalue(), data))


def places(text, part):
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def test_more_records_than_the_old_list_counts():
    many = {str(number): b"" for number in range(70_000)}
    with zipfile.ZipFile(file_of(many)) as zipped:
        assert len(zipped.infolist()) == 70_000


def test_places_beyond_32_bits_stand_in_the_list():
    file = io.BytesIO()
    records = Records(file, "x")
    records.place = 2**32 + 5  # as after large records
    records.list_record(b"x/a", 0, 0, 3)
    records.end()
    entry = file.getvalue()
    assert (2**32 + 5).to_bytes(8, "little") in entry and b"PK\6\6" in entry and b"PK\6\7" in entry


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_numbers_and_tensors_written_at_once_come_back(protocol):
    shared, numbers, t = torch.arange(6.0), [1, 2.5, True, None, 2**70, -3], torch.zeros((), dtype=torch.int64)
    given = {
        "a": shared[1:4],
        "b": shared.view(2, 3).T,
        "n": [numbers, numbers, []],
        "t": [t, t],
        "e": torch.zeros(0, 3),
    }
    given["r"] = torch.ones(2, requires_grad=True)
    file = io.BytesIO()
    torch.save(given, file, pickle_protocol=protocol)
    file.seek(0)
    back = torch.load(file, weights_only=False)
    assert back["n"] == given["n"] and back["n"][0] is back["n"][1] and back["t"][0] is back["t"][1]
    assert back["r"].requires_grad and back["e"].shape == (0, 3) and back["b"].tolist() == given["b"].tolist()
    back["a"][0] = 9
    assert back["b"].tolist() == [[0, 3], [9, 4], [2, 5]] and back["b"].stride() == (1, 3)


def test_a_tensor_takes_few_calls_to_save():
    given = [torch.zeros(3) for _ in range(200)]
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    torch.save(given[:2], io.BytesIO())
    sys.setprofile(count)
    try:
        torch.save(given, io.BytesIO())
    finally:
        sys.setprofile(None)
    assert calls < 200 * 70


@pytest.mark.parametrize("kind", [torch.float32, torch.bool])
@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_a_changed_byte_of_a_large_record_is_found(kind, wrong):
    file = io.BytesIO()
    torch.save([torch.zeros(2**21, dtype=kind) for _ in range(3)], file)
    data = bytearray(file.getvalue())
    with zipfile.ZipFile(file) as zipped:
        place = zipped.getinfo(f"archive/data/{wrong}").header_offset + 2**20
    data[place] ^= 1
    with pytest.raises(RuntimeError, match=f"CRC-32 for file 'archive/data/{wrong}'"):
        torch.load(io.BytesIO(bytes(data)))


@pytest.mark.parametrize("place", [0, 7, 8, 17, 18])
def test_bytes_of_truth_values_are_zero_or_one(place):
    data = torch.zeros(19, dtype=torch.uint8)
    data[place] = 200
    file = io.BytesIO()
    torch.save(data, file)
    changed = file.getvalue().replace(b"ByteStorage", b"BoolStorage")
    back = torch.load(io.BytesIO(resealed(changed)))
    assert back.dtype is torch.bool and back.view(torch.uint8).tolist() == [int(n == place) for n in range(19)]


def resealed(data):
    """The archive, with the checksums of its changed records."""
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        records = {info.filename.partition("/")[2]: raw(data, info) for info in zipped.infolist()}
    return file_of(records, "archive").getvalue()


def raw(data, info):
    begin = info.header_offset + 30
    begin += int.from_bytes(data[begin - 4 : begin - 2], "little") + int.from_bytes(data[begin - 2 : begin], "little")
    return data[begin : begin + info.file_size]
