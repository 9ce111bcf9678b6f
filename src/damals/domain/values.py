"""Values: frozen dataclasses with slots that are made three times as fast.

A frozen dataclass sets each of its fields by ``object.__setattr__``, which looks the field up by
its name every time. An import makes hundreds of values for each entry, so that this was a tenth
of its time. The slots of a class can be set directly, and are as closed afterwards.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class")
_ABSENT = object()
"""Stands for a value that was not given, and which a factory makes."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """As ``dataclass(frozen=True, slots=True)``; fields are given by place or by name.

    Raises:
        TypeError: for a class that is made in another way than of all its fields in their order:
            with an ``__init__`` of its own, or with fields that are not given, are given by name
            only, or are no fields afterwards (``InitVar``).
    """
    own = "__init__" in vars(cls)
    made = dataclass(frozen=True, slots=True)(cls)
    usual = made.__init__.__code__
    given = usual.co_varnames[1 : usual.co_argcount]
    if own or usual.co_kwonlyargcount or given != _names(made):
        message = f"{made.__qualname__} is not made of its fields in their order"
        raise TypeError(message)
    initializer = _initializer(made)
    initializer.__qualname__ = f"{made.__qualname__}.__init__"
    made.__init__ = initializer
    return made


def _names(cls: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(cls))


def _initializer(cls: type) -> Callable[..., None]:
    """An ``__init__`` that sets the slots of a class."""
    names: dict[str, Any] = {"_ABSENT": _ABSENT}
    parameters, lines = ["self"], list[str]()
    for one in fields(cls):
        names[f"_set_{one.name}"] = getattr(cls, one.name).__set__
        parameter, given = _parameter(one, names)
        parameters.append(parameter)
        lines.append(f"    _set_{one.name}(self, {given})")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
    code = "\n".join([f"def __init__({', '.join(parameters)}):", *(lines or ["    pass"])])
    exec(code, names)  # noqa: S102 - made of names of fields, as dataclasses makes its own
    return names["__init__"]


def _parameter(one: "Field[Any]", names: dict[str, Any]) -> tuple[str, str]:
    """How a field is given, and what its slot is set to."""
    name = one.name
    if one.default_factory is not MISSING:
        names[f"_make_{name}"] = one.default_factory
        return f"{name}=_ABSENT", f"_make_{name}() if {name} is _ABSENT else {name}"
    if one.default is not MISSING:
        names[f"_default_{name}"] = one.default
        return f"{name}=_default_{name}", name
    return name, name
