"""List the operators that ``torch.onnx.export`` exports, with PyTorch installed: ``python tools/onnx_operators.py``.

The samples are those of PyTorch's operator database. An entry counts if all its samples in single precision (or of
integers, if there are none) are exported, pass onnx.checker and give tensh's values in onnxruntime; an entry of which
only some samples do so is listed separately, with the reason for the others. ``--write`` updates the list in the
documents.
"""

import argparse
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "docs/guides/onnx-operators.txt"
SAMPLES = 12


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import onnxruntime
    from torch.testing._internal.common_methods_invocations import op_db

    import tensh
    from tests.support.databases import Twin, oracle

    onnxruntime.set_default_logger_severity(4)
    warnings.simplefilter("ignore")
    sys.path.append(str(Path(oracle.__file__).parent))
    from harness import binding

    good, partly, bad = [], {}, {}
    for op in op_db:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if options.names and op.name not in options.names and name not in options.names:
            continue
        outcomes = try_entry(op, oracle, tensh, Twin, binding, onnxruntime, bool(options.names))
        failures = [each for each in outcomes if each]
        if outcomes and not failures:
            good.append(name)
        elif len(failures) < len(outcomes):
            partly[name] = f"{len(outcomes) - len(failures)} of {len(outcomes)}: {failures[0]}"
        else:
            bad[name] = failures[0] if failures else "no samples"
    report(good, partly, bad)
    if options.write:
        TARGET.write_text("\n".join(sorted(set(good))) + "\n", encoding="utf-8")


def try_entry(op, oracle, tensh, twin, binding, onnxruntime, show):
    """Return the reason why a sample failed, or None, for each sample of an entry."""
    dtypes = op.supported_dtypes("cpu")
    dtype = next((each for each in (oracle.float32, oracle.int64, oracle.bool) if each in dtypes), None)
    if dtype is None:
        return []
    outcomes = []
    try:
        oracle.manual_seed(7)
        samples = list(op.sample_inputs("cpu", dtype, set_seed=False))
        samples = [samples[round(i)] for i in np.linspace(0, len(samples) - 1, min(len(samples), SAMPLES))]
        function = binding.function(tensh, op)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"[:160]]
    for sample in samples:
        make = twin(tensh)
        try:
            given = make(sample.input), make(sample.args), make(sample.kwargs)
        except Exception as error:  # a layout that tensh lacks
            outcomes.append(f"{type(error).__name__}: {error}"[:160])
            continue
        outcomes.append(try_sample(function, *given, tensh, onnxruntime))
        if show and outcomes[-1]:
            print(op.name, repr((sample.input, sample.args, sample.kwargs))[:300], outcomes[-1], sep="\n  ")
    return outcomes


def try_sample(function, first, args, kwargs, tensh, onnxruntime):
    """Return None if a call is exported and gives the same values, otherwise the reason."""
    from tensh.onnx.exporting import export, flatten

    given, places = [], []

    def place(value):
        if isinstance(value, tensh.Tensor):
            if not any(value is each for each in given):
                given.append(value)
            places.append(value)
            at = next(number for number, each in enumerate(given) if each is value)
            return lambda inputs: inputs[at]
        if isinstance(value, (list, tuple)):
            parts = [place(each) for each in value]
            return lambda inputs: type(value)(part(inputs) for part in parts)
        if isinstance(value, dict):
            parts = {key: place(each) for key, each in value.items()}
            return lambda inputs: {key: part(inputs) for key, part in parts.items()}
        return lambda inputs: value

    build = place((first, args, kwargs))

    def call(*inputs):
        first, args, kwargs = build(inputs)
        return function(first, *args, **kwargs)

    given_now = list(given)
    try:
        expected = flatten(call(*[each.clone() for each in given_now]))
    except Exception:
        return "the call raises here"
    try:
        program = export(call, tuple(each.clone() for each in given_now))
        session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
        names = {name for node in program.model_proto.graph.node for name in node.input}
        feed = {
            each.name: value.detach().numpy()
            for each, value in zip(program.model_proto.graph.input, given_now)
            if each.name in names
        }
        if given_now and not feed:
            return "the model does not read its inputs"
        feed |= {each.name: value.detach().numpy() for each, value in zip(program.model_proto.graph.input, given_now)}
        results = session.run(None, feed)
        for ours, theirs in zip(results, expected):
            theirs = theirs.detach().numpy()
            if np.asarray(ours).shape != theirs.shape:
                return f"shape {np.asarray(ours).shape} for {theirs.shape}"
            if np.asarray(ours).dtype != theirs.dtype:
                return f"dtype {np.asarray(ours).dtype} for {theirs.dtype}"
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * largest(theirs))
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")[:260]


def largest(values):
    """Return the largest magnitude of a finite number, at least 1: the scale of rounding errors in sums."""
    finite = np.abs(values[np.isfinite(values)]) if values.dtype.kind in "fc" else np.zeros(0)
    return max(1.0, float(finite.max(initial=0)))


def report(good, partly, bad):
    print(f"{len(set(good))} entries in whole, {len(partly)} in part, {len(bad)} not")
    for title, table in (("in part", partly), ("not", bad)):
        groups = defaultdict(list)
        for name, why in table.items():
            print(f"{title}: {name}: {why}")
            groups[why].append(name)


if __name__ == "__main__":
    main()
