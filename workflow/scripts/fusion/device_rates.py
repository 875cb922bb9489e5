"""The one table of device rates for SPLIT: what was measured, and data sheets for the rest.

A GPU without a calibration gets its rates from its data sheet (SHEETS), the instructions that each
operation compiles to (INSTRUCTIONS) and what one H200 achieved, scaled by clocks and lanes.
"""

from dataclasses import dataclass

from .costs import OTHER, Rates


@dataclass(frozen=True)
class Sheet:
    """A GPU's data sheet. lanes: 32-bit operations a clock and SM; mufu: special functions."""

    name: str
    sms: int
    mhz: int
    lanes: int
    mufu: int
    gb_per_s: float
    source: str

    def slot_ps(self) -> float:
        """Picoseconds of the whole device for one instruction on one element."""
        return 1e6 / (self.sms * self.mhz * self.lanes)


# Lanes: "Arithmetic Instructions" in the CUDA C++ Programming Guide, by compute capability.
GUIDE = "CUDA C++ Programming Guide (throughput of arithmetic instructions)"
SHEETS = {
    "sm_80": Sheet("A100", 108, 1410, 64, 16, 2039, f"NVIDIA A100 80GB SXM data sheet, {GUIDE}"),
    "sm_86": Sheet("RTX A6000", 84, 1800, 128, 16, 768, f"NVIDIA RTX A6000 data sheet, {GUIDE}"),
    "sm_90": Sheet("H200", 132, 1980, 128, 16, 4800, f"NVIDIA H200 SXM data sheet, {GUIDE}"),
}

# Instructions (and MUFU among them) that one more operation adds to a fused kernel: counted in the
# SASS of calibration.py's chains of 8 and 16, for sm_90 with nvrtc 13.0 and TVM's fast math.
INSTRUCTIONS = {
    "float16": {
        "add": (1, 0),
        "subtract": (1, 0),
        "multiply": (1, 0),
        "divide": (10, 1),
        "max": (2, 0),
        "min": (2, 0),
        "exp": (10, 1),
        "log": (10, 1),
        "sqrt": (3, 1),
        "rsqrt": (3, 1),
        "tanh": (3, 1),
        "sigmoid": (26, 2),
        "erf": (25, 1),
    },
    "bfloat16": {
        "add": (1, 0),
        "subtract": (1, 0),
        "multiply": (1, 0),
        "divide": (10, 1),
        "max": (2, 0),
        "min": (2, 0),
        "exp": (7, 1),
        "log": (7, 1),
        "sqrt": (6, 1),
        "rsqrt": (6, 1),
        "tanh": (3, 1),
        "sigmoid": (16, 2),
        "erf": (25, 1),
    },
    "float32": {
        "add": (1, 0),
        "subtract": (1, 0),
        "multiply": (1, 0),
        "divide": (2, 1),
        "max": (1, 0),
        "min": (1, 0),
        "exp": (2, 1),
        "log": (2, 1),
        "sqrt": (1, 1),
        "rsqrt": (1, 1),
        "tanh": (1, 1),
        "sigmoid": (5, 2),
        "erf": (23, 1),
    },
}
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4}

# One H200, results/published/nvidia-h200/issue-20342 (float16, 4096 x 4096 = 16,777,216 elements):
# ON takes 81.42 us at depth 8 and 140.05 us at depth 16, so 7.329 us a step of 12 instructions (an
# exp, a multiply, a subtract), and 22.79 us at depth 0. PARTIAL's Add, one element a thread, takes
# 52.3 us. A launch is of the calibration (MEASURED).
SLOT = SHEETS["sm_90"].slot_ps()
STEP_SLOTS = 7.329e6 / 16_777_216 / SLOT / 12  # of an instruction of a chain
ELEMENT_SLOTS = 22.79e6 / 16_777_216 / SLOT - STEP_SLOTS  # of an element, without its Add
STREAM_SLOTS = 52.3e6 / 16_777_216 / SLOT  # between two elements that stream in and out
LAUNCH_US = 2.17

# Of a host: results/published/nvidia-h200/issue-20342-shapes, 256 x 256, where OFF launches 49
# kernels and PARTIAL 2, and neither takes as long as its launches (the median of three dtypes).
# Other hosts of the same GPU took 3.9 to 5.7 us a launch, and one host 3.9 to 5.1 within minutes.
HOST_US = 4.62
CALL_US = 2.02


def _counted(sheet: Sheet, dtype: str) -> dict[str, float]:
    """What operators cost by their instructions, in ps of the whole device (see STEP_SLOTS)."""
    return {
        kind: sheet.slot_ps() * max(count * STEP_SLOTS, mufu * sheet.lanes / sheet.mufu)
        for kind, (count, mufu) in INSTRUCTIONS[dtype].items()
    }


# The calibration of rates.json ran these in chains of nothing else, where bfloat16 is rounded by
# the special-function unit, too (see calibration.py), and took up to twice as long as between other
# operators. So in bfloat16 they are counted until they are measured anew. ON of issue-20342-shapes
# takes 95.8 us at 4096 x 4096 in bfloat16; this estimates 115, and by what was measured it was 180.
BETWEEN = ("divide", "exp", "log", "sqrt", "rsqrt", "tanh")

# By arch, as calibrate_device.py prints them; they come before the data sheets.
MEASURED: dict[str, Rates] = {
    "sm_90": Rates(
        name="NVIDIA H200",
        source="calibrate_device.py on 2026-12-02: results/published/nvidia-h200/rates.json",
        gb_per_s={"float16": 1189.8, "bfloat16": 1188.7, "float32": 2092.3},
        launch_us=2.17,
        host_us=HOST_US,
        call_us=CALL_US,
        element_ps={"float16": 1.1134, "bfloat16": 0.8297, "float32": 1.2653},
        operator_ps={
            "float16": {
                "add": 0.05959,
                "subtract": 0.05965,
                "multiply": 0.0591,
                "divide": 0.34578,
                "max": 0.05956,
                "min": 0.06005,
                "exp": 0.37309,
                "log": 0.36695,
                "sqrt": 0.24163,
                "rsqrt": 0.24168,
                "tanh": 0.24169,
                "sigmoid": 0.80295,
                "erf": 0.82069,
                "other": 0.82069,
            },
            "bfloat16": {
                "add": 0.05952,
                "subtract": 0.05961,
                "multiply": 0.05896,
                "max": 0.06054,
                "min": 0.06009,
                **{kind: _counted(SHEETS["sm_90"], "bfloat16")[kind] for kind in BETWEEN},
                "sigmoid": 0.54228,
                "erf": 0.82849,
                "other": 0.82849,
            },
            "float32": {
                "add": 0.0281,
                "subtract": 0.02815,
                "multiply": 0.03158,
                "divide": 0.22527,
                "max": 0.03007,
                "min": 0.02998,
                "exp": 0.23738,
                "log": 0.22608,
                "sqrt": 0.22798,
                "rsqrt": 0.22749,
                "tanh": 0.22863,
                "sigmoid": 0.50113,
                "erf": 0.74808,
                "other": 0.74808,
            },
        },
    )
}


def of_sheet(sheet: Sheet) -> Rates:
    """A GPU's rates from its data sheet and from what the H200 achieved of its own."""
    slot = sheet.slot_ps()
    counted = {dtype: _counted(sheet, dtype) for dtype in INSTRUCTIONS}
    operator_ps = {dtype: {**ps, OTHER: max(ps.values())} for dtype, ps in counted.items()}
    # Two bytes in and two out an element, or four and four: a thread takes as long for either.
    streamed = {dtype: 2e3 * size / (STREAM_SLOTS * slot) for dtype, size in BYTES.items()}
    return Rates(
        name=sheet.name,
        source=f"{sheet.source}; scaled from results/published/nvidia-h200/issue-20342",
        gb_per_s={dtype: min(sheet.gb_per_s, rate) for dtype, rate in streamed.items()},
        launch_us=LAUNCH_US,
        host_us=HOST_US,
        call_us=CALL_US,
        element_ps=dict.fromkeys(BYTES, ELEMENT_SLOTS * slot),
        operator_ps=operator_ps,
    )


# TVM writes a CPU's tanh as a polynomial with its argument many times over, so the code of a fused
# chain of it grows exponentially. It is priced as OTHER there.
NOT_ON_A_CPU = ("tanh",)

# Not of any one CPU: orders of magnitude for one core, so that decisions can be tried without a
# GPU. LLVM keeps a chain out of its consumer's loops, so there is little that a cut could win.
LLVM = Rates(
    name="a CPU core",
    source="orders of magnitude, not measured; calibrate_device.py --arch llvm measures",
    gb_per_s={"float32": 20.0},
    launch_us=1.0,
    host_us=0.0,
    call_us=0.0,
    element_ps={"float32": 100.0},
    operator_ps={
        "float32": dict.fromkeys(("add", "subtract", "multiply", "max", "min"), 50.0)
        | {"divide": 200.0, "sqrt": 200.0, OTHER: 1000.0},
    },
)
DEFAULT_SHEET = "sm_86"  # for a GPU that is not in the table


def rates_for(arch: str) -> Rates:
    """The rates for llvm or an sm_XX: measured, else from a data sheet, else the default's."""
    if arch in MEASURED:
        return MEASURED[arch]
    if arch == "llvm":
        return LLVM
    if arch in SHEETS:
        return of_sheet(SHEETS[arch])
    default = of_sheet(SHEETS[DEFAULT_SHEET])
    source = f"no rates for {arch}, so those of the {default.name}: {default.source}"
    return Rates(**{**vars(default), "source": source})


def operators(arch: str) -> list[str]:
    """What a calibration measures on an architecture."""
    unmeasured = NOT_ON_A_CPU if arch == "llvm" else ()
    return [kind for kind in INSTRUCTIONS["float32"] if kind not in unmeasured]
