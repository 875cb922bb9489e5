"""A PrimFunc whose extents are known only at run time, as TVM schedules and splits it."""

import tvm
from tvm.s_tir import dlight
from tvm.script import ir as I
from tvm.script import tirx as T

import fusion.build  # noqa: F401  (it keeps TVM from compiling the source with what is here)
from fusion import geometry, targets


@I.ir_module(s_tir=True)
class RowSums:
    @T.prim_func(s_tir=True)
    def rowsums(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 64), "float32")
        B = T.match_buffer(b, (n, 64), "float32")
        C = T.sblock_alloc_buffer((n,), "float32")
        for i, j in T.grid(n, T.int64(64)):
            with T.sblock("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vj]
        for i, j in T.grid(n, T.int64(64)):
            with T.sblock("divide"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] / C[vi]


@tvm.instrument.pass_instrument
class _Splitting:
    def run_after_pass(self, mod, info):
        if info.name == geometry.SPLITTING:
            self.launches = geometry.launches(mod)


def compiled_launches() -> list[geometry.Launch]:
    """The launches of `rowsums` for sm_86 under dlight's Fallback."""
    target, watch = targets.target_for("sm_86"), _Splitting()
    with target, tvm.transform.PassContext(instruments=[watch]):
        tvm.compile(dlight.ApplyDefaultSchedule(dlight.gpu.Fallback())(RowSums), target)
    return watch.launches["rowsums"]
