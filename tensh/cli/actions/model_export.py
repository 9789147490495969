"""`tensh export MODEL --onnx OUT`: convert a saved model."""

import importlib
import os

from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.session.files import opening
from tensh.support.escaping import visible_line
from tensh.support.language import _
from tensh.support.replacing import replace_file

# raised by a model that runs on zeros, or that cannot be written as ONNX
MODEL_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, MemoryError, AssertionError, ImportError)  # fmt: skip


def show(env, source, target, shapes, dynamic, force=False):
    """Write the model of a file as ONNX; return the exit status."""
    if os.path.lexists(target) and not force:
        raise UsageError(_("tensh export: {target} already exists; --force overwrites it").format(target=target))
    reading.require(source)
    engine = importlib.import_module("tensh")
    model = load_model(source, engine)
    try:
        made = export_model(model, [read_shape(text) for text in shapes], dynamic, engine)
        with replace_file(target) as file:
            file.write(made.model_proto.SerializeToString())
    except OSError as error:
        raise UsageError(_("tensh export: {error}").format(error=opening.sentence(target, error))) from None
    except MODEL_ERRORS as error:
        words = str(error).partition("\n")[0] or type(error).__name__
        raise UsageError(_("tensh export: {error}").format(error=visible_line(words))) from None
    with env.writing():
        print(visible_line(f"{target}: {describe(made.model_proto)}"), file=env.stdout)
    return status.OK


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
    axes = {f"input_{place}": dict.fromkeys(dynamic, "batch") for place in range(len(examples))} if dynamic else None
    if dynamic and len(dynamic) > 1:
        axes = {name: {dim: f"dim_{dim}" for dim in dynamic} for name in axes}
    names = [f"input_{place}" for place in range(len(examples))]
    return engine.onnx.export(model.eval(), tuple(examples), input_names=names, dynamic_axes=axes)


def describe(proto):
    """Describe the inputs, the outputs and the number of nodes."""
    inputs, outputs = (", ".join(each.name for each in ports) for ports in (proto.graph.input, proto.graph.output))
    return _("{inputs} -> {outputs}, {node} nodes, opset {version}").format(
        inputs=inputs, outputs=outputs, node=len(proto.graph.node), version=proto.opset_import[0].version
    )
