"""What is watched while a pipeline runs: the IR after every pass, forbidden passes, the calls,
the launches and the bytes.
"""

import re
import shutil
from collections import Counter
from pathlib import Path

import tvm
from tvm import relax

from . import disks, geometry, traffic
from .errors import FusionError
from .names import shorten

# The last pass that still sees relax.call_tir; what stands before it is what fusion left.
VM_LOWERING = "CallTIRRewrite"


@tvm.instrument.pass_instrument
class Watch:
    """Write the IR after every pass as NNN_Pass.py, note a forbidden pass, count calls.

    `calls` maps the callee of each relax.call_tir before VM lowering to how often it is called;
    it is None until VM lowering has been reached. `bytes_moved` is of the same IR. `launches` maps
    each PrimFunc to its kernels; it stays empty where a target launches none.
    """

    def __init__(self, folder: Path, forbidden: tuple[str, ...]):
        self.folder, self.forbidden = Path(folder), forbidden
        self.calls: dict[str, int] | None = None
        self.bytes_moved: dict[str, int | None] = {}
        self.launches: dict[str, list[geometry.Launch]] = {}
        self.ran: list[str] = []
        self.trespassers: list[str] = []

    def run_before_pass(self, mod, info):
        if info.name in self.forbidden:
            self.trespassers.append(info.name)
        if info.name == VM_LOWERING and self.calls is None:
            self.calls = count_calls(mod)
            self.bytes_moved = traffic.at_least(mod)

    def run_after_pass(self, mod, info):
        self.ran.append(info.name)
        self.write(len(self.ran), info.name, mod)
        if info.name == geometry.SPLITTING:
            self.launches |= geometry.launches(mod)

    def write(self, number: int, name: str, mod: tvm.IRModule) -> None:
        safe = re.sub(r"[^\w.-]", "_", name)
        path, text = self.folder / f"{number:03d}_{safe}.py", mod.script() + "\n"
        with disks.writing(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def count_calls(mod: tvm.IRModule) -> dict[str, int]:
    """How often each function is called through relax.call_tir, in all Relax functions."""
    call_tir = tvm.ir.Op.get("relax.call_tir")
    callees: Counter[str] = Counter()

    def visit(expr):
        if isinstance(expr, relax.Call) and expr.op == call_tir:
            callees[expr.args[0].name_hint] += 1

    for function in mod.functions.values():
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, visit)
    return dict(callees)


def check(watch: Watch, variant: str, expected: int | None, kept_ir: Path) -> None:
    """Raise a FusionError, and keep the IR at `kept_ir`, if a pass or the calls are not as stated.

    expected: calls of relax.call_tir before VM lowering, or None for no expectation.
    """
    if watch.trespassers:
        _keep(watch.folder, kept_ir)
        raise FusionError(
            f"{variant}: a pass ran that this variant forbids",
            expected=f"none of {', '.join(watch.forbidden)}",
            found=", ".join(watch.trespassers),
            do=f"read the IR after every pass in {kept_ir}",
        )
    found = sum((watch.calls or {}).values())
    if watch.calls is None or (expected is not None and found != expected):
        _keep(watch.folder, kept_ir)
        listed = "; ".join(f"{n} x {shorten(f)}" for f, n in (watch.calls or {}).items())
        raise FusionError(
            f"{variant}: the calls of relax.call_tir before VM lowering are not as expected",
            expected=f"{expected} calls",
            found=f"{found} calls ({listed or 'none'})",
            do=f"read the IR after every pass in {kept_ir}",
        )


def _keep(folder: Path, kept_ir: Path) -> None:
    if kept_ir.exists():
        shutil.rmtree(kept_ir)
    kept_ir.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        shutil.copytree(folder, kept_ir, copy_function=shutil.copyfile)
    else:
        kept_ir.mkdir()
