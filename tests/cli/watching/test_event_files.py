"""Event files that are damaged, hostile, or change while `tensh watch` reads them: shown, or refused in one line."""

import io
import json
import os
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("tensorboard") is None:
    pytest.skip("tensorboard is not installed", allow_module_level=True)

from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.cli.sweeping.store import Store
from tensh.cli.watching.event_files import LONGEST_SIDE, Runs, Unreadable, decode_image
from tensh.show.drawing.png import encode
from tests.fuzz.files.events import frame, write_event

INF, NAN = float("inf"), float("nan")
BAD = "a\x1b[2J\x1b]52;c;AAAA\a\u202e\x9b"


def number(value, step=0, tag="x"):
    return frame(write_event(step, tag=tag, simple_value=value))


def bars(limits, counts):
    return frame(write_event(tag="h", histo=HistogramProto(bucket_limit=limits, bucket=counts)))


def tensor(plugin, **content):
    data = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin))
    return frame(write_event(tag=BAD, metadata=data, tensor=TensorProto(**content)))


def picture(content, tag=BAD):
    return frame(write_event(tag=tag, image=Summary.Image(encoded_image_string=content)))


def png(image):
    """A file of bytes [rows, columns, 3]."""
    return encode(np.asarray(image, np.uint8))


SHOWN = {  # name -> the file, or its contents
    "no numbers": number(NAN) + number(INF, 1) + number(-INF, 2),
    "steps": number(1.0, 2**63 - 1) + number(2.0, -(2**63)),
    "a tag": number(1.0, tag=BAD) + number(2.0, tag="") + number(2.0, tag="a\nb,c\r") + number(1.0, tag="t" * 10**5),
    "no bars": bars([], []),
    "limits without counts": bars([1, 2], []),
    "more counts than limits": bars([1, 2], [1, 2, 3, 4]),
    "fewer counts than limits": bars([1, 2, 3], [1]),
    "bars that are no numbers": bars([NAN, NAN], [NAN, 1]) + bars([-INF, INF], [1, INF]),
    "huge bars": bars([-1.7e308, 1.7e308], [1, 2]) + bars([1, 2, 3], [-5, 1e308, 1e308]) + bars([3, 2], [1, 1]),
    "tensors": tensor("scalars") + tensor("scalars", tensor_content=b"abc") + tensor("text", string_val=[b"\xff\x1b"]),
    "an image": picture(png(np.zeros((3, 4, 3)))) + picture(png(np.full((2, 2, 3), 255)), "b"),
    "no image": picture(b"")
    + picture(b"\x89PNG\r\n\x1a\n" + bytes(50), "b")
    + tensor("images", string_val=[b"1", b"1", b"GIF89a"]),
    "an image that is cut off": picture(png(np.zeros((30, 40, 3)))[:60]),
    "an image that is too large": picture(png(np.zeros((1, 1, 3))).replace(b"\0\0\0\1\0\0\0\1", b"\0\1\0\0\0\1\0\0")),
    "a long text": tensor("text", string_val=[b"x" * 10**6]),
    "cut off": number(1.0) + number(2.0, 1)[:-7],
    "the beginning of a record": b"\5",
}
REFUSED = {
    "zeros": bytes(10**6),
    "a length that is no length": b"\xff" * 40,
    "a length that is too large": (2**27 + 1).to_bytes(8, "little") + bytes(40),
    "a text": b"nothing of the kind, and long enough",
    "no event": frame(b"\xff" * 9),
}


def watch(folder, *options):
    """Return (status, stdout, stderr) of the command."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    return main(["watch", str(folder), *options], env), env.stdout.getvalue(), env.stderr.getvalue()


@pytest.mark.parametrize("what", SHOWN)
@pytest.mark.filterwarnings("error")
def test_what_is_unusual_is_shown(what, tmp_path):
    (tmp_path / "a.tfevents.1").write_bytes(SHOWN[what])
    for option in ("--once", "--csv", "--json"):
        status, shown, said = watch(tmp_path, option)
        assert (status, said) == (0, "") and "\x1b" not in shown and "\u202e" not in shown
        assert len(shown) < 10**5 or option != "--once"
        if option == "--json":
            assert all(json.loads(line, parse_constant=pytest.fail) for line in shown.splitlines())


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_event_file_is_one_line(what, tmp_path):
    path = tmp_path / "a.tfevents.1"
    path.write_bytes(REFUSED[what])
    assert watch(tmp_path) == (2, "", f"tensh watch: {path} is not a TensorBoard event file\n")


@pytest.mark.parametrize("what", REFUSED)
def test_what_precedes_a_damaged_record_is_shown(what, tmp_path):
    begin = number(1.0) + number(2.0, 1)
    (tmp_path / "a.tfevents.1").write_bytes(begin + REFUSED[what])
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.tfevents.1").write_bytes(REFUSED[what])
    status, shown, said = watch(tmp_path, "--once")
    assert (status, said) == (0, "") and "1 curve of 2 points" in shown
    page = " ".join(shown.replace("\n# ", " ").split())
    assert f"a.tfevents.1 is damaged after {len(begin)} bytes" in page and "b.tfevents.1 is not a Tensor" in page
    status, shown, said = watch(tmp_path, "--csv")
    assert status == 0 and shown.count("\n") == 3 and said.count("\n") == 2


def test_a_record_that_was_damaged_while_it_was_written_is_read_later(tmp_path):
    path, runs = tmp_path / "a.tfevents.1", Runs(tmp_path)
    path.write_bytes(number(1.0) + bytes(30))
    assert runs.refresh() and runs.errors and not runs.refresh()
    path.write_bytes(number(1.0) + number(2.0, 1))
    assert runs.refresh() and not runs.errors and len(runs.numbers["x"]["."]) == 2


def test_what_is_no_file_is_passed_over(tmp_path):
    path = tmp_path / "a.tfevents.1"
    for target in ("a.tfevents.1", "/nowhere", "/dev/zero", "."):
        path.symlink_to(target)
        assert watch(tmp_path)[::2] == (0, ""), target
        path.unlink()


def test_sweeps_are_shown_without_tensorboard(tmp_path, monkeypatch):
    def fails():
        raise Unreadable("no package")

    for name in "ab":
        (tmp_path / f"{name}.tfevents.1").write_bytes(number(1.0))
    monkeypatch.setattr("tensh.cli.watching.event_files.load_event", fails)
    assert watch(tmp_path) == (2, "", "tensh watch: no package\n")
    store = Store(str(tmp_path / "runs.sqlite"), {"script": "a.py", "digest": "ab", "options": "{}"})
    store.add([{"rate": "0.1"}], [0])
    store.close()
    status, shown, said = watch(tmp_path, "--once")
    assert (status, said, shown.count("# no package")) == (0, "", 1) and "1 waiting" in shown


def test_what_cannot_be_read_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "a.tfevents.1").write_bytes(number(1.0))

    def fails(path, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tensh.cli.watching.event_files.open", fails, raising=False)
    assert watch(tmp_path) == (2, "", f"tensh watch: {tmp_path / 'a.tfevents.1'}: Permission denied\n")


def test_a_run_that_begins_again_is_read_anew(tmp_path):
    path, runs = tmp_path / "a.tfevents.1", Runs(tmp_path)
    path.write_bytes(number(1.0) + number(2.0, 1) + number(3.0, 2)[:9])
    assert runs.refresh() and not runs.refresh()
    path.write_bytes(number(5.0))
    assert runs.refresh() and [each.value for each in runs.numbers["x"]["."]] == [5.0]
    path.unlink()
    assert runs.refresh() and not runs.numbers


def test_a_file_that_is_gone_when_it_is_opened_is_none(tmp_path):
    runs = Runs(tmp_path)
    runs.list_files = lambda: [(str(tmp_path / "gone.tfevents.1"), 9)]
    assert not runs.refresh()


def test_the_last_images_are_shown(tmp_path):
    dark, bright = (png(np.full((4, 6, 3), value)) for value in (0, 255))
    (tmp_path / "a.tfevents.1").write_bytes(b"".join(picture(each, tag) for tag in "cab" for each in (dark, bright)))
    shown = watch(tmp_path, "--once")[1]
    assert shown.count("|@@@@@@|\n  |@@@@@@|") == 2 and "a (., 0)  [4, 6, 3] uint8" in shown and "c (" not in shown
    assert (
        "# 3 tags have images: choose with --tag PATTERN" in shown
        and "c (., 0)" in watch(tmp_path, "--once", "--tag", "c")[1]
    )


@pytest.mark.parametrize("rows, columns", [(1, 60_000), (60_000, 200), (30, 40)])
def test_an_image_is_read_no_larger_than_it_is_shown(rows, columns):
    pytest.importorskip("PIL")
    found = decode_image(encode(np.zeros((rows, columns, 3), np.uint8)))
    factor = min(1, LONGEST_SIDE / max(rows, columns))
    assert found.shape == (max(round(rows * factor), 1), max(round(columns * factor), 1), 3)


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is POSIX's")
def test_a_window_of_another_size_is_drawn_anew(tmp_path):
    from tests.support.terminal import Terminal

    (tmp_path / "events.out.tfevents.1").write_bytes(b"".join(number(float(n), n) for n in range(20)))
    with Terminal("watch", tmp_path, columns=80) as shell:
        shell.wait(lambda: frames(shell))
        assert min(frames(shell)) > 44
        shell.resize(44, 30)
        shell.wait(lambda: min(frames(shell)) < 44)


def frames(shell):
    """The widths of the frames on the screen."""
    lines = [line.rstrip() for line in shell.screen.text().split("\n")]
    return [len(line) for line in lines if line.startswith("└") and line.endswith("┘")]
