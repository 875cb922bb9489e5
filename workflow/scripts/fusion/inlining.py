"""What dlight's GPU rules do first, as a pass of its own: inline every producer that can be."""

import tvm
from tvm import s_tir, tirx
from tvm.s_tir.dlight.analysis import normalize_prim_func
from tvm.s_tir.dlight.base import try_inline


@tvm.transform.module_pass(opt_level=0, name="InlineProducers")
class InlineProducers:
    """Apply dlight's try_inline to each PrimFunc; one that cannot be normalised stays as it is."""

    def transform_module(self, mod: tvm.IRModule, _ctx) -> tvm.IRModule:
        for name, function in mod.functions.items():
            if not isinstance(function, tirx.PrimFunc):
                continue
            schedule = s_tir.Schedule(function)
            blocks = normalize_prim_func(schedule)
            if blocks is not None:
                try_inline(schedule, blocks)
                inlined = schedule.mod["main"]
                mod.update_func(name, inlined.with_attrs(function.attrs))
        return mod
