"""Notes of nodes in files of exported programs: the user's line, the modules that were being called, the public function."""

from tensh.export.values import DamagedFile
from tensh.support.escaping import visible_line

__all__ = ["decode_notes", "encode_notes", "name_class"]


def name_class(cls):
    """Return the name of a class with its module; that of a file is a name already."""
    return cls if isinstance(cls, str) else f"{cls.__module__}.{cls.__qualname__}"


def encode_notes(meta):
    """Encode the notes of a node as JSON."""
    entry = {}
    if "stack_trace" in meta:
        entry["trace"] = meta["stack_trace"].split("\n")
    if "nn_module_stack" in meta:
        entry["modules"] = [[key, path, name_class(cls)] for key, (path, cls) in meta["nn_module_stack"].items()]
    if meta.get("torch_fn"):
        entry["function"] = list(meta["torch_fn"])
    return entry


def decode_notes(entry):
    """Return the notes of a node.  Raise DamagedFile for other values than printable texts: graphs show them."""
    made = {}
    if "trace" in entry:
        made["stack_trace"] = "\n".join(read_texts(entry["trace"]))
    if "modules" in entry:
        rows = [read_texts(each, 3) for each in entry["modules"]]
        made["nn_module_stack"] = {key: (path, cls) for key, path, cls in rows}
    if "function" in entry:
        made["torch_fn"] = tuple(read_texts(entry["function"], 2))
    return made


def read_texts(texts, count=None):
    """Return a list of texts, ``count`` of them if that is given."""
    fits = isinstance(texts, list) and all(isinstance(each, str) and visible_line(each) == each for each in texts)
    if not fits or count not in (None, len(texts)):
        raise DamagedFile(f"a note of a node is invalid: {texts!r:.80}")
    return texts
