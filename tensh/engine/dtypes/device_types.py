"""The numbers of kinds of devices in DLPack, the protocol by which libraries hand over memory."""

import enum


class DLDeviceType(enum.IntEnum):
    """The kinds of devices that the protocol numbers; tensors here are on the first."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


DLDeviceType.__module__ = "torch.utils.dlpack"
