"""Names of graph libraries that other packages import: those without a counterpart here raise when they are called."""

import importlib

import pytest

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
