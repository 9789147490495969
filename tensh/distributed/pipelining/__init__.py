"""torch.distributed.pipelining: a model in stages, in one or several processes, through which parts of batches pass.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.distributed.pipelining.pipe": "Pipe SplitPoint build_stage pipe_split pipeline",
    "tensh.distributed.pipelining.stage": "PipelineStage",
    "tensh.distributed.pipelining.schedules": "Schedule1F1B ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B "
    "ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble",
}
"""Module -> the public names that it has."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)
SUBMODULES = ("microbatch", "schedules", "stage")

__getattr__, __dir__ = declare_namespace(
    "tensh.distributed.pipelining",
    globals(),
    NAMES,
    SUBMODULES,
    unsupported=lookup("torch.distributed.pipelining"),
)
