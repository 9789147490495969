"""`tensh export MODEL --onnx OUT`: convert a saved model."""

import importlib
import os

from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.session.files import opening
from tensh.support.escaping import visible_line
from tensh.support.language import _, count
from tensh.support.replacing import replace_file

# raised by a model that runs on zeros, or that cannot be written as ONNX
MODEL_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, MemoryError, AssertionError, ImportError)  # fmt: skip


def show(env, source, target, shapes, dynamic, force=False):
    """Write the model of a file as ONNX; return the exit status."""
    if os.path.isdir(target):
        raise UsageError(_("tensh export: {target}: this is a folder, not a file").format(target=target))
    if os.path.lexists(target) and not force:
        raise UsageError(_("tensh export: {target} already exists; --force overwrites it").format(target=target))
    reading.require(source)
    if os.path.exists(target) and os.path.samefile(source, target):
        raise UsageError(_("tensh export: {target} is the model itself: write to another file").format(target=target))
    engine = importlib.import_module("tensh")
    model = load_model(source, engine)
    try:
        made = export_model(model, [read_shape(text) for text in shapes], dynamic, engine)
        with replace_file(target) as file:
            file.write(made.model_proto.SerializeToString())
    except OSError as error:
        raise UsageError(_("tensh export: {error}").format(error=opening.sentence(target, error))) from None
    except MODEL_ERRORS as error:
        words = summarise(error)
        raise UsageError(_("tensh export: {error}").format(error=visible_line(words))) from None
    with env.writing():
        print(visible_line(f"{target}: {describe(made.model_proto)}"), file=env.stdout)
    return status.OK


def summarise(error):
    """Return a failure in one line: of data that Python reads, what was read and what to do instead."""
    first, _blank, more = str(error).partition("\n\n")
    lines = [line for line in more.splitlines() if line.strip()]
    if first.startswith("Could not") and lines:
        return " ".join(dict.fromkeys((lines[0], lines[-1])))
    return first.partition("\n")[0] or type(error).__name__


def load_model(source, engine):
    """Load the module or exported program in a file."""
    extension = os.path.splitext(source)[1].lower()
    try:
        if extension == ".pt2":
            return engine.export.load(source)
        if extension in (".pt", ".pth") and opening.is_script_file(source):
            return engine.jit.load(source)
        if extension in (".pt", ".pth"):
            found = engine.load(source, weights_only=False)
            if isinstance(found, engine.nn.Module):
                return found
            raise UsageError(
                _(
                    "tensh export: {source} holds weights ({name}), not a program: save what torch.jit.trace or torch.export.export returns"
                ).format(source=source, name=type(found).__name__)
            )
    except UsageError:
        raise
    except Exception as error:  # zip, pickle and each format raise different errors
        raise UsageError(_("tensh export: {error}").format(error=opening.sentence(source, error))) from None
    raise UsageError(
        _(
            "tensh export: {source}: expected a .pt file of torch.jit, a .pt2 file of torch.export or a pickled module"
        ).format(source=source)
    )


def read_shape(text):
    """Parse ``1,3,8,8`` as sizes, or ``2,6:int64`` with a dtype."""
    sizes, _colon, dtype = text.partition(":")
    try:
        found = [int(each) for each in sizes.split(",") if each.strip()]
        if any(each < 0 for each in found):
            raise ValueError
    except ValueError:
        raise UsageError(
            _("--shape {text}: expected sizes such as 1,3,224,224, or 2,6:int64").format(text=text)
        ) from None
    return found, dtype or "float32"


def export_model(model, shapes, dynamic, engine):
    """Return the ONNXProgram of a model; one without recorded inputs is run on zeros of the shapes."""
    if hasattr(model, "_traced"):
        if shapes or dynamic:
            raise UsageError(
                _("tensh export: an exported program describes its inputs itself: leave out {option}").format(
                    option="--shape" if shapes else "--dynamic"
                )
            )
        return engine.onnx.export(model)
    if not shapes:
        raise UsageError(
            _("tensh export: the file has no example inputs: give the shape of each input, such as --shape 1,3,224,224")
        )
    examples = []
    for sizes, name in shapes:
        dtype = getattr(engine, name, None)
        if not isinstance(dtype, engine.dtype):
            raise UsageError(_("--shape: {name} is not a dtype").format(name=name))
        examples.append(engine.zeros(sizes, dtype=dtype))
    check_number(model, examples)
    most = max(each.dim() for each in examples)
    if wrong := [dim for dim in dynamic if not 0 <= dim < most]:
        raise UsageError(
            _("--dynamic {dim}: expected the number of a dimension, from 0 to {last}").format(
                dim=wrong[0], last=most - 1
            )
            if most
            else _("--dynamic {dim}: the input has no dimensions").format(dim=wrong[0])
        )
    names = [f"input_{place}" for place in range(len(examples))]
    axes = {
        name: {dim: "batch" if len(dynamic) == 1 else f"dim_{dim}" for dim in dynamic if dim < each.dim()}
        for name, each in zip(names, examples, strict=True)
    }
    return engine.onnx.export(model.eval(), tuple(examples), input_names=names, dynamic_axes=axes if dynamic else None)


def check_number(model, examples):
    """Raise UsageError unless a model can be called with as many inputs."""
    from inspect import signature

    parameters = signature(model.forward)
    try:
        parameters.bind(*examples)
    except TypeError:
        raise UsageError(
            _(
                "tensh export: the model takes {parameters}, but {shapes} were given: give --shape for each input"
            ).format(parameters=parameters, shapes=count(len(examples), "shape"))
        ) from None


def describe(proto):
    """Describe the inputs, the outputs and the number of nodes."""
    inputs, outputs = (", ".join(each.name for each in ports) for ports in (proto.graph.input, proto.graph.output))
    return _("{inputs} -> {outputs}, {node} nodes, opset {version}").format(
        inputs=inputs, outputs=outputs, node=len(proto.graph.node), version=proto.opset_import[0].version
    )
