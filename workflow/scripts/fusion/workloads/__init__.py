"""The workloads, by name. A workload is one function over an array namespace and its facts.

Nothing here imports TVM: the configuration is checked against these facts before anything runs.
"""

from ._base import DTYPES, Workload
from .exp_chain_add import EXP_CHAIN_ADD

WORKLOADS: dict[str, Workload] = {w.name: w for w in (EXP_CHAIN_ADD,)}

__all__ = ["DTYPES", "WORKLOADS", "Workload"]
