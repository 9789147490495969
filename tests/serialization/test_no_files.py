"""Readers of models, given a path that is not a file, or a small file that unpacks to a large one."""

import io
import os
import zipfile

import pytest

import tensh
from tensh.export.values import DamagedFile
from tensh.utils.safetensors import SafetensorError
from tensh.utils.safetensors.torch import load_file

READERS = {
    ".pt": tensh.load,
    ".pth": tensh.jit.load,
    ".pt2": tensh.export.load,
    ".onnx": tensh.onnx.load,
    ".safetensors": load_file,
    ".bin": lambda path: tensh.from_file(str(path), size=2),
}
MISSING = {".pth": ValueError, ".bin": RuntimeError}
"""The exceptions for files that do not exist, where PyTorch does not raise OSError."""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("ending", READERS)
def test_what_may_have_no_end_is_refused(ending, tmp_path):
    if ending == ".onnx":
        pytest.importorskip("onnx")
    pipe, device = tmp_path / f"pipe{ending}", tmp_path / f"device{ending}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device, str(pipe)):
        with pytest.raises((RuntimeError, ValueError, SafetensorError), match="is a pipe or a device, not a file"):
            READERS[ending](path)
    with pytest.raises(MISSING.get(ending, OSError)):
        READERS[ending](tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["program.json", "tensors.pt"])
def test_a_compressed_record_of_an_exported_program_is_refused(name):
    file = io.BytesIO()
    tensh.export.save(tensh.export.export(tensh.nn.Linear(1, 1), (tensh.ones(1, 1),)), file)
    packed = io.BytesIO()
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(packed, "w") as after:
        for record in before.namelist():
            how = zipfile.ZIP_DEFLATED if record == name else zipfile.ZIP_STORED
            after.writestr(record, before.read(record), how)
    with pytest.raises(DamagedFile, match=f"its record {name} is compressed"):
        tensh.export.load(packed)
