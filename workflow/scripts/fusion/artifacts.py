"""What the compile stage left of a variant: its record and the files beside it. Needs no TVM."""

from dataclasses import dataclass
from pathlib import Path

from . import records
from .cases import Case, from_record
from .errors import FusionError
from .workloads import Input


@dataclass(frozen=True)
class Signature:
    """What a compiled module takes and returns."""

    inputs: dict[str, Input]
    outputs: tuple[Input, ...]

    def input_bytes(self) -> int:
        return sum(i.bytes for i in self.inputs.values())

    def output_bytes(self) -> int:
        return sum(o.bytes for o in self.outputs)


@dataclass(frozen=True)
class Artifact:
    """A compile record with the folder it lies in."""

    folder: Path
    record: dict

    @property
    def variant(self) -> str:
        return self.record["variant"]

    @property
    def failed(self) -> dict | None:
        """{"stage", "message"} where the variant was not compiled."""
        return self.record.get("failed")


def read_artifacts(paths: list[Path]) -> list[Artifact]:
    """Compile records of one case and one arch, or a FusionError."""
    artifacts = [Artifact(Path(p).parent, records.read(p, "compile")) for p in paths]
    for key in ("case", "arch"):
        values = {str(a.record[key]) for a in artifacts}
        if len(values) > 1:
            raise FusionError(
                f"the compile records are not of one {key}", found=" and ".join(values)
            )
    return artifacts


def require_whole(artifact: Artifact) -> None:
    """Raise a FusionError if module.so or the kernels are not those that were recorded."""
    for part in ("module", "code"):
        path = artifact.folder / artifact.record[part]["file"]
        wanted = artifact.record[part]["sha256"]
        found = records.file_sha256(path) if path.exists() else "no such file"
        if found != wanted:
            raise FusionError(
                f"{path} is not what the compile stage recorded",
                expected=f"SHA-256 {wanted}",
                found=found,
                do=f"delete {artifact.folder} and compile again",
            )


def case_of(artifacts: list[Artifact]) -> Case:
    """The case that the artifacts were compiled from."""
    return from_record(artifacts[0].record["case"])


def signature_of(artifact: Artifact) -> Signature:
    """The inputs and outputs of a compiled variant."""
    found = artifact.record.get("signature")
    if found is None:
        raise FusionError(
            f"{artifact.folder}/record.json does not say what the module takes and returns",
            do=f"delete {artifact.folder} and compile again",
        )
    inputs = {i["name"]: _tensor(i) for i in found["inputs"]}
    return Signature(inputs, tuple(map(_tensor, found["outputs"])))


def as_record(signature: Signature) -> dict:
    """A signature as a compile record keeps it."""
    return {
        "inputs": [
            {"name": n, "shape": list(i.shape), "dtype": i.dtype, "low": i.low, "high": i.high}
            for n, i in signature.inputs.items()
        ],
        "outputs": [{"shape": list(o.shape), "dtype": o.dtype} for o in signature.outputs],
    }


def arch_of(artifacts: list[Artifact]) -> str:
    """The architecture that the artifacts were compiled for."""
    return artifacts[0].record["arch"]


def _tensor(found: dict) -> Input:
    return Input(tuple(found["shape"]), found["dtype"], found.get("low"), found.get("high"))
