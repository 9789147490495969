"""Opening tensor files: each array becomes a tensor with a name."""

import importlib
import os
from collections import OrderedDict

from tensh.cli.session.files.variable_names import free_name
from tensh.show.drawing.text import shorten
from tensh.show.reading.describe import brief, is_tensor, list_words
from tensh.support.escaping import visible_line
from tensh.support.language import _

CHECKPOINTS = (".pt", ".pth")  # files written by torch.save
MODELS = (".onnx", ".pt2")  # ONNX models, and programs of torch.export
FORMATS = (".npy", ".npz", ".safetensors", *CHECKPOINTS, *MODELS)
NOT_YET = (".gguf",)
BLOCK = 512  # bytes of a header of a tar archive
LONGEST = 300  # characters of a message about a file


class OpeningError(Exception):
    """Raised for a file that cannot be opened."""


def is_tensor_file(path):
    """Return True if a file holds tensors, by its extension; raise OpeningError for an unsupported format."""
    extension = os.path.splitext(path)[1].lower()
    if extension in NOT_YET:
        raise OpeningError(
            _("{path}: tensh cannot read {extension} files yet; it reads {formats}").format(
                path=path, extension=extension, formats=", ".join(FORMATS)
            )
        )
    return extension in FORMATS


def describe_defined(session, path):
    """Define the arrays of a file as the user's names; return a description."""
    found = [f"{name} {brief(value) or type(value).__name__}" for name, value in define_names(session, path).items()]
    return list_words(found) or _("no arrays in it")


def define_names(session, path):
    """Define the contents of a file as names; return name -> value.

    Raise OpeningError with a sentence about the file.
    """
    from tensh.cli.session.files import saving  # imports NumPy

    engine, names = importlib.import_module(session.engine), {}
    try:
        if header := saving.find_header(path):
            return saving.load(session, path, header=header).names
        found = contents(path, engine)
    except Exception as error:  # zip, pickle and each format raise different errors
        raise OpeningError(sentence(path, error)) from None
    numbers = {}
    for name, value in found.items():
        name = free_name(name, session.namespace, numbers)
        names[name] = session.namespace[name] = value
    return names


def sentence(path, error):
    """Return the message for a bad file, as a sentence that begins with its name."""
    words = getattr(error, "strerror", None) or str(error).partition("\n")[0] or type(error).__name__
    if isinstance(error, EOFError):
        words = _("the file is empty, or it ends too early")
    if path.lower().endswith(CHECKPOINTS) and not begins_as_checkpoint(path):
        words = _("torch.save writes no such file: it does not begin like one")
    if isinstance(error, MemoryError):  # raised by Python's parser for deep nesting, too, without words
        words = (
            _("there is not enough memory for it") if str(error) else _("the description of its arrays is too large")
        )
    words = visible_line(words)  # may quote the file
    return words if words.startswith(path) else f"{path}: {cut_sentences(words)}"


def begins_as_checkpoint(path):
    """Return True if a file is empty, or begins as `torch.save` writes it: a zip archive, a pickle, or a tar archive."""
    try:
        with open(path, "rb") as file:
            begin = file.read(BLOCK)
    except OSError:
        return True
    return not begin or begin.startswith((b"PK", b"\x80")) or begin[257:262] == b"ustar"


def cut_sentences(words):
    """Cut a long message after a sentence, or else within one."""
    if len(words) <= LONGEST:
        return words
    sentences = words[:LONGEST].rpartition(". ")[0]
    return f"{sentences}." if sentences else shorten(words, LONGEST, unicode=False)


def contents(path, engine):
    """Return name -> value for a file of any format.

    A checkpoint that is not a dict is one value, named after the file.

    A model's state dict is one value, too, since its keys are names of parameters.
    """
    if path.lower().endswith(MODELS):
        import tensh

        return {stem(path): (tensh.onnx if path.lower().endswith(".onnx") else tensh.export).load(path)}
    if path.lower().endswith(CHECKPOINTS) and is_script_file(path):
        import tensh

        return {stem(path): tensh.jit.load(path)}
    if path.lower().endswith(CHECKPOINTS):
        # tensh builds the modules that it knows from a pickle, and runs none of its code; PyTorch would run it
        loaded = engine.load(path, weights_only=engine.__name__ != "tensh")
        is_table = isinstance(loaded, dict) and all(isinstance(key, str) for key in loaded)
        is_state = isinstance(loaded, OrderedDict) or (
            is_table and any("." in key for key in loaded) and all(map(is_tensor, loaded.values()))
        )
        return loaded if is_table and not is_state else {stem(path): loaded}
    if not is_tensor_file(path):
        raise ValueError(
            _("its extension does not name a format: tensors can be read from {formats}").format(
                formats=", ".join(FORMATS)
            )
        )
    return {name: tensor(array, engine) for name, array in arrays(path).items()}


def is_script_file(path):
    """Return True if a file is a TorchScript archive, which contains code besides tensors."""
    import zipfile  # imported on demand: a tenth of a start

    try:
        with zipfile.ZipFile(path) as zipped:
            return any(name.endswith("/constants.pkl") for name in zipped.namelist())
    except (OSError, zipfile.BadZipFile, ValueError):
        return False


def arrays(path):
    """Return name -> array for a file."""
    if path.lower().endswith(".safetensors"):
        from tensh.utils.safetensors.format import read

        return read(path)[0]
    from tensh.cli.session.files import numpy_files

    if path.lower().endswith(".npz"):
        return numpy_files.unpack_arrays(path)
    return {stem(path): numpy_files.map_array(path)}


def stem(path):
    """Return the name of a file without folder and extension."""
    return os.path.splitext(os.path.basename(path))[0]


def tensor(array, engine):
    """Return an array as a tensor that shares its memory; the array itself if PyTorch lacks its dtype."""
    try:
        return engine.from_numpy(array.astype(array.dtype.newbyteorder("="), copy=False))
    except TypeError:
        return array
