"""Checkpoints of one process: PyTorch's format in both directions, errors, damaged and hostile files, killed saves."""

import concurrent.futures
import importlib
import itertools
import os
import shutil
import signal
import sys
import warnings

import pytest

import tensh as torch
from tensh.distributed import checkpoint as dcp
from tensh.distributed.checkpoint import format_utils
from tensh.distributed.checkpoint._nested_dict import flatten_state_dict, unflatten_state_dict
from tensh.distributed.checkpoint.chunks import Chunks, find_faults

pytestmark = pytest.mark.filterwarnings(
    "ignore:torch.distributed is disabled", "ignore:Detected an existing checkpoint"
)
OVERWRITING = "Detected an existing checkpoint"  # a warning of PyTorch alone, whose checkpoint may be lost

STATES = """
{"x": torch.arange(6.).reshape(2, 3), "y": torch.tensor(2)}
{"x": torch.arange(6.).reshape(2, 3).t(), "y": torch.arange(10)[3:7], "z": torch.zeros(0, 3), "e": torch.ones(2, 3).expand(4, 2, 3)}
{"n": 1, "f": 0.5, "s": "text", "b": True, "none": None, "l": [1, 2], "t": (1, "a"), "d": {}, "deep": {"a": {"b": [3]}}}
{"l": [torch.ones(2), 3, {"a": torch.zeros(1)}, [torch.ones(1)], [1]], "t": (torch.ones(2), 1)}
{f"{d}": torch.tensor([1, 0, 1]).to(getattr(torch, d)) for d in "float64 float16 bfloat16 int8 uint8 int16 int64 bool complex64 complex128".split()}
{"p": torch.nn.Parameter(torch.ones(2)), "g": torch.ones(3, requires_grad=True) * 2}
{"model": torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))}
{"o": torch.optim.Adam(torch.nn.Linear(2, 3).parameters(), lr=0.5), "s": torch.optim.SGD([torch.ones(1)], lr=0.1)}
{"rng": torch.Generator().get_state(), "size": torch.Size([2, 3]), "dtype": torch.float16}
{"a.b": 1, "a": {"c": 2}}
{"x": [[[torch.ones(1)]], {"k": [{"m": 1}]}], "empty": [[], torch.ones(1)]}
""".strip().splitlines()
WRITERS = [{}, {"single_file_per_rank": False}, {"thread_count": 3}, {"sync_files": False}]


def evaluate(module, text):
    module.manual_seed(0)
    return eval(text, {"torch": module})


def plain(value):
    """A state dict as text, with the same text from both libraries."""
    value = value.state_dict() if hasattr(value, "load_state_dict") else value
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    return repr(value.detach() if hasattr(value, "detach") else value)


def blank(value):
    """A state dict like another, of zeros and None."""
    if hasattr(value, "load_state_dict"):
        return value
    if hasattr(value, "detach"):
        return value.detach().clone().zero_()
    if isinstance(value, dict):
        return {key: blank(each) for key, each in value.items()}
    if isinstance(value, list) and any(hasattr(each, "detach") or isinstance(each, dict | list) for each in value):
        return [blank(each) for each in value]
    return None


def transfer(writing, reading, text, folder, options):
    """Save with one library and load with another."""
    saved = evaluate(writing, text)
    there = importlib.import_module(f"{writing.__name__}.distributed.checkpoint")
    there.save(saved, storage_writer=there.FileSystemWriter(str(folder), **options))
    found = blank(evaluate(reading, text))
    importlib.import_module(f"{reading.__name__}.distributed.checkpoint").load(found, checkpoint_id=str(folder))
    return plain(saved), plain(found)


@pytest.mark.parametrize("options", WRITERS)
@pytest.mark.parametrize("text", STATES)
def test_what_is_saved_is_loaded(text, options, tmp_path):
    saved, found = transfer(torch, torch, text, tmp_path, options)
    assert saved == found


@pytest.mark.parametrize("options", WRITERS[:3])
@pytest.mark.parametrize("text", STATES)
def test_pytorch_loads_what_is_saved(oracle, text, options, tmp_path):
    saved, found = transfer(torch, oracle, text, tmp_path, options)
    assert saved == found


@pytest.mark.parametrize("options", WRITERS[:3])
@pytest.mark.parametrize("text", STATES)
def test_what_pytorch_saves_is_loaded(oracle, text, options, tmp_path):
    saved, found = transfer(oracle, torch, text, tmp_path, options)
    assert saved == found


@pytest.mark.parametrize("text", STATES)
def test_metadata_are_pytorchs(oracle, text, tmp_path):
    there = importlib.import_module("torch.distributed.checkpoint")
    expected = there.save(evaluate(oracle, text), checkpoint_id=str(tmp_path / "a"))
    found = dcp.save(evaluate(torch, text), checkpoint_id=str(tmp_path / "b"))
    assert repr(found.state_dict_metadata) == repr(expected.state_dict_metadata)
    assert repr(found.planner_data) == repr(expected.planner_data)
    assert repr(sorted(map(repr, found.storage_data))) == repr(sorted(map(repr, expected.storage_data)))
    assert vars(dcp.FileSystemReader(tmp_path / "a").read_metadata())["version"] == found.version == expected.version


CALLS = """
dcp.load({"w": torch.zeros(3)}, checkpoint_id=folder)
dcp.load({"w": 1}, checkpoint_id=folder)
dcp.load({"v": torch.zeros(2)}, checkpoint_id=folder)
dcp.load(x := {"n": torch.zeros(2)}, checkpoint_id=folder), x
dcp.load(x := {"w": torch.zeros(2, dtype=torch.int64)}, checkpoint_id=folder), x
dcp.load(x := {"w": torch.zeros(2, requires_grad=True)}, checkpoint_id=folder), x
dcp.load(x := {"w": torch.zeros(2, 2)[:, 1]}, checkpoint_id=folder), x
dcp.load(x := {"n": 0}, checkpoint_id=folder), x
dcp.load(x := {"v": 0, "n": 1}, checkpoint_id=folder, planner=dcp.DefaultLoadPlanner(allow_partial_load=True)), x
dcp.load({}, checkpoint_id=folder)
dcp.load({}, checkpoint_id=folder + "/none")
dcp.load({})
dcp.save({"w": 1})
dcp.save({"a.b": 1, "a": {"b": 2}}, checkpoint_id=folder)
dcp.save({"w": 1}, storage_writer=dcp.FileSystemWriter(folder, overwrite=False))
dcp.save({"w": {"x": torch.ones(1), "n": 3}}, checkpoint_id=folder, planner=dcp.DefaultSavePlanner(flatten_state_dict=False)).planner_data
dcp.async_save({"w": torch.ones(1)}, checkpoint_id=folder).result().state_dict_metadata
L._load_state_dict_from_keys(checkpoint_id=folder)
L._load_state_dict_from_keys("n", checkpoint_id=folder)
L._load_state_dict_from_keys({"d"}, checkpoint_id=folder)
L._load_state_dict_from_keys({"d.e"}, checkpoint_id=folder)
""".strip().splitlines()


def answer(module, text, folder):
    """The value of a call and its warnings, or its failures, as text."""
    space = importlib.import_module(f"{module.__name__}.distributed.checkpoint")
    loader = importlib.import_module(f"{module.__name__}.distributed.checkpoint.state_dict_loader")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        space.save({"w": module.arange(2.0), "n": 3, "d": {"e": 4, "f": module.ones(1)}}, checkpoint_id=folder)
        caught.clear()
        try:
            found = repr(eval(text, {"torch": module, "dcp": space, "L": loader, "folder": folder}))
        except space.CheckpointException as error:
            found = [type(each[0]).__name__ for each in error.failures.values()]
            if "/none" not in text:
                found.append([str(each[0]).replace("tensh", "torch") for each in error.failures.values()])
            else:
                found = len(found)  # another kind of error: PyTorch also looks for a description of the rank
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return found, sorted(
        {text for each in caught if each.category is UserWarning and OVERWRITING not in (text := str(each.message))}
    )


@pytest.mark.parametrize("text", CALLS)
def test_calls_answer_as_in_pytorch(oracle, text, tmp_path):
    folder = str(tmp_path / "checkpoint")
    expected = answer(oracle, text, folder)
    shutil.rmtree(folder)
    assert answer(torch, text, folder) == expected


def test_empty_dicts_in_lists(tmp_path):
    """PyTorch does not load these: it takes them for parts of a checkpoint of another version."""
    dcp.save({"x": [{}, torch.ones(1)]}, checkpoint_id=tmp_path)
    dcp.load(found := {"x": [{}, torch.zeros(1)]}, checkpoint_id=tmp_path)
    assert plain(found) == {"x": "[{}, tensor([1.])]"}


def test_files_of_torch_save(tmp_path):
    state = evaluate(torch, STATES[3])
    torch.save(state, tmp_path / "a.pt")
    format_utils.torch_save_to_dcp(tmp_path / "a.pt", tmp_path / "folder")
    format_utils.dcp_to_torch_save(tmp_path / "folder", tmp_path / "b.pt")
    assert plain(torch.load(tmp_path / "b.pt")) == plain(state)


def test_paths_lead_back():
    state = {"a": [{"b": torch.ones(1)}, 2], "c": {"d": {"e": [1]}}}
    assert plain(unflatten_state_dict(*flatten_state_dict(state))) == plain(state)


def test_chunks_of_one_process(tmp_path):
    whole = torch.arange(12.0).reshape(3, 4)
    boxes = [((0, 0), (3, 1)), ((0, 1), (2, 3)), ((2, 1), (1, 3))]
    parts = [(a, n, whole[a[0] : a[0] + n[0], a[1] : a[1] + n[1]].clone()) for a, n in boxes]
    dcp.save({"w": Chunks(whole.shape, whole.dtype, parts)}, checkpoint_id=tmp_path)
    dcp.load(found := {"w": torch.zeros(3, 4)}, checkpoint_id=tmp_path)
    assert torch.equal(found["w"], whole)
    with pytest.raises(dcp.CheckpointException, match="invalid fill"):
        dcp.save({"w": Chunks(whole.shape, whole.dtype, parts[:2])}, checkpoint_id=tmp_path)


@pytest.mark.parametrize(
    ("boxes", "text"),
    [
        ([((0, 0), (2, 3))], []),
        ([((0, 0), (2, 2)), ((0, 1), (2, 2))], ["overlapping", "volume"]),
        ([((0, 0), (2, 4))], ["out of bounds"]),
        ([((0,), (2,))], ["dimensions"]),
        ([((0, 0), (2, 3)), ((2, 0), (0, 3))], []),
    ],
)
def test_faults_of_boxes(boxes, text):
    found = list(find_faults((2, 3), [dcp.ChunkStorageMetadata(*map(torch.Size, box)) for box in boxes]))
    assert len(found) == len(text) and all(part in each for part, each in zip(text, found, strict=True))


# ── killed saves ─────────────────────────────────────────────────────────────
EVENTS = ("open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.listdir", "os.truncate", "os.chmod")


def save_until(folder, moment, options):
    """Save in a process that is killed at one of the moments at which it uses the file system; return whether it was."""
    process = os.fork()
    if process == 0:
        try:
            warnings.simplefilter("ignore")
            left = itertools.count()

            def kill(event, arguments):
                if event in EVENTS and next(left) == moment:
                    os.kill(os.getpid(), signal.SIGKILL)

            state = {"w": torch.full((1000,), 2.0), "v": torch.full((2, 2), 2.0), "n": 2}
            writer = dcp.FileSystemWriter(folder, **options)
            sys.addaudithook(kill)
            dcp.save(state, storage_writer=writer)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("options", [{}, {"single_file_per_rank": False}])
def test_a_save_that_is_killed_leaves_a_whole_checkpoint(tmp_path, options):
    def values():
        dcp.load(found := {"w": torch.zeros(1000), "v": torch.zeros(2, 2), "n": 0}, checkpoint_id=tmp_path)
        assert len({found["n"], *found["w"].tolist(), *found["v"].flatten().tolist()}) == 1
        return found["n"]

    seen = []
    for moment in itertools.count():
        dcp.save({"w": torch.ones(1000), "v": torch.ones(2, 2), "n": 1}, checkpoint_id=tmp_path)
        was_killed = save_until(tmp_path, moment, options)
        seen.append(values())
        if not was_killed:
            break
    assert seen == sorted(seen) and {*seen} == {1, 2} and len(seen) > 8
    assert len(list(tmp_path.iterdir())) == (2 if not options else 4)


def test_saves_in_the_background_follow_each_other(tmp_path):
    w = torch.zeros(3)
    futures = []
    for number in range(4):
        w += 1
        futures.append(dcp.async_save({"w": w, "n": number}, checkpoint_id=tmp_path))
    w.zero_()
    concurrent.futures.wait(futures)
    dcp.load(found := {"w": w, "n": None}, checkpoint_id=tmp_path)
    assert found["n"] == 3 and found["w"].tolist() == [4, 4, 4]
    failed = dcp.async_save({"w": w}, storage_writer=dcp.FileSystemWriter(tmp_path, overwrite=False))
    with pytest.raises(dcp.CheckpointException, match="already exists"):
        failed.result()


def test_files_contain_no_more_than_the_elements(tmp_path):
    dcp.save({"w": torch.zeros(10**6)[:2]}, checkpoint_id=tmp_path)
    assert os.path.getsize(tmp_path / "__0_0.distcp") < 5000


def test_a_writer_that_fails_at_its_second_save_leaves_the_first(tmp_path):
    class Unwritable:
        def __reduce__(self):
            raise OSError("no room")

    writer = dcp.FileSystemWriter(tmp_path)
    dcp.save({"w": torch.ones(2)}, storage_writer=writer)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(dcp.CheckpointException, match="no room"):
        dcp.save({"w": torch.zeros(2), "x": Unwritable()}, storage_writer=writer)
    assert sorted(os.listdir(tmp_path)) == before
    dcp.load(found := {"w": torch.zeros(2)}, storage_reader=dcp.FileSystemReader(tmp_path))
    assert found["w"].tolist() == [1, 1]


def test_a_group_that_was_destroyed_does_not_save_alone(tmp_path):
    dist = torch.distributed
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    group = dist.new_group([0])
    dcp.save({"w": 1}, checkpoint_id=tmp_path / "a", process_group=group)
    dist.destroy_process_group()
    with pytest.raises(ValueError, match="has not been initialized"):
        dcp.save({"w": 1}, checkpoint_id=tmp_path / "b", process_group=group)
    assert os.listdir(tmp_path) == ["a"]
