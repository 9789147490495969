"""Files of exported programs: a zip archive with the graph as JSON and the tensors in the format of torch.save.

Nothing in a file is executed: operators are looked up in the table of ``aten``, names must be identifiers, and Python
code is generated only from the graph. Containers are of classes that the program that reads the file has registered.
The format is specific to tensh.
"""

import io
import json
import zipfile

import tensh as torch
from tensh.export.exported_program import ExportedProgram
from tensh.export.nodes import encode_node, list_tensors
from tensh.export.notes import name_class
from tensh.export.rebuilding import VERSION, rebuild
from tensh.export.values import DamagedFile, encode
from tensh.func.trees import TreeSpec
from tensh.serialization.faults import DAMAGE, describe_damage, one_line
from tensh.serialization.reading import require_file
from tensh.serialization.whole_writes import write_whole
from tensh.support.bounded_json import loads
from tensh.support.replacing import replace_file
from tensh.tracing.program import flatten_like
from tensh.utils._pytree_json import treespec_dumps

__all__ = ["load", "save"]

LARGEST = 2**28  # maximum size of the graph's text, in bytes


def save(ep, f, *, extra_files=None, opset_version=None):
    """Write an ``ExportedProgram`` to a path or binary file; ``extra_files`` (name -> text) are added.

    >>> import tensh as torch, io
    >>> program = torch.export.export(torch.nn.Linear(2, 1), (torch.ones(1, 2),))
    >>> file = io.BytesIO()
    >>> torch.export.save(program, file)
    >>> _ = file.seek(0)
    >>> x = torch.randn(1, 2)
    >>> torch.equal(torch.export.load(file).module()(x), program.module()(x))
    True
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    program = ep._traced
    text = json.dumps({
        "tensh": VERSION,
        "nodes": [encode_node(node) for node in program.graph.nodes],
        "structure": encode(program.structure),
        "result": treespec_dumps(without_result_types(ep.call_spec.out_spec)),
        "names": program.names,
        "guards": program.guards,
        "leaves": [[name, encode(leaf)] for name, leaf in program.leaves],
        "dynamic": {str(place): {str(dim): name for dim, name in table.items()} for place, table in program.dynamic.items()},
        "bounds": {name: [each.lower, each.upper] for name, each in program.bounds.items()},
        "parameters": list(ep.graph_signature.parameters),
        "frozen": [name for name in ep.graph_signature.parameters if not ep.state_dict[name].requires_grad],
        "buffers": list(ep.graph_signature.buffers),
        "constants": list(ep.constants),
        "class": name_class(program.root_class),
        "modules": ep._paths,
        "signatures": [[key, *encode_signature(each)] for key, each in program.signatures.items()],
        "mutations": [[node.name, member, target] for node, (member, target) in program.mutations.items()],
    })  # fmt: skip
    tensors = io.BytesIO()
    values = {**ep.state_dict, **ep.constants, **list_tensors(program.graph)}
    torch.save({name: value.detach() for name, value in values.items()}, tensors)
    records = {"program.json": text, "tensors.pt": tensors.getvalue()}
    if ep.example_inputs is not None:
        example = io.BytesIO()
        torch.save([each.detach() for each in flatten_like(program.structure, *ep.example_inputs)], example)
        records["example.pt"] = example.getvalue()
    if hasattr(f, "write"):
        write_archive(write_whole(f), records, extra_files)
    else:
        with replace_file(f) as file:
            write_archive(file, records, extra_files)


def encode_signature(signature):
    """Encode the signature of a call of a module as JSON."""
    specs = [treespec_dumps(without_result_types(each)) for each in (signature.in_spec, signature.out_spec)]
    return [encode(list(signature.inputs)), encode(list(signature.outputs)), *specs]


def without_result_types(spec):
    """Return a structure with tuples in place of results of operators, such as those of ``max``."""
    kind = tuple if getattr(spec.type, "__module__", "") == "torch.return_types" else spec.type
    return TreeSpec(kind, spec.context, list(map(without_result_types, spec.children_specs))) if kind else spec


def write_archive(file, records, extra_files):
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in records.items():
            archive.writestr(name, content)
        for name, content in (extra_files or {}).items():
            archive.writestr(f"extra/{name}", content)


def load(f, *, extra_files=None, expected_opset_version=None):
    """Load an ``ExportedProgram`` from a file written by ``save``.  Nothing in it runs before the program is called.

    ``extra_files`` (a dictionary) receives the extra texts, by its keys. Raise DamagedFile (a ValueError) for any other
    file.
    """
    try:
        require_file(f)
        with zipfile.ZipFile(f) as archive:
            if any(name.endswith("/models/model.json") for name in archive.namelist()):
                raise DamagedFile(
                    "this is an exported program of PyTorch, whose format tensh does not read: write ONNX there, by torch.onnx.export"
                )
            if "program.json" not in archive.namelist():
                raise DamagedFile("this is not an exported program of tensh: it has no program.json")
            if archive.getinfo("program.json").file_size > LARGEST:
                raise DamagedFile(f"the graph has more than {LARGEST} bytes")
            content = loads(read_record(archive, "program.json").decode("utf-8"), deepest=100)
            tensors = torch.load(io.BytesIO(read_record(archive, "tensors.pt")))
            example = None
            if "example.pt" in archive.namelist():  # absent in files of earlier versions
                example = torch.load(io.BytesIO(read_record(archive, "example.pt")))
            for name in extra_files or {}:
                extra_files[name] = read_record(archive, f"extra/{name}").decode("utf-8")
        return rebuild(content, tensors, example)
    except DamagedFile as error:
        raise DamagedFile(one_line(error)) from None
    except DAMAGE as error:
        raise DamagedFile(f"this is not an exported program of tensh: {describe_damage(error)}") from None


def read_record(archive, name):
    """Return the bytes of an uncompressed record, so that a small file cannot need much memory."""
    if name not in archive.namelist():
        raise DamagedFile(f"it has no {name}")
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise DamagedFile(f"its record {name} is compressed")
    return archive.read(name)
