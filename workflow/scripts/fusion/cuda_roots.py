"""Where CUDA's headers and programs may lie on this machine. Needs no GPU and no TVM."""

import importlib.util
import os
from pathlib import Path


def roots() -> list[Path]:
    """Folders such as site-packages/nvidia/cu13 of the PyPI packages, then CUDA_PATH, CUDA_HOME."""
    spec = importlib.util.find_spec("nvidia")
    folders = list(spec.submodule_search_locations) if spec else []
    packaged = [root for folder in folders for root in sorted(Path(folder).glob("cu[0-9]*"))]
    named = [Path(os.environ[k]) for k in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(k)]
    return list(dict.fromkeys(packaged + [path for path in named if path.is_dir()]))
