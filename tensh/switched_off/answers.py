"""How names of switched-off namespaces answer, where it is not by an error: patterns, without ``torch.``, by answer.

A query says no, a decorator gives the function back, an order to a part that is not there is obeyed by doing nothing. A
name that no pattern fits is a class that cannot be instantiated or a function that raises.
"""

import contextlib
import enum
import typing

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import FLOAT, dtype


def no(*args, **options):
    """Say no: this part of PyTorch is switched off."""
    return False


def nothing(*args, **options):
    """Do nothing: this part of PyTorch is switched off."""


def zero(*args, **options):
    """Count nothing: 0."""
    return 0


def empty(*args, **options):
    """List nothing: []."""
    return []


def same(function=None, *args, **options):
    """Give a function, class or module back as it is; called with options alone, a decorator that does so."""
    if callable(function):
        return function
    return lambda given: given


def after(*args, **options):
    """A decorator that gives the function back, made with any arguments."""
    return lambda given: given


def second(the_type, the_value):
    """Give the value back: the type is for a compiler."""
    return the_value


def is_instance(obj, target_type):
    """``isinstance``, for types as annotations spell them: those in brackets are not looked at."""
    kinds = target_type if isinstance(target_type, tuple) else (target_type,)
    flat = [each for kind in kinds for each in (typing.get_args(kind) if _is_union(kind) else (kind,))]
    return isinstance(obj, tuple(typing.get_origin(kind) or kind for kind in flat))


def _is_union(kind):
    return typing.get_origin(kind) is typing.Union or type(kind).__name__ == "UnionType"


def wrap(fn_or_name):
    """Give a function, or its name, back: nothing traces it."""
    return fn_or_name


class Attribute(typing.NamedTuple):
    """A value and the type that a compiler gives it."""

    value: object
    type: object


class Keys(frozenset):
    """A set of what a compiler dispatches by: kept, and not asked."""

    def __new__(cls, *keys):
        return super().__new__(cls, keys)


class Quiet(contextlib.nullcontext):
    """A context, or a decorator, that changes nothing, made with any arguments."""

    def __init__(self, *args, **options):
        super().__init__()

    def __call__(self, function):
        return function


def parse_to(*args, **options):
    """(device, dtype, non_blocking, memory_format) of the arguments of ``to``."""
    found = {"device": None, "dtype": None, "non_blocking": False, "memory_format": None}
    for each in args:
        if isinstance(each, Tensor):
            found |= {"device": each.device, "dtype": each.dtype}
        elif isinstance(each, dtype):
            found["dtype"] = each
        elif isinstance(each, bool):
            found["non_blocking"] = each
        elif each is not None:
            found["device"] = device(each)
    found |= {name: value for name, value in options.items() if name in found}
    if found["device"] is not None:
        found["device"] = device(found["device"])
    return tuple(found.values())


def _dtype(kind):
    """A dtype of eight bits: its name and its limits are known, no tensor has it."""
    return dtype(f"float8_{kind}", FLOAT, 1, f"Float8_{kind}", f"Float8_{kind}Tensor", f"c10::Float8_{kind}")


ReduceOp = enum.Enum("ReduceOp", "SUM AVG PRODUCT MIN MAX BAND BOR BXOR PREMUL_SUM")
group = type("group", (), {"WORLD": None})

ANSWERS = {
    no: """*.is_available *.is_initialized *.is_*_available *.is_built jit.is_scripting jit.is_tracing *.is_compiling
        *.is_dynamo_compiling *.is_exporting *.is_torchelastic_launched *.is_in_onnx_export *.is_dynamo_supported
        *.is_inductor_supported *.is_bf16_supported jit.onednn_fusion_enabled _C._get_tracing_state _C._is_tracing _C._are_functorch_transforms_active _C._jit_can_* _C._cuda_isInBadFork utils._triton.has_triton* *.is_traceable_wrapper_subclass cuda.is_current_stream_capturing backends.mha.get_fastpath_enabled
        _dynamo.is_dynamo_disable_recursive distributed._is_* _jit_internal.is_scripting _C._is_torch_function_enabled""",
    zero: "xpu.device_count mps.device_count mtia.device_count cpu.device_count",
    empty: "*.list_backends cuda.get_arch_list",
    same: """jit.script jit.ignore jit.export jit.unused jit.interface jit.script_method jit.script_if_tracing jit.freeze
        jit.optimize_for_inference jit._script_if_tracing jit._overload jit._overload_method jit.export_opnames
        _jit_internal.* *.disable *.allow_in_graph *.disallow_in_graph *.assume_constant_result *.forbid_in_graph
        _dynamo.run compiler.compile compiler.nested_compile_region *.wrap_numpy *.dont_skip_tracing *.nonstrict_trace
        _dynamo.external_utils.* compiler.keep_*_unsafe fx.has_side_effect fx.node.has_side_effect
        distributed.*.record distributed.elastic.multiprocessing.errors.record distributed.rpc.api._require_initialized""",
    after: "onnx.symbolic_helper.parse_args onnx.symbolic_helper.quantized_args *.substitute_in_graph _dynamo.optimize *.register_backend _dynamo.optimize_assert monitor.register_event_handler",
    nothing: """onnx.*register_custom_op_symbolic *.reset *.reset_* *.cudagraph_mark_step_begin *.mark_* *.maybe_mark_dynamic *.set_fusion_strategy
        *.enable_onednn_fusion *.empty_cache *.synchronize mps.manual_seed xpu.manual_seed* *.manual_seed_all
        _C._log_api_usage_once _C._jit_set_* _C._jit_override_* *.set_default_backend _dynamo.graph_break _dynamo.set_recursion_limit
        distributed.set_debug_level* monitor.log_event cpu.set_device cuda.nvtx.* cuda.set_stream backends.mha.set_*""",
    parse_to: "_C._nn._parse_to",
    list: "jit.annotations.List",
    dict: "jit.annotations.Dict",
    tuple: "jit.annotations.Tuple",
    **{_dtype(kind): f"float8_{kind}" for kind in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")},
    Quiet: """compiler.set_stance *.set_stance jit.fuser jit.optimized_execution jit.strict_fusion *.error_on_graph_break _C._ExcludeDispatchKeyGuard *.TransformGetItemToIndex
        *.patch_dynamo_config cpu.stream cpu.StreamContext cpu.Stream cuda.device cuda.device_of cuda.stream cuda.StreamContext cuda.graph cuda.nvtx.range fx.traceback.annotate _C._DisableTorchDispatch
        _C.DisableTorchFunction*""",
    Keys: "_C.DispatchKeySet",
    second: "jit.annotate",
    is_instance: "jit.isinstance",
    Attribute: "jit.Attribute",
    wrap: "fx.wrap",
    ReduceOp: "distributed.ReduceOp distributed.distributed_c10d.ReduceOp",
    group: "distributed.group distributed.GroupMember",
    typing.Final: "jit.Final _jit_internal.Final",
}

EXTRA = """
torch
  Stream Event OutOfMemoryError! AcceleratorError! PyTorchFileReader PyTorchFileWriter ScriptObject ScriptFunction ScriptModule CompilationUnit FunctionSchema DispatchKey
  float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 uint1 uint2 uint3 uint4 uint5 uint6 uint7
  int1 int2 int3 int4 int5 int6 int7

torch.jit
  is_scripting() Final _overload() _overload_method() _script_if_tracing() _logging

torch._jit_internal
  Final boolean_dispatch() _overload() _overload_method() _copy_to_script_wrapper() export() ignore() unused() is_scripting()

torch.jit._script
  RecursiveScriptModule ScriptModule ScriptFunction script()

torch.jit.annotations
  BroadcastingList1 BroadcastingList2 BroadcastingList3 BroadcastingList4

torch.jit._trace
  TopLevelTracedModule

torch._C
  _log_api_usage_once() _get_tracing_state() _is_tracing() ScriptModule ScriptFunction ScriptObject Graph Node Value JITException!
  _DisableTorchDispatch DisableTorchFunction DisableTorchFunctionSubclass _TensorMeta
  _disabled_torch_function_impl() DispatchKey DispatchKeySet _ExcludeDispatchKeyGuard _are_functorch_transforms_active()
  _get_accelerator() _jit_set_texpr_fuser_enabled() _jit_set_profiling_mode() _jit_set_profiling_executor() _get_default_device()
  _jit_override_can_fuse_on_gpu() _jit_override_can_fuse_on_cpu() _jit_set_nvfuser_enabled() _jit_can_fuse_on_gpu()
  _jit_can_fuse_on_cpu() _cuda_isInBadFork() _LinAlgError! PyTorchFileReader PyTorchFileWriter _functions

torch.distributed.rpc.api
  _require_initialized() RRef rpc_async() rpc_sync() remote() shutdown()

torch.distributed.distributed_c10d
  _get_default_group() _object_to_tensor() _tensor_to_object() _rank_not_in_group()

torch._C._functorch
  get_unwrapped() is_batchedtensor() maybe_get_bdim() is_gradtrackingtensor()

torch._tensor_str
  PRINT_OPTS _tensor_str() _str()

torch._dynamo._trace_wrapped_higher_order_op
  TransformGetItemToIndex

torch._dynamo.eval_frame
  OptimizedModule

torch._higher_order_ops.associative_scan
  associative_scan()

torch._prims_common
  is_float_dtype() is_integer_dtype()

torch._custom_ops
  custom_op() impl() impl_abstract()

torch._C._nn
  _parse_to()

torch._C._VariableFunctions

torch._C._distributed_c10d
  ProcessGroup Store Work

torch.distributed._tensor
  DTensor DeviceMesh Placement Replicate Shard

torch.distributed._composable

torch.distributed._composable.fsdp
  FSDPModule MixedPrecisionPolicy fully_shard()

torch._inductor
  compile() list_mode_options() list_options()

torch.onnx
  is_in_onnx_export()

torch.onnx.symbolic_helper
  parse_args()

torch.onnx.symbolic_registry

torch.utils.tensorboard
  SummaryWriter

torch.utils.tensorboard.writer
  SummaryWriter

torch.overrides
  TorchFunctionMode BaseTorchFunctionMode

torch.utils._python_dispatch
  TorchDispatchMode return_and_correct_aliasing() is_traceable_wrapper_subclass() transform_subclass()

torch.cuda
  Stream Event ExternalStream CUDAGraph StreamContext device device_of stream() graph() set_stream() is_current_stream_capturing()
  OutOfMemoryError! DeferredCudaCallError! CudaError! nvtx get_arch_list() can_device_access_peer() current_blas_handle()
  set_per_process_memory_fraction() max_memory_cached() memory_cached() memory_snapshot() list_gpu_processes()

torch.cuda.streams
  Stream Event ExternalStream

torch.cuda.nvtx
  range_push() range_pop() mark() range()

torch.cuda.random
  get_rng_state() set_rng_state()

torch.cuda.comm
  broadcast() scatter() gather()

torch.cuda.nccl

torch.backends.opt_einsum
  is_available() enabled=False strategy=None

torch.backends.mha
  get_fastpath_enabled() set_fastpath_enabled()

torch.backends.xnnpack

torch.backends.quantized
  engine='none'

torch.backends.openmp
  is_available()

torch.nn.attention.flex_attention
  _DEFAULT_SPARSE_BLOCK_SIZE=128 BlockMask flex_attention() create_block_mask() create_mask() and_masks() or_masks() noop_mask()

torch.nn.attention.bias
  CausalBias causal_lower_right() causal_upper_left()

torch.nn.attention.varlen
  varlen_attn()

torch.utils.flop_counter
  FlopCounterMode register_flop_formula()

torch.utils.cpp_extension
  load() load_inline() CppExtension() CUDAExtension() BuildExtension CUDA_HOME=None include_paths()

torch.utils.collect_env
  get_pretty_env_info() main()

torch.utils._triton
  has_triton() has_triton_package()

torch.utils.data.datapipes
  iter map

torch.autograd
  profiler_util

torch.autograd.profiler_util
  FunctionEvent

torch._higher_order_ops

torch._subclasses
  FakeTensor FakeTensorMode

torch._subclasses.fake_tensor
  FakeTensor FakeTensorMode

torch.fx._symbolic_trace
  is_fx_tracing() Tracer

torch.fx.operator_schemas
  get_signature_for_torch_op()

torch.fx._pytree
"""
"""Names that libraries ask for, beside those that are recorded in ``names.txt``."""
