"""What a TVM serves: compiled variants, and a copy as their floor, called by name."""

from pathlib import Path

from . import arrays, artifacts, floor, inputs, loading, poison, provenance, targets
from .errors import FusionError
from .pacing import Protocol
from .sampling import Timer

# Of a timer's protocol only min_repeat_ms is asked for here, and each request brings its own.
PROTOCOL = Protocol(1, 1, 1, 0, 1, 0.0, 0.0)


class Runner:
    """Modules of one case under one name each. Inputs stay in the same memory throughout, since
    what a CUDA graph has captured keeps their addresses.
    """

    def __init__(self, arch: str):
        self._arch = arch
        self._device = targets.device_for(arch)
        self._signature: artifacts.Signature | None = None
        self._arrays: list = []
        self._loaded: dict[str, loading.Loaded] = {}
        self._timers: dict[str, Timer] = {}

    def about(self, _request=None) -> dict:
        return provenance.environment()

    def load(self, request: dict) -> dict:
        """{"name", "record": path of the compile record} -> the hashes of what was loaded."""
        artifact = artifacts.read_artifacts([Path(request["record"])])[0]
        self._signature = artifacts.signature_of(artifact)
        loaded = loading.load(artifact)
        self._loaded[request["name"]] = loaded
        return loading.hashes({"it": loaded})["it"]

    def draw(self, request: dict) -> dict:
        """{"seed", "low", "high"}: these inputs, for all that is loaded."""
        if self._signature is None:
            raise FusionError("inputs are drawn before anything is loaded")
        values = inputs.draw(
            self._signature.inputs, request["seed"], request["low"], request["high"]
        )
        if self._arrays:
            for array, value in zip(self._arrays, values, strict=True):
                array.copyfrom(value)
        else:
            self._arrays = targets.to_device(values, self._arch)
        self._device.sync()
        return {}

    def copy(self, request: dict) -> dict:
        """{"name"}: the floor of what is loaded -> the bytes that it copies."""
        made, source = floor.copy_of(self._signature, self._arch)
        self._timers[request["name"]] = Timer(made, source, self._arch, PROTOCOL)
        return {"bytes": made.bytes}

    def output(self, request: dict) -> dict:
        """{"name", "file"}: what a call returns, written by arrays.save."""
        loaded = self._loaded[request["name"]]
        arrays.save(Path(request["file"]), poison.run(loaded, self._arrays, self._signature))
        return {}

    def call(self, request: dict) -> dict:
        """{"name", "times"}: so many calls, then wait."""
        self._timer(request["name"]).call(request["times"])
        return {}

    def samples(self, request: dict) -> dict:
        """{"name", "number", "repeat", "min_repeat_ms"} -> seconds a call, a sample each."""
        timer = self._timer(request["name"])
        timer.min_repeat_ms = request["min_repeat_ms"]
        return {"seconds": timer.time(request["number"], request["repeat"])}

    def _timer(self, name: str) -> Timer:
        if name not in self._timers:
            self._timers[name] = Timer(self._loaded[name], self._arrays, self._arch, PROTOCOL)
        return self._timers[name]
