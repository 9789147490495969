"""Notes of nodes in files of exported programs: the user's line, the modules that were being called, the public function."""

from tensh.export.values import DamagedFile
from tensh.support.escaping import visible_line

__all__ = ["decode_notes", "encode_notes", "name_class"]


def name_class(cls):
    """Return the name of a class with its module; that of a file is a name already."""
    return cls if isinstance(cls, str) else f"{cls.__module__}.{cls.__qualname__}"


def encode_notes(meta):
    """Encode the notes of a node as JSON."""
    said = {}
    if "stack_trace" in meta:
        said["trace"] = meta["stack_trace"].split("\n")
    if "nn_module_stack" in meta:
        said["modules"] = [[key, path, name_class(cls)] for key, (path, cls) in meta["nn_module_stack"].items()]
    if meta.get("torch_fn"):
        said["function"] = list(meta["torch_fn"])
    return said


def decode_notes(said):
    """Return the notes of a node.  Raise DamagedFile for other values than printable texts: graphs show them."""
    made = {}
    if "trace" in said:
        made["stack_trace"] = "\n".join(read_texts(said["trace"]))
    if "modules" in said:
        rows = [read_texts(each, 3) for each in said["modules"]]
        made["nn_module_stack"] = {key: (path, cls) for key, path, cls in rows}
    if "function" in said:
        made["torch_fn"] = tuple(read_texts(said["function"], 2))
    return made


def read_texts(said, count=None):
    """Return a list of texts, ``count`` of them if that is given."""
    fits = isinstance(said, list) and all(isinstance(each, str) and visible_line(each) == each for each in said)
    if not fits or count not in (None, len(said)):
        raise DamagedFile(f"a note of a node is invalid: {said!r:.80}")
    return said
