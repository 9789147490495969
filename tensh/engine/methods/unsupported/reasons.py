"""The reasons for leaving out some of PyTorch's names, each with patterns of names without ``torch.``.

The first matching reason applies; names without a reason may still be added.
"""

from typing import NamedTuple


class Reason(NamedTuple):
    """The reason for leaving out names, and the patterns that these names match."""

    text: str
    patterns: tuple[str, ...]


def leave_out(text, patterns):
    """Return the reason for names that match one of the patterns, which are separated by spaces."""
    return Reason(text, tuple(patterns.split()))


REASONS = (
    leave_out(
        "rarely used parts of sparse tensors: SciPy has solvers, and 2:4 sparsity is for accelerators",
        """
        *_sparse_* *.sparse native_norm *indices_copy values_copy
        """,
    ),
    leave_out(
        "quantized tensors",
        """
        q_* Tensor.q_* *quantize* qint* quint* qscheme Tensor.qscheme int_repr Tensor.int_repr per_channel_*
        per_tensor_* fbgemm_* fused_moving_avg_obs_fake_quant choose_qparams_optimized ao quantization nn.qat
        nn.quantizable nn.intrinsic Q*Storage
        """,
    ),
    leave_out(
        "dtypes of less than eight bits, and matrix products of eight bits on accelerators",
        """
        float4_* bit bits* int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7
        nn.functional.scaled_* nn.functional.ScalingType nn.functional.SwizzleType
        """,
    ),
    leave_out(
        "devices other than the CPU, and the libraries that PyTorch computes with there",
        """
        cudnn_* miopen_* mkldnn_* xpu mps mtia OutOfMemoryError AcceleratorError
        is_vulkan_available Tensor.xpu Tensor.ipu Tensor.mtia Tensor.to_mkldnn Tensor.record_stream
        autograd.graph.*_stream* backends.* cuda.* profiler_allow_cudagraph*
        serialization.register_package serialization.storage_to_tensor_type serialization.validate_*_device
        batch_norm_backward_* batch_norm_elemt batch_norm_gather_* batch_norm_stats batch_norm_update_stats
        """,
    ),
    leave_out(
        "autocast on devices that tensh does not have",
        "*_autocast_*",
    ),
    leave_out(
        "parts of TorchScript's compiler; torch.jit has its functions",
        """
        jit *Type Script* Lite* AliasDb Argument ArgumentSpec CompleteArgumentSpec Block CallStack Capsule Code
        ConcreteModuleTypeBuilder DeepCopyMemoTable *SerializationStorageContext
        DeserializationStorageContext ErrorReport ExecutionPlan FileCheck FunctionSchema Gradient Graph
        GraphExecutorState IODescriptor JITException LockingLogger LoggerBase NoopLogger BufferDict ModuleDict
        ParameterDict Node OperatorInfo StaticModule TracingState Use Value import_ir_module* merge_type_* parse_*
        unify_type_list fork wait PyTorchFileReader PyTorchFileWriter AVG SUM FatalError
        """,
    ),
    leave_out(
        "parts of PyTorch's compilers; torch.compile, torch.fx and torch.export do without",
        """
        export onnx nativert fx classproperty sym_fresh_size sym_constrain_range* PRIVATE_OPS DispatchKey*
        ExcludeDispatchKeyGuard autograd.graph.region_activation_memory_budget
        """,
    ),
    leave_out(
        "models that are spread over processes or devices, and calls between processes",
        "distributed nn.parallel",
    ),
    leave_out(
        "internals of PyTorch, not its interface",
        """
        USE_* compiled_with_cxx11_abi init_num_threads prepare_multiprocessing_environment monitor ThroughputBenchmark Benchmark*
        get_file_path nn.factory_kwargs nn.attention nn.backends nn.cpp contrib numa
        nn.functional.assert_int_or_pair nn.functional.has_torch_function signal.windows.windows return_types.*_out
        return_types.all_return_types return_types.pytree_* autograd.NestedIOFunction autograd.function.NestedIOFunction
        autograd.function.FunctionMeta utils.ThroughputBenchmark utils.backcompat
        utils.backend_registration utils.*privateuse1* utils.collect_env utils.*cpp_backtrace
        utils.throughput_benchmark utils.bundled_inputs utils.cpp_extension utils.debug_log utils.file_baton utils.hipify utils.jit utils.mkldnn
        utils.mobile_optimizer utils.model_dump utils.serialization utils.show_pickle utils.viz
        utils.data.backward_compatibility
        """,
    ),
    leave_out(
        "profiles of accelerators and processes; %time and Python's profilers see every operation of tensh",
        "*profiler*",
    ),
    leave_out("packages of models with their code", "package"),
    leave_out("available after an import: from torch.utils.tensorboard import SummaryWriter", "utils.tensorboard"),
    leave_out("removed from PyTorch, where it only raises an error", "Tensor.reinforce Tensor.volatile"),
    leave_out(
        "removed from PyTorch in favour of torch.linalg",
        "lstsq eig symeig solve matrix_rank Tensor.lstsq Tensor.eig Tensor.symeig Tensor.solve",
    ),
    leave_out("first-class dimensions", "Tensor.index"),
    leave_out("a helper of PyTorch's functionalization", "slice_inverse Tensor.slice_inverse"),
)
