"""Record PyTorch's ``aten`` signatures, with PyTorch installed: ``python tools/aten.py [--check]``.

Each line of ``schemas.txt`` is the signature of an overload; ``+`` before it says that PyTorch composes it of others. A
second file is for the graphs of scripts: which of these overloads have results other than a tensor (``max.dim ->
(Tensor, Tensor)``), and the whole signatures of operators on numbers, texts, lists and dictionaries, which scripts
alone call. A third has the whole declarations of operators that have one overload only: errors of calls begin with
them. A fourth names the operators that tensh lacks. A fifth, ``declarations.txt``, has the whole declaration of each
overload whose signature does not tell it: symbolic sizes, marks of views and writes, other results than a tensor. A
sixth, ``all_overloads.txt``, lists all overloads of ``aten`` and ``prims`` in PyTorch's order.
"""

import re
import sys

from generated import ROOT, update_files

TARGET = ROOT / "tensh/_aten/schemas.txt"
DECLARED = ROOT / "tensh/_aten/declarations.txt"
ALL = ROOT / "tensh/_aten/all_overloads.txt"
SCRIPTS = ROOT / "tensh/jit/scripting/calls/signatures.txt"
SINGLE = ROOT / "tensh/jit/checking/declarations.txt"
ABSENT = ROOT / "tensh/jit/checking/absent.txt"
MORE = """_softmax _log_softmax nll_loss_forward _to_copy _local_scalar_dense _unsafe_view slice select index convolution index_put
    native_layer_norm native_dropout native_batch_norm native_group_norm lift_fresh permute t rsub constant_pad_nd copy_
    linalg_vector_norm max_pool2d_with_indices embedding new_empty_strided empty_strided _unique2 alias detach lift_fresh_copy
    threshold_backward _reshape_alias unfold scalar_tensor log_sigmoid cross_entropy_loss nll_loss_nd numpy_T mT mH matrix_H
    feature_dropout _softmax_backward_data _log_softmax_backward_data select_backward slice_backward diagonal_backward
    sigmoid_backward tanh_backward upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d
    _upsample_nearest_exact2d _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d upsample_bicubic2d
    upsample_trilinear3d _upsample_bilinear2d_aa _upsample_bicubic2d_aa gelu_backward silu_backward elu_backward
    leaky_relu_backward hardtanh_backward hardswish_backward hardsigmoid_backward softplus_backward mish_backward
    logit_backward glu_backward log_sigmoid_backward mse_loss_backward smooth_l1_loss_backward huber_loss_backward
    binary_cross_entropy_backward nll_loss_backward nll_loss2d_forward nll_loss2d_backward native_layer_norm_backward
    native_group_norm_backward native_batch_norm_backward native_dropout_backward embedding_dense_backward
    convolution_backward max_pool2d_with_indices_backward avg_pool2d_backward _adaptive_avg_pool2d _prelu_kernel
        _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_flash_attention_for_cpu_backward new_zeros soft_margin_loss_backward multi_margin_loss_backward
    multilabel_margin_loss_backward avg_pool3d_backward _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward
    _adaptive_avg_pool3d adaptive_max_pool2d_backward adaptive_max_pool3d_backward max_pool3d_with_indices_backward
    max_pool3d_with_indices upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward
    _upsample_nearest_exact1d_backward _upsample_nearest_exact2d_backward _upsample_nearest_exact3d_backward
    upsample_linear1d_backward upsample_bilinear2d_backward upsample_bicubic2d_backward upsample_trilinear3d_backward
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d
    reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward replication_pad1d_backward
    replication_pad2d_backward replication_pad3d_backward im2col col2im softshrink_backward
    hardshrink_backward _weight_norm __and__ __or__ __xor__ __lshift__ __rshift__ _native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training
    exponential uniform geometric log_normal cauchy normal_functional random
    _linalg_det copy _trilinear _cdist_forward _cdist_backward _euclidean_dist _pdist_forward _pdist_backward zero
       log_sigmoid_forward multilabel_margin_loss_forward mkldnn_rnn_layer mkldnn_rnn_layer_backward
    _safe_softmax rrelu_with_noise rrelu_with_noise_ rrelu_with_noise_backward _prelu_kernel_backward
    _weight_norm_interface _weight_norm_interface_backward _ctc_loss _ctc_loss_backward fractional_max_pool2d_backward
    fractional_max_pool3d_backward _embedding_bag _embedding_bag_backward as_strided silu_
    mish_ hardswish_ hardsigmoid_ _fft_c2c _fft_c2r _fft_r2c _conj _conj_physical
    _linalg_svd _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_check_errors masked_scatter_backward unfold_backward""".split()
FACTS = """size stride dim numel is_contiguous storage_offset sym_size sym_stride sym_numel sym_storage_offset
    sym_is_contiguous""".split()  # the dispatch tables of tensor classes also answer these
ALIAS = re.compile(r"\(\w+!?( -> [\w*|]+)?\)")
UNWANTED = re.compile(r"Dimname|Stream|Storage|QScheme|\*,.*\w!\)")
BEYOND_SCRIPTS = re.compile(
    r"RRef|Await|Future|Any(?!\[\]|EnumType|ClassType)|QScheme|Stream|Dimname|Generator|\.\.\.|out\b|Tensor.* -> \(?Tensor"
)
"""Operators from tensors to tensors, and those on objects that scripts here cannot have."""
WITHIN_SCRIPTS = frozenset(["relu6_"])
"""Operators from tensors to tensors that functions of the library call in scripts alone."""
PRIMITIVES = frozenset(["prim::id"])
"""Operators of scripts outside ``aten``."""


def make_files():
    """Yield the file and its text."""
    import torch

    import tensh

    spaces = tensh, tensh.Tensor, tensh.nn.functional
    names = {name for space in spaces for name in dir(space)} | set(MORE)
    for family in ("linalg", "fft", "special"):
        names |= {f"{family}_{name}" for name in dir(getattr(tensh, family))}
    lines, declared = [], []
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        known = name in MORE or name in names and not name.startswith(("__", "is_", "set_", "get_"))
        wanted = space == "aten" and (known or name in FACTS)
        if not wanted:
            continue
        text = ALIAS.sub("", str(schema)[6:].replace("SymInt", "int")).rpartition(" -> ")[0]
        if UNWANTED.search(str(schema).rpartition(" -> ")[0]):
            continue
        full = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        try:
            composed = torch._C._dispatch_has_kernel_for_dispatch_key(full, "CompositeImplicitAutograd")
        except RuntimeError:  # an operator of TorchScript only
            if name not in FACTS:
                continue
            composed = False
        lines.append("+" * composed + text)
        if str(schema)[6:] != f"{text} -> Tensor":
            declared.append(str(schema)[6:])
    yield TARGET, "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.lstrip("+")))
    yield DECLARED, "".join(f"{line}\n" for line in sorted(declared))
    further = find_script_signatures({line.lstrip("+").partition("(")[0] for line in lines})
    yield SCRIPTS, "".join(f"{line}\n" for line in further)
    names = {re.split(r"[.(]", line.lstrip("+"))[0] for line in lines + further}
    yield SINGLE, "".join(f"{line}\n" for line in find_single_declarations(names))
    yield ABSENT, "".join(f"{line}\n" for line in find_absent_operators(names))
    yield (
        ALL,
        "".join(f"{line}\n" for line in find_all_overloads({line.lstrip("+").partition("(")[0] for line in lines})),
    )


def find_script_signatures(known):
    """Return the lines of the file for scripts; ``known`` has the overloads whose arguments are in the other file."""
    import torch

    lines = []
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space != "aten" and schema.name not in PRIMITIVES:
            continue
        name += f".{schema.overload_name}" if schema.overload_name else ""
        text = (
            ALIAS.sub("", str(schema).partition("::")[2].replace("SymInt", "int"))
            .replace("(*)", "")
            .replace("(a|b)", "")
            .replace("(b|a)", "")
        )
        arguments, _, result = text.rpartition(" -> ")
        if name in known:
            if result not in ("Tensor", "()"):
                lines.append(f"{name} -> {result}")
        elif ".prim_" in name or name in WITHIN_SCRIPTS:
            lines.append(text)
        elif name.startswith("_") and not name.startswith(("__", "_set_item")) or BEYOND_SCRIPTS.search(text):
            continue
        else:
            lines.append(text)
    return lines


def find_single_declarations(names):
    """Return the declarations of those operators that have one overload."""
    import torch

    found = {}
    for schema in torch._C._jit_get_all_schemas():
        found.setdefault(schema.name, []).append(str(schema))
    full = [*(f"aten::{name}" for name in sorted(names)), *sorted(PRIMITIVES)]
    return [found[name][0] for name in full if len(found.get(name, ())) == 1]


def find_all_overloads(known):
    """Return a line for each overload: the name, the declaration unless ``known`` has the name, and the tags."""
    import torch

    found = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.partition("::")[0] in ("aten", "prims"):
            found.setdefault(schema.name.removeprefix("aten::"), []).append(schema)
    lines = []
    for name in sorted(found):
        for schema in found[name]:
            full = name + (f".{schema.overload_name}" if schema.overload_name else "")
            tags = [each.name for each in torch._C._get_operation_overload(schema.name, schema.overload_name)[2]]
            tags = " ".join(sorted(each for each in tags if each != "pt2_compliant_tag"))
            lines.append(
                (full if full in known else str(schema).removeprefix("aten::")) + (f" #{tags}" if tags else "")
            )
    return lines


def find_absent_operators(names):
    """Return the names of operators that are not in ``names``."""
    import torch

    found = (each.name.partition("::") for each in torch._C._jit_get_all_schemas())
    return sorted({name for space, _, name in found if space == "aten" and name not in names})


if __name__ == "__main__":
    sys.exit(update_files(__doc__, make_files))
