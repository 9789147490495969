"""Fixtures of sweeps: a small cluster that all tests of a process share, and the command in its own process."""

import io
from importlib.util import find_spec

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment


@pytest.fixture(scope="session")
def scheduler():
    """The address of a cluster with one worker."""
    if find_spec("distributed") is None:
        pytest.skip("distributed is not installed")
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def tensh():
    """Call a command in this process; (status, stdout, stderr)."""

    def call(*arguments):
        env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {})
        status = main([*map(str, arguments)], env)
        return status, env.stdout.getvalue(), env.stderr.getvalue()

    return call
