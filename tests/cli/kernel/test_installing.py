"""`tensh kernel install` and `remove`."""

import io
import json
import sys

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment


def command(*words):
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    return main(["kernel", *words], env), env.stdout.getvalue(), env.stderr.getvalue()


@pytest.fixture
def prefix(tmp_path):
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    return str(tmp_path / "a place")


def test_jupyter_finds_what_was_installed_and_no_more_when_it_was_removed(prefix):
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    status, out, err = command("install", "--prefix", prefix)
    assert (status, out.strip()) == (0, f"{prefix}/share/jupyter/kernels/tensh") and "jupyter lab" in err
    known = KernelSpecManager(kernel_dirs=[f"{prefix}/share/jupyter/kernels"])
    spec = known.get_kernel_spec("tensh")
    assert spec.argv[:3] == [sys.executable, "-m", "tensh.cli.kernel"] and spec.display_name == "tensh"
    assert command("install", "--prefix", prefix)[0] == 0  # over itself
    assert command("remove", "--prefix", prefix)[:2] == (0, f"removed {out}")
    with pytest.raises(NoSuchKernel):
        known.get_kernel_spec("tensh")
    status, out, err = command("remove", "--prefix", prefix)
    assert status == 2 and "there is no kernel tensh" in err


def test_another_name(prefix):
    assert command("install", "--prefix", prefix, "--name", "course")[0] == 0
    with open(f"{prefix}/share/jupyter/kernels/course/kernel.json", encoding="utf-8") as file:
        assert json.load(file)["display_name"] == "tensh (course)"
    assert command("remove", "--prefix", prefix)[0] == 2
    assert command("remove", "--prefix", prefix, "--name", "course")[0] == 0


@pytest.mark.parametrize("name", ["../x", "a b", "", "a/b", "<b>"])
def test_no_name(prefix, name):
    status, out, err = command("install", "--prefix", prefix, "--name", name)
    assert status == 2 and not out and "not a valid kernel name" in err


def test_the_kernel_of_others_is_left_alone(prefix, tmp_path):
    place = tmp_path / "a place/share/jupyter/kernels/tensh"
    place.mkdir(parents=True)
    (place / "kernel.json").write_text('{"argv": ["other"]}', encoding="utf-8")
    for action in ("install", "remove"):
        status, out, err = command(action, "--prefix", prefix)
        assert status == 2 and "is another kernel" in err
    assert json.loads((place / "kernel.json").read_text(encoding="utf-8")) == {"argv": ["other"]}


def test_a_place_that_cannot_be_written(prefix, tmp_path):
    (tmp_path / "a place").write_text("a file", encoding="utf-8")
    status, out, err = command("install", "--prefix", prefix)
    assert status == 2 and "a place" in err and "Traceback" not in err
    assert command("install", "--prefix", prefix, "--user")[0] == 2


def test_without_ipykernel_it_is_said_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    status, out, err = command("install")
    assert status == 2 and "pip install 'tensh[jupyter]'" in err
