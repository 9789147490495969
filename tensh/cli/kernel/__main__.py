"""The kernel process, started by Jupyter: `python -m tensh.cli.kernel -f CONNECTION`."""

from ipykernel.kernelapp import IPKernelApp

from tensh.cli.kernel.kernel import TenshKernel

if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=TenshKernel)
