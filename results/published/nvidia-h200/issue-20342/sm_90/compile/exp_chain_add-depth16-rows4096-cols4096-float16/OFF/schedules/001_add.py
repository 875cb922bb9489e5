# Fallback scheduled add
# from tvm import s_tir
def apply_trace(sch: s_tir.Schedule) -> None:
  b0 = sch.get_sblock(name="root", func_name="main")
  b1, = sch.get_child_blocks(b0)
  sch.get_child_blocks(b1)
  sch.transform_block_layout(block=b1, index_map=lambda v_ax0, v_ax1: (v_ax0, v_ax1,))
  l2, l3 = sch.get_loops(block=b1)
  l4, l5 = sch.get_loops(block=b1)
  l6, l7 = sch.get_loops(block=b1)
  l8, l9 = sch.get_loops(block=b1)
  sch.reorder(l8, l9)
  l10 = sch.fuse(l8, l9, preserve_unit_iters=True)
  l11, l12 = sch.split(loop=l10, factors=[None, 1024], preserve_unit_iters=True, disable_predication=False)
  sch.bind(loop=l11, thread_axis="blockIdx.x")
  sch.bind(loop=l12, thread_axis="threadIdx.x")
