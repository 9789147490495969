"""The answers of switched-off namespaces that are not errors: patterns, without ``torch.``, by answer.

Queries return False, decorators return the function, and commands for missing components do nothing. A name that
matches no pattern is a class that cannot be instantiated or a function that raises.
"""

import contextlib
import importlib
import typing

from tensh.engine.core.clock import owner
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import INTEGER, dtype


def no(*args, **options):
    """Return False: this part of PyTorch is switched off."""
    return False


def do_nothing(*args, **options):
    """Do nothing: this part of PyTorch is switched off."""


def zero(*args, **options):
    """Return 0."""
    return 0


def list_nothing(*args, **options):
    """Return []."""
    return []


def keep(function=None, *args, **options):
    """Return a function, class or module unchanged; called with options only, return a decorator that does so."""
    if callable(function):
        return function
    return lambda given: given


def make_decorator(*args, **options):
    """Return a decorator that returns the function unchanged, whatever the arguments."""
    return lambda given: given


class Keys(frozenset):
    """A set of dispatch keys of a compiler, which is stored but not used."""

    def __new__(cls, *keys):
        return super().__new__(cls, keys)


class AllFunctions(type):
    """The metaclass of a class with torch's functions as members."""

    def __getattr__(cls, name):
        return getattr(importlib.import_module("tensh"), name)


class Functions(metaclass=AllFunctions):
    """The class in which PyTorch's pickles look up functions of torch."""


def is_alias_of(one, other):
    """Return True if two tensors have one storage."""
    return owner(one.array) is owner(other.array)


def name_default_device(*args, **options):
    """Return "cpu", the kind of device of tensors without one."""
    return "cpu"


def name_private_backend():
    """Return the name under which PyTorch knows a device of the program's own, if none was registered."""
    return "privateuseone"


class Quiet(contextlib.nullcontext):
    """A context manager and decorator without effect, made with any arguments."""

    def __init__(self, *args, **options):
        super().__init__()

    def __call__(self, function):
        return function


def parse_to(*args, **options):
    """Return (device, dtype, non_blocking, memory_format) of the arguments of ``to``."""
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


def _make_quantized(name, itemsize):
    """Make a quantized dtype: only a name, which no tensor has."""
    title = name.replace("quint", "QUInt").replace("qint", "QInt")
    return dtype(name, INTEGER, itemsize, title, f"{title}Tensor", f"c10::{name}")


ANSWERS = {
    no: """*.is_available _C._*_is_available *._is_in_bad_fork *._is_compiled *.is_initialized *.is_*_available *.is_built backends.*.is_* *.is_compiling
        *.is_dynamo_compiling *.is_exporting *.is_torchelastic_launched *.is_in_onnx_export *.is_dynamo_supported
        *.is_inductor_supported *.is_bf16_supported jit.onednn_fusion_enabled _C._are_functorch_transforms_active _C._jit_can_* _C._cuda_isInBadFork utils._triton.has_triton* *.is_traceable_wrapper_subclass cuda.is_current_stream_capturing backends.mha.get_fastpath_enabled
        _dynamo.is_dynamo_disable_recursive _subclasses.*.is_fake distributed._is_* _jit_internal.is_scripting
        backends.flags_frozen _C._functorch.is_legacy_batchedtensor""",
    zero: "xpu.device_count mps.device_count mtia.device_count",
    list_nothing: "*.list_backends cuda.get_arch_list",
    keep: """_jit_internal.* *.disable *.allow_in_graph *.assume_constant_result
        _subclasses.functional_tensor.*unwrap_functional_tensor _dynamo.run compiler.compile compiler.nested_compile_region *.wrap_numpy *.dont_skip_tracing *.nonstrict_trace
        _dynamo.external_utils.* compiler.keep_*_unsafe
        distributed.*.record distributed.elastic.multiprocessing.errors.record distributed.rpc.api._require_initialized""",
    make_decorator: """onnx.symbolic_helper.parse_args onnx.symbolic_helper.quantized_args *.substitute_in_graph
        _dynamo.optimize *.register_backend _decomp.register_decomposition monitor.register_event_handler""",
    do_nothing: """*._lazy_call _logging.set_logs onnx.*register_custom_op_symbolic *.reset *.reset_* *.cudagraph_mark_step_begin *.mark_* *.maybe_mark_dynamic *.set_fusion_strategy
        *.enable_onednn_fusion *.empty_cache *.synchronize mps.manual_seed xpu.manual_seed* *.manual_seed_all
        _C._log_api_usage_once _C._debug_only_* _C._set_math_sdp_* _C._jit_set_* _C._jit_override_* *.set_default_backend _dynamo.graph_break _dynamo.set_recursion_limit
        distributed.set_debug_level* monitor.log_event backends.disable_global_flags cuda.nvtx.mark cuda.nvtx.range_* cuda.set_stream backends.*.set_* backends.opt_einsum.get_opt_einsum backends.cusparselt.* _subclasses.fake_tensor.maybe_get_fake_mode _guards.*_fake_mode""",
    parse_to: "_C._nn._parse_to",
    is_alias_of: "_C._is_alias_of",
    name_default_device: "_C._get_default_device",
    name_private_backend: "_C._get_privateuse1_backend_name",
    list: "jit.annotations.List",
    dict: "jit.annotations.Dict",
    tuple: "jit.annotations.Tuple",
    **{
        _make_quantized(name, 4 if name == "qint32" else 1): name
        for name in "qint8 quint8 qint32 quint4x2 quint2x4".split()
    },
    Quiet: """_subclasses.*.unset_fake_temporarily compiler.set_stance *.set_stance jit.fuser jit.optimized_execution jit.strict_fusion *.error_on_graph_break _C._ExcludeDispatchKeyGuard *.TransformGetItemToIndex
        _dynamo.utils.disable_cache_limit cuda.device cuda.device_of cuda.stream cuda.StreamContext cuda.graph cuda.nvtx.range fx.traceback.annotate _C._DisableTorchDispatch
        backends.__allow_nonbracketed_mutation backends.*.flags backends.mkldnn.verbose backends.mkl.verbose""",
    Keys: "_C.DispatchKeySet",
    Functions: "_C._VariableFunctionsClass _C._VariableFunctions",
    typing.Final: "_jit_internal.Final",
}

COMPILED = {
    "torch.nn.functional": (
        "torch._C._nn",
        {
            name: name
            for name in """avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot scaled_dot_product_attention
            softplus softshrink""".split()
        }
        | {"logsigmoid": "log_sigmoid"},
    ),
    "torch.linalg": ("torch._C._linalg", None),
    "torch.special": ("torch._C._special", None),
    "torch.fft": ("torch._C._fft", None),
}
"""Namespace -> the module in which PyTorch compiles its functions, and their names there; None for the previous module."""
PRIMITIVES = {
    "_functorch.predispatch": """lazy_load_decompositions _vmap_increment_nesting _vmap_decrement_nesting _add_batch_dim
        _remove_batch_dim _unwrap_for_grad _jvp_increment_nesting _jvp_decrement_nesting _enter_dual_level _exit_dual_level
        _make_dual _unpack_dual""",
    "_functorch.eager_transforms": "_set_tensor_requires_grad _autograd_grad",
    "_C._functorch": "_grad_increment_nesting _grad_decrement_nesting _wrap_for_grad set_inplace_requires_grad_allowed",
    "_C._autograd": "_saved_tensors_hooks_disable _saved_tensors_hooks_enable",
    "_C": "_set_fwd_grad_enabled",
}
"""Namespace -> the functions of which graphs compose the transforms of torch.func: see tensh/func/primitives.py."""
REAL = (
    {
        f"_C.{name}": f"tensh.overrides:{name}"
        for name in """DisableTorchFunction DisableTorchFunctionSubclass _disabled_torch_function_impl _is_torch_function_enabled
        _is_torch_function_mode_enabled _get_function_stack_at _len_torch_function_stack
        _has_torch_function _has_torch_function_unary _has_torch_function_variadic""".split()
    }
    | {
        f"_C._functions.{name}": f"tensh.engine.autograd.delayed:{name}"
        for name in "DelayedError Error UndefinedGrad".split()
    }
    | {"_C._functions.AccumulateGrad": "tensh.engine.core.nodes:AccumulateGrad"}
    | {
        f"_dynamo.{name}": f"tensh.compiler.api:{name}"
        for name in """reset disable is_compiling
        optimize optimize_assert graph_break allow_in_graph assume_constant_result""".split()
    }
    | {
        f"_dynamo.{space}{name}": f"tensh.compiler.decorators:{name}"
        for space in ("", "decorators.")
        for name in "forbid_in_graph disallow_in_graph skip_frame step_unsupported patch_dynamo_config".split()
    }
    | {
        f"_dynamo.{space}{name}": f"tensh.compiler.fx_graphs.marks:{name}"
        for space in ("", "decorators.")
        for name in "mark_dynamic maybe_mark_dynamic mark_static mark_static_address".split()
    }
    | {
        "_dynamo.config.patch": "tensh.compiler.configuration.config_modules:patch_dynamo",
        "_dynamo.decorators.mark_unbacked": "tensh.compiler.fx_graphs.marks:mark_unbacked",
        "_dynamo.explain": "tensh.compiler.explaining:explain",
        "_dynamo.export": "tensh.export.dynamo:export",
        "_dynamo.eval_frame.export": "tensh.export.dynamo:export",
    }
    | {
        f"_dynamo.exc.{name}": f"tensh.compiler.breaks:{name}"
        for name in (
            "Unsupported",
            "TorchRuntimeError",
            "BackendCompilerFailed",
            "FailOnRecompileLimitHit",
            "RecompileError",
        )
    }
    | {
        f"_dynamo.{space}{name}": f"tensh.compiler.registry:{name}"
        for space in ("", "backends.registry.")
        for name in ("register_backend", "lookup_backend", "list_backends")
    }
    | {
        f"_dynamo.testing.{name}": f"tensh.compiler.registry:{name}"
        for name in ("CompileCounter", "CompileCounterWithBackend")
    }
    | {
        f"_dynamo.{space}.{name}": f"tensh.compiler.testing:{name}"
        for space, names in {
            "testing": "EagerAndRecordGraphs AotEagerAndRecordGraphs normalize_gm same rand_strided reduce_to_scalar_loss",
            "utils": "same clone_input clone_inputs is_compile_supported",
        }.items()
        for name in names.split()
    }
    | {
        f"{space}.{name}": f"tensh.functorch.compile:{name}"
        for space, names in {
            "_dynamo.backends.common": "aot_autograd AotAutograd",
            "_functorch.aot_autograd": "aot_function aot_module aot_module_simplified make_boxed_func make_boxed_compiler",
            "_functorch.compilers": "nop print_compile ts_compile make_boxed_func memory_efficient_fusion",
            "_functorch.partitioners": "default_partition min_cut_rematerialization_partition",
        }.items()
        for name in names.split()
    }
    | {
        "cuda.OutOfMemoryError": "tensh:OutOfMemoryError",
        "cuda.AcceleratorError": "tensh:AcceleratorError",
        "_dynamo.exc.InvalidBackend": "tensh.compiler.registry:InvalidBackend",
        "_dynamo.exc.UserError": "tensh.tracing.sizes.dims:UserError",
        "_dynamo.exc.TorchDynamoException": "tensh.tracing.sizes.dims:TorchDynamoException",
        "_inductor.list_options": "tensh.compiler.configuration.settings:list_options",
        "_inductor.list_mode_options": "tensh.compiler.configuration.settings:list_mode_options",
        "fx.experimental.symbolic_shapes.ConstraintViolationError": "tensh.tracing.sizes.dims:ConstraintViolationError",
        "fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode": "tensh.tracing.reading:GuardOnDataDependentSymNode",
        "_dynamo.utils.counters": "tensh.compiler.registry:counters",
    }
    | {f"{space}.DispatchKey": "tensh._library.dispatch_keys:DispatchKey" for space in ("_C", "_ops")}
    | {
        f"_C.{name}": f"tensh._library.lookups:{own}"
        for name, own in {
            "parse_schema": "parse_schema",
            "_jit_get_schemas_for_operator": "schemas_of",
            "_dispatch_has_kernel": "has_kernel",
            "_parse_dispatch_key": "parse_key",
            "_dispatch_key_name": "name_key",
        }.items()
    }
    | {"_library.utils.parse_namespace": "tensh._library.lookups:parse_namespace", "_ops.ops": "tensh:ops"}
    | {
        "_C.TensorBase": "tensh.engine.core.tensor:Tensor",
        "_C.Graph": "tensh.jit.graphs.ir:Graph",
        "_C.Tag": "tensh._library.tags:Tag",
    }
    | {f"_C.{name}": f"tensh.jit.graphs.graph_objects:{name}" for name in ("Node", "Value")}
    | {
        "_C._get_tracing_state": "tensh.tracing.state:_get_tracing_state",
        "_C._is_tracing": "tensh.tracing.state:is_tracing",
    }
    | {
        "_inductor.decomposition.register_decomposition": "tensh._decomp:register_decomposition",
        "_library.infer_schema.infer_schema": "tensh._library.schema:infer_schema",
    }
    | {
        f"_C.{name}": f"tensh:{name}"
        for name in """dtype device layout memory_format Size Generator Stream Event finfo iinfo Future default_generator
        get_num_threads set_num_threads has_mkl has_openmp has_lapack""".split()
    }
    | {
        "_C._show_config": "tensh.__config__:show",
        "_C._parallel_info": "tensh.__config__:parallel_info",
        "_C._get_cpu_capability": "tensh.backends.cpu:get_cpu_capability",
        "_C._cpu._get_cpu_capability": "tensh.backends.cpu:get_cpu_capability",
        "_classes.classes": "tensh:classes",
    }
    | {
        "_C._set_grad_enabled": "tensh.engine.autograd.modes:_set_grad_enabled",
        "_C._get_cudnn_enabled": "tensh.backends.cudnn:_get_cudnn_enabled",
    }
    | {f"_C._distributed_c10d.{name}": f"tensh.distributed:{name}" for name in "ProcessGroup Store Work".split()}
    | {
        f"distributed.{space}.{name}": f"tensh.distributed.tensor.placement_types:{name}"
        for space in ("_tensor", "_tensor.placement_types")
        for name in "Placement Shard Replicate Partial _StridedShard".split()
    }
    | {
        f"distributed.{space}.default_pg_timeout": "tensh.distributed.groups:default_pg_timeout"
        for space in ("constants", "distributed_c10d")
    }
    | {
        f"distributed.rendezvous.{name}": f"tensh.distributed.rendezvous_handlers:{name}"
        for name in ("register_rendezvous_handler", "rendezvous")
    }
    | {
        "distributed.tensor.parallel.api.parallelize_module": "tensh.distributed.tensor.parallel.plans:parallelize_module"
    }
    | {"distributed.tensor.parallel.loss.loss_parallel": "tensh.distributed.tensor.parallel.styles:loss_parallel"}
    | {
        f"distributed.tensor.parallel.style.{name}": f"tensh.distributed.tensor.parallel.styles:{name}"
        for name in """ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput
        RowwiseParallel SequenceParallel""".split()
    }
    | {
        f"distributed.algorithms.ddp_comm_hooks.default_hooks.{name}": f"tensh.distributed.algorithms.default_hooks:{name}"
        for name in """allreduce_hook fp16_compress_hook bf16_compress_hook fp16_compress_wrapper
        bf16_compress_wrapper""".split()
    }
    | {
        f"_functorch.vmap.{name}": f"tensh.utils._pytree:{name}"
        for name in "tree_flatten tree_unflatten tree_map_ _broadcast_to_and_flatten".split()
    }
    | {"_functorch.vmap.Tensor": "tensh:Tensor", "_C._nn.pad": "tensh.compiler.fx_graphs.inner_calls:pad"}
    | {
        f"{space}.{name}": f"tensh.func.primitives:{name}"
        for space, names in PRIMITIVES.items()
        for name in names.split()
    }
    | {
        f"_C._functorch.{name}": f"tensh.func.rest:{name}"
        for name in "is_batchedtensor maybe_get_level maybe_get_bdim".split()
    }
    | {
        f"{space}.{name}": f"tensh.func.batch_dims:{name}"
        for space in ("_C._functorch", "_functorch.vmap")
        for name in "_add_batch_dim _remove_batch_dim _maybe_remove_batch_dim get_unwrapped".split()
    }
    | {
        f"_ops.{name}": f"tensh._aten.operator_classes:{name}"
        for name in ("OperatorBase", "OpOverload", "OpOverloadPacket")
    }
    | {"_ops.HigherOrderOperator": "tensh._higher_order_ops:HigherOrderOperator"}
    | {
        name: f"tensh.switched_off.private:{name}"
        for name in """_cast_Byte _cast_Char _cast_Short _cast_Int _cast_Long _cast_Half _cast_Float _cast_Double
        _shape_as_tensor _reshape_from_tensor _int_mm _grouped_mm _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo
        _amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_ _has_compatible_shallow_copy_type frobenius_norm nuclear_norm""".split()
    }
    | {
        name: f"tensh.nested.strided.buffers:{name}"
        for name in ("_nested_view_from_buffer", "_nested_compute_contiguous_strides_offsets")
    }
    | {name: f"tensh.nn.utils.rnn:{name}" for name in ("_pack_padded_sequence", "_pad_packed_sequence")}
    | {
        name: f"tensh.ops:aten.{name}"
        for name in """_adaptive_avg_pool2d _adaptive_avg_pool3d _conj _conj_physical _ctc_loss _embedding_bag _fft_c2c _fft_c2r
        _fft_r2c _linalg_det _log_softmax _log_softmax_backward_data _native_batch_norm_legit
        _native_batch_norm_legit_no_training _prelu_kernel _safe_softmax _softmax _softmax_backward_data _standard_gamma_grad
        _trilinear _unique2 _weight_norm _weight_norm_interface""".split()
    }
    | {"_segment_reduce": "tensh:segment_reduce"}
    | {name: f"tensh.switched_off.removed:{name}" for name in "eig symeig lstsq solve matrix_rank".split()}
)
"""Names in switched-off namespaces that exist here: module and attribute."""
LAYER = "tensh.nn:Module"
"""The base of switched-off layers: module and attribute."""

MODULES = {
    f"torch.{name}": "tensh.compiler.configuration.config_modules:Settings"
    for name in """_dynamo.config _inductor.config _functorch.config compiler.config fx.experimental._config _export.config""".split()
}
"""Namespace -> the class of its module, where that is a special one."""
