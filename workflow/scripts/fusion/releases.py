"""What differs between the TVM releases that the pipeline knows: 0.25, 0.26 and 0.27.

Which one this is shows in what it has, not in its number. The names are those of 0.27.
"""

import ctypes

import tvm
import tvm_ffi
from tvm import relax, s_tir, tirx

# 0.25 knows an expression's type as its struct_info; its relax.TensorType is something else.
_STRUCT_INFO = hasattr(relax, "TensorStructInfo")
TensorType = relax.TensorStructInfo if _STRUCT_INFO else relax.TensorType
TupleType = relax.TupleStructInfo if _STRUCT_INFO else relax.TupleType

# TIR. Node: of an expression.
SBlock = s_tir.SBlock if hasattr(s_tir, "SBlock") else tirx.SBlock
TensorLoad = tvm.ir.TensorLoad if hasattr(tvm.ir, "TensorLoad") else tirx.BufferLoad
Call = tvm.ir.Call if hasattr(tvm.ir, "Call") else tirx.Call
Node = tvm.ir.Expr if hasattr(tvm.ir, "Expr") else tvm.ir.PrimExpr

# The operators by which host code may launch a kernel: 0.27's own, and before it a packed call.
LAUNCHES = ("tirx.call_ffi_kernel", "tirx.tvm_call_packed")


def tensor_type(shape: tuple[int, ...], dtype: str):
    """The type of a tensor with this shape and dtype."""
    return TensorType(shape, dtype)


def type_of(expr):
    """The type of a Relax expression, or that to which a MatchCast binds."""
    return expr.struct_info if _STRUCT_INFO else expr.ty


def set_type(expr, kind) -> None:
    """Give a new Relax expression its type."""
    update = relax.expr._update_struct_info if _STRUCT_INFO else relax.expr._update_type
    update(expr, kind)


def name_of(var) -> str:
    """The name of a variable of Relax or TIR."""
    return var.name_hint if hasattr(var, "name_hint") else var.name


def with_arguments(call: relax.Call, arguments: list) -> relax.Call:
    """The call with other arguments; its type stays."""
    if not _STRUCT_INFO:
        return relax.Call(call.op, arguments, call.attrs, call.ty_args, ret_ty=call.ty)
    made = relax.Call(call.op, arguments, call.attrs, call.sinfo_args)
    set_type(made, call.struct_info)
    return made


def with_body(function: relax.Function, body: relax.Expr) -> relax.Function:
    """The function with another body; what it returns keeps its type."""
    kind = function.ret_struct_info if _STRUCT_INFO else function.ret_ty
    return relax.Function(function.params, body, kind, function.is_pure, function.attrs)


def buffers_of(function: tirx.PrimFunc) -> list:
    """The buffers among a PrimFunc's parameters, in their order."""
    if hasattr(tirx, "BufferType"):
        return [p for p in function.params if isinstance(p.ty, tirx.BufferType)]
    return [function.buffer_map[p] for p in function.params if p in function.buffer_map]


def buffer_of(access):
    """The buffer of a load or of a region."""
    return access.source if hasattr(access, "source") else access.buffer


def dtype_of(node) -> str:
    """The dtype of a node of a TIR expression."""
    return str(node.ty if hasattr(node, "ty") else node.dtype)


def address_of(tensor: tvm.runtime.Tensor) -> int:
    """Where a tensor's data begins, in its device's memory."""
    if hasattr(tensor, "data_ptr"):
        return tensor.data_ptr()
    # 0.25: DLPack's capsule points to a DLTensor, which begins with that address.
    signature = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    pointer_in = signature(("PyCapsule_GetPointer", ctypes.pythonapi))
    capsule = tensor.__dlpack__()
    return ctypes.c_void_p.from_address(pointer_in(capsule, b"dltensor")).value or 0


def walk(root, kinds, visit) -> None:
    """Call `visit` on each occurrence of these classes below and at `root`, inner ones first.

    From 0.26 on the expressions in a buffer's type lie below it too; 0.26 visits operators as well.
    """
    if hasattr(tvm_ffi, "structural_walk"):
        tvm_ffi.structural_walk(root, (kinds, visit))
    else:
        _walk(root, kinds, visit)  # 0.25's own post_order_visit sees a shared node once


def _walk(node, kinds, visit) -> None:
    if isinstance(node, tvm_ffi.Array):
        for element in node:
            _walk(element, kinds, visit)
    elif isinstance(node, tvm_ffi.Object):
        if not isinstance(node, tirx.Buffer):
            for name in _fields(type(node)):
                _walk(getattr(node, name), kinds, visit)
        if isinstance(node, kinds):
            visit(node)


def _fields(kind: type) -> list[str]:
    """The fields of a class of TVM's objects, but for types, operators and places in a source."""
    found, info = [], kind.__tvm_ffi_type_info__
    while info:
        found = [field.name for field in info.fields] + found
        info = info.parent_type_info
    return [name for name in found if name not in ("span", "ty", "dtype", "op")]


def constant_of(expr):
    """The NumPy array of a Relax constant; None for any other expression."""
    tensor = getattr(expr, "data" if hasattr(relax, "Constant") else "value", None)
    return tensor.numpy() if isinstance(tensor, tvm.runtime.Tensor) else None
