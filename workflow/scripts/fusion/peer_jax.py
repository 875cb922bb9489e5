"""The peer of JAX: jax.jit, which is XLA."""

import jax
import numpy as np

from .cases import Case
from .namespace_jax import JaxNamespace
from .peer_clock import wall_seconds


class Runner:
    """The peers of this process, called by name."""

    def __init__(self, case: Case, names: list[str], device: str):
        self._device = jax.devices(device if device == "cuda" else "cpu")[0]
        self._case = case
        self._inputs: list[jax.Array] = []
        self._call = jax.jit(self._function)
        self._last = None

    def versions(self) -> dict:
        import jaxlib

        return {
            "jax": jax.__version__,
            "jaxlib": jaxlib.__version__,
            "device": self._device.device_kind,
        }

    def set_inputs(self, arrays: list[np.ndarray]) -> None:
        self._inputs = [jax.device_put(array, self._device) for array in arrays]

    def prepare(self) -> None:
        """Compile, and call once."""
        self.call("XLA", 1)

    def _function(self, *inputs):
        return self._case.call(JaxNamespace(), *inputs)

    def outputs(self, name: str) -> list[np.ndarray]:
        return [np.asarray(array) for array in jax.tree.leaves(self._call(*self._inputs))]

    def wait(self) -> None:
        if self._last is not None:
            jax.block_until_ready(self._last)

    def call(self, name: str, times: int) -> None:
        for _ in range(times):
            self._last = self._call(*self._inputs)
        self.wait()

    def seconds(self, name: str, times: int) -> float:
        """JAX has no events: on the host's clock, until the last result is there."""
        return wall_seconds(self, name, times)
