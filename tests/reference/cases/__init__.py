"""The cases, one function a family: it adds them to the store it is given."""

from . import contraction, control, elementwise, functions, indexing, linalg, reduction, structure

FAMILIES = {
    "unary": elementwise.unary,
    "binary": elementwise.binary,
    "compare": elementwise.compare,
    "select": elementwise.select,
    "convert": elementwise.convert,
    "clamp": elementwise.clamp,
    "mul_add": elementwise.mul_add,
    "representation": elementwise.representation,
    "structure": structure.cases,
    "gather": indexing.gather,
    "scatter": indexing.scatter,
    **reduction.FAMILIES,
    **contraction.FAMILIES,
    **linalg.FAMILIES,
    "control": control.cases,
    **functions.FAMILIES,
}
