"""The peers: other compilers' readings of the same workload. Needs neither TVM nor them.

A peer runs in its toolchain's own interpreter (see peer_process.py); which one that is says where
a peer runs and not what is measured, so it travels by the environment.
"""

import argparse
import subprocess
from dataclasses import dataclass

from . import toolchains
from .errors import FusionError, choose

INSTALL = "python3 -m pip install -r envs/peers.txt into an environment of its own, and set "


@dataclass(frozen=True)
class Peer:
    """toolchain: the framework. summary: what is done with the workload's function."""

    name: str
    toolchain: str
    summary: str
    needs_gpu: bool = False


PEERS = {
    p.name: p
    for p in (
        Peer("EAGER", "torch", "PyTorch, operator by operator"),
        Peer("EAGER_GRAPH", "torch", "EAGER, replayed as one CUDA graph", needs_gpu=True),
        Peer("INDUCTOR", "torch", "torch.compile with its default backend"),
        Peer("INDUCTOR_GRAPH", "torch", "INDUCTOR, replayed as one CUDA graph", needs_gpu=True),
        Peer("XLA", "jax", "jax.jit"),
    )
}
MISSING = """
import importlib.util, sys
sys.exit(" ".join(n for n in sys.argv[1:] if not importlib.util.find_spec(n)) or 0)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--peers, which may be none; names are checked."""
    parser.add_argument(
        "--peers", nargs="*", default=[], type=_known, help=f"of {', '.join(PEERS)}"
    )


def _known(name: str) -> str:
    choose("peer", name, PEERS)
    return name


def require_installed(toolchain: str) -> None:
    """Raise a FusionError unless the toolchain's interpreter has what serve_peer.py imports."""
    chain = toolchains.find(toolchain)
    python, names = chain.interpreter(), [toolchain, "numpy", "ml_dtypes"]
    done = subprocess.run(
        [python, "-c", MISSING, *names], capture_output=True, text=True, env=chain.variables()
    )
    if done.returncode:
        raise FusionError(
            f"the peers of {toolchain} cannot run",
            expected=f"{', '.join(names)} in {python}",
            found=f"no {' '.join(done.stderr.split()) or 'working Python'}",
            do=f"{INSTALL}toolchains.{toolchain} to its python3; or take the peers out",
        )


def by_toolchain(names: list[str]) -> dict[str, list[str]]:
    """The peers of each toolchain among these: one process serves all of a toolchain."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(PEERS[name].toolchain, []).append(name)
    return found
