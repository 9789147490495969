"""Names of private modules that other packages import: those without a counterpart here raise when they are called."""

import importlib

import pytest

import tensh as torch

NAMES = """
torch._higher_order_ops: cond map scan while_loop associative_scan out_dtype strict_mode auto_functionalized with_effects
torch._higher_order_ops.cond: cond cond_op
torch._higher_order_ops.map: map map_impl
torch._higher_order_ops.scan: scan scan_op
torch._higher_order_ops.associative_scan: associative_scan associative_scan_op
torch._higher_order_ops.while_loop: while_loop while_loop_op
torch._higher_order_ops.wrap: wrap tag_activation_checkpoint wrap_activation_checkpoint
torch._higher_order_ops.auto_functionalize: auto_functionalized auto_functionalized_v2
torch._higher_order_ops.triton_kernel_wrap: triton_kernel_wrapper_mutation triton_kernel_wrapper_functional
torch._higher_order_ops.flex_attention: flex_attention flex_attention_backward
torch._higher_order_ops.utils: autograd_not_implemented reenter_make_fx
torch._higher_order_ops.invoke_subgraph: invoke_subgraph
torch.export.unflatten: unflatten InterpreterModule UnflattenedModule FlatArgsAdapter
torch.fx.passes.operator_support: OperatorSupport OperatorSupportBase OpSupports any_chain chain create_op_support
torch.fx.passes.infra.partitioner: CapabilityBasedPartitioner Partition
torch.fx.passes.tools_common: CALLABLE_NODE_OPS NodeList NodeSet get_node_target legalize_graph
torch.fx.passes.utils.fuser_utils: erase_nodes fuse_as_graphmodule fuse_by_partitions insert_subgm topo_sort validate_partition
torch.fx.passes.utils.source_matcher_utils: get_source_partitions
torch.fx.passes.splitter_base: _SplitterBase
torch._higher_order_ops.inline_asm_elementwise: inline_asm_elementwise
torch._C: dtype device layout memory_format Size Generator Stream Event finfo iinfo Future default_generator get_num_threads has_mkl has_openmp
torch._C: _has_cuda _has_mps _mps_is_available _get_cpu_capability _show_config _parallel_info _debug_only_display_vmap_fallback_warnings
torch._C._cpu: _get_cpu_capability
torch._VF: lstm gru rnn_tanh_cell stft
torch.classes: load_library loaded_libraries sampling
torch._classes: classes
torch._prims_common: TensorLike is_float_dtype is_contiguous_or_false is_same_shape
"""
LINES = NAMES.strip().splitlines()


@pytest.mark.parametrize("line", LINES)
def test_names_can_be_imported(line):
    module, _, names = line.replace("torch", "tensh", 1).partition(": ")
    from tensh.switched_off import load

    made = load(module)
    assert [name for name in names.split() if not hasattr(made, name)] == []


@pytest.mark.parametrize("line", LINES)
def test_the_names_are_pytorchs(line, oracle):
    module, _, names = line.partition(": ")
    made = importlib.import_module(module)
    assert [name for name in names.split() if not hasattr(made, name)] == []


@pytest.mark.parametrize("name", ["export.unflatten", "_higher_order_ops.cond", "_higher_order_ops.map"])
def test_functions_keep_the_names_of_their_modules(name):
    from tensh.switched_off import load

    load(f"tensh.{name}")
    space, _, function = name.rpartition(".")
    assert callable(getattr(importlib.import_module(f"tensh.{space}"), function))


def answer_questions(torch):
    """Return the answers of private functions: values, and the texts of errors."""
    from importlib import import_module

    common, shapes = import_module(f"{torch.__name__}._prims_common"), [(2, 3), (), (0, 3), (2, 1, 4)]
    dtypes = [getattr(torch, name) for name in "bool uint8 int64 bfloat16 float64 complex32 complex128".split()]
    kinds = "boolean integer float complex low_precision".split()
    x = torch.ones(2, 3, 4, 5)
    laid = [x, x.to(memory_format=torch.channels_last), x.mT, torch.ones(1, 2, 3, 4, 5)]
    dims = [(3, -1), (0, 0), (0, -1), (3, 3), (0, 1), (0, 0, False)]
    settings = True, 1, 0.0, False, False, False
    return [
        *(getattr(common, f"is_{kind}_dtype")(each) for kind in kinds for each in dtypes),
        *(str(common.get_computation_dtype(each)) for each in dtypes),
        *(common.make_contiguous_strides_for(each) for each in shapes),
        *(common.make_contiguous_strides_for(each, row_major=False) for each in shapes),
        *(str(common.suggest_memory_format(each)) for each in laid),
        *(common.is_contiguous_or_false(each) for each in laid),
        *(try_call(common.canonicalize_dim, *each) for each in dims),
        *(try_call(common.canonicalize_dims, 3, each) for each in ((-1, 0), 2, (4,), ())),
        try_call(common.is_float_dtype, 3),
        common.is_same_shape([1, 2], torch.Size([1, 2])),
        torch._C._mps_is_available(),
        try_call(lambda: torch.classes.sampling.Graph),
        try_call(lambda: torch._VF.absent),
        torch._classes.classes is torch.classes,
        [tuple(each.shape) for each in torch._VF.gru(x[0], x[0, :1], [*torch.nn.GRU(5, 5).parameters()], *settings)],
    ]


def try_call(function, *args):
    try:
        return function(*args)
    except (IndexError, RuntimeError, AttributeError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"


def test_private_functions_answer_as_pytorchs(oracle):
    assert answer_questions(torch) == answer_questions(oracle)
