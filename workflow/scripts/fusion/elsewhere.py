"""What to say where the jobs run on other machines than this one, through a cluster's executor."""

from .errors import FusionError

ELSEWHERE = (
    "jobs run elsewhere, through the executor of the profile; each finds the device on its own"
    " machine, and the records name it."
)
NOT_RUN = (
    "compile, rebuild and audit run; verify, time, profile, aggregate and figures are not run."
)


def require_name(wanted: str) -> None:
    """Raise a FusionError where `device` would mean another one on each machine."""
    if wanted in ("auto", "cuda"):
        raise FusionError(
            f"device: {wanted} means a device of this machine, but the jobs run elsewhere",
            expected="the device by name: the architecture of their GPU, such as sm_90, or llvm",
            do="give --config device=sm_90 or the like; for a Hopper GPU that is sm_90, "
            "for an Ampere one sm_80 or sm_86",
        )
