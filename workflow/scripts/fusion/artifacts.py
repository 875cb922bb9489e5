"""What the compile stage left of a variant: its record and the files beside it. Needs no TVM."""

from dataclasses import dataclass
from pathlib import Path

from . import records
from .cases import Case, make_case
from .errors import FusionError


@dataclass(frozen=True)
class Artifact:
    """A compile record with the folder it lies in."""

    folder: Path
    record: dict

    @property
    def variant(self) -> str:
        return self.record["variant"]


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
    case = artifacts[0].record["case"]
    return make_case(case["workload"], case["sizes"], case["dtype"])


def arch_of(artifacts: list[Artifact]) -> str:
    """The architecture that the artifacts were compiled for."""
    return artifacts[0].record["arch"]
