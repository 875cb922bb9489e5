# Fallback scheduled multiply
# from tvm import s_tir
def apply_trace(sch: s_tir.Schedule) -> None:
  b0 = sch.get_sblock(name="root", func_name="main")
  b1, = sch.get_child_blocks(b0)
  sch.get_child_blocks(b1)
  sch.transform_block_layout(block=b1, index_map=lambda v_ax0, v_ax1: (v_ax0,))
  l2, = sch.get_loops(block=b1)
  l3, = sch.get_loops(block=b1)
  l4, = sch.get_loops(block=b1)
  l5, = sch.get_loops(block=b1)
  sch.reorder(l5)
  l6 = sch.fuse(l5, preserve_unit_iters=True)
  l7, l8 = sch.split(loop=l6, factors=[None, 1024], preserve_unit_iters=True, disable_predication=False)
  sch.bind(loop=l7, thread_axis="blockIdx.x")
  sch.bind(loop=l8, thread_axis="threadIdx.x")
