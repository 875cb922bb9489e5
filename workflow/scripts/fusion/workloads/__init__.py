"""The workloads, by name. A workload is one function over an array namespace and its facts.

Nothing here imports TVM: the configuration is checked against these facts before anything runs.
"""

from ._base import DTYPES, Workload
from .chain_add import CHAINS

WORKLOADS: dict[str, Workload] = {w.name: w for w in CHAINS}

__all__ = ["DTYPES", "WORKLOADS", "Workload"]
