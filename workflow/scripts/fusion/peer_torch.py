"""The peers of PyTorch: eager, torch.compile, and either as a CUDA graph."""

from collections.abc import Callable

import numpy as np
import torch

from .cases import Case
from .namespace_torch import TorchNamespace
from .peers import PEERS


class Runner:
    """The peers of this process, called by name. Inputs stay in the same memory throughout."""

    def __init__(self, case: Case, names: list[str], device: str):
        self._device = torch.device("cuda" if device == "cuda" else "cpu")
        if device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        self._case = case
        self._inputs = [
            torch.zeros(i.shape, dtype=getattr(torch, i.dtype), device=self._device)
            for i in case.inputs.values()
        ]
        self._calls: dict[str, Callable] = {}
        self._names = names

    def versions(self) -> dict:
        name = torch.cuda.get_device_name() if self._device.type == "cuda" else "cpu"
        found = {"torch": torch.__version__, "cuda": torch.version.cuda, "device": name}
        try:
            import triton
        except ImportError:
            return found
        return {**found, "triton": triton.__version__}

    def set_inputs(self, arrays: list[np.ndarray]) -> None:
        for held, array in zip(self._inputs, arrays, strict=True):
            held.copy_(_tensor(array))

    def prepare(self) -> None:
        """Compile and capture, and call each once."""
        for name in self._names:
            self._calls[name] = self._make(name)
            self._calls[name]()
        self.wait()

    def _make(self, name: str) -> Callable:
        function = self._function
        if name.startswith("INDUCTOR"):
            # A process of its own has no earlier compilation to reuse; shapes are fixed.
            function = torch.compile(self._function, fullgraph=True, dynamic=False)
        if not PEERS[name].needs_gpu:
            return lambda: function(*self._inputs)
        return _captured(lambda: function(*self._inputs))

    def _function(self, *inputs):
        return self._case.call(TorchNamespace(), *inputs)

    def outputs(self, name: str) -> list[np.ndarray]:
        result = self._calls[name]()
        self.wait()
        return [_array(tensor) for tensor in _flat(result)]

    def wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize()

    def call(self, name: str, times: int) -> None:
        call = self._calls[name]
        for _ in range(times):
            call()
        self.wait()

    def seconds(self, name: str, times: int) -> float:
        """Seconds from the first call's start to the last one's end, on the device's own clock."""
        if self._device.type != "cuda":
            from .peer_clock import wall_seconds

            return wall_seconds(self, name, times)
        call = self._calls[name]
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(times):
            call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3


def _flat(result) -> list[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for one in result for tensor in _flat(one)]


def _array(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        import ml_dtypes

        return tensor.view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def _tensor(array: np.ndarray) -> torch.Tensor:
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _captured(call: Callable) -> Callable:
    """Replay of the call as a CUDA graph; returns the memory that each replay writes to."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):  # what a first call allocates and compiles must be done before
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()

    def replay() -> torch.Tensor:
        graph.replay()
        return result

    return replay
