"""Type stubs for the functions of a host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ._troupe import Function, Host, Parameter, Signature, Type, identifier, identifiers
from .data import Registration
from .errors import Error

_heading = '''\
# Written by `python -m troupe stubs`. In a program:
#
#     from typing import TYPE_CHECKING, cast
#     if TYPE_CHECKING:
#         import {module}
#     functions = cast("{module}.Functions", host.functions)

import enum
from collections.abc import Callable, Coroutine, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, overload
from uuid import UUID

import numpy
import numpy.typing
import troupe
from _typeshed import DataclassInstance

_Buffer: TypeAlias = bytes | bytearray | memoryview | numpy.ndarray[Any, Any]
_Array: TypeAlias = numpy.typing.NDArray[Any]
'''

_integers = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
_floats = {"float", "double", "long double"}
_arrays = {
    "bool": "bool_", "float": "float32", "double": "float64", "long double": "longdouble", **{name: name for name in _integers},
}  # fmt: skip


def _fields(type: Type) -> Iterator[tuple[str, Type]]:
    """Returns the members of a struct, those of anonymous members among them."""
    for name, member, _ in type.members:
        if name:
            yield name, member
        else:
            yield from _fields(member)


def _documentation(registration: Registration, signature: Signature) -> list[str]:
    """Returns the lines of a docstring with the description, those of the parameters, and the examples; none without them."""
    paragraphs = [registration.description] if registration.description else []
    texts = registration.parameter_texts
    names = [parameter.name for parameter in signature.parameters if parameter.name in texts]
    names += [name for name in texts if name not in names]
    parameters = "\n".join(f":param {name}: {texts[name]}" for name in names)
    examples = "\n".join(f"({arguments}) = {result}" for arguments, result in registration.examples.items())
    paragraphs += [paragraph for paragraph in (parameters, examples) if paragraph]
    if not paragraphs:
        return []
    text = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', '\\"""')
    if "\n" in text or text.endswith('"'):
        text += "\n"
    return ("    " + f'"""{text}"""'.replace("\n", "\n    ")).split("\n")


class _Writer:
    """Collects the classes of structs and enumerations, each once."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}
        self.names: dict[object, str] = {}

    def class_name(self, type: Type, key: object) -> str:
        """Returns the name of the class of a struct or enumeration, which differs from that of another one with the same tag."""
        stem = "".join(part[:1].upper() + part[1:] for part in (type.tag or type.kind).split("_"))
        name = identifier(stem, {*self.classes, *_reserved})
        self.names[key] = name
        self.classes[name] = ""
        return name

    def record(self, type: Type) -> str:
        key = (type.name, tuple((name, member.name, offset) for name, member, offset in type.members))
        if key in self.names:
            return self.names[key]
        name = self.class_name(type, key)
        fields = list(_fields(type))
        lines = [f"class {name}(NamedTuple):"]
        for field, (_, member) in zip(identifiers([field for field, _ in fields]), fields, strict=True):
            lines.append(f"    {field}: {self.result(member)}")
        self.classes[name] = "\n".join(lines if fields else [lines[0] + " ..."])
        return name

    def enumeration(self, type: Type) -> str:
        key = (type.name, tuple(type.enumerators.items()))
        if key in self.names:
            return self.names[key]
        name = self.class_name(type, key)
        members = zip(identifiers(type.enumerators), type.enumerators.values(), strict=True)
        self.classes[name] = "\n".join([f"class {name}(enum.IntEnum):", *(f"    {member} = {value}" for member, value in members)])
        return name

    def result(self, type: Type) -> str:
        """Returns the Python type of a result."""
        match type.kind:
            case "void":
                return "None"
            case "bool":
                return "bool"
            case "complex":
                return "complex"
            case "string" | "wide string":
                return "str | None"
            case "handle" | "reference":
                return "troupe.Reference | None"
            case "enum":
                return f"{self.enumeration(type)} | int"
            case "struct" | "union" if type.members:
                return self.record(type)
            case "array" | "sequence" if type.element is not None:
                return f"{self.elements(type.element)} | None"
            case kind if kind in _integers:
                return "int"
            case kind if kind in _floats:
                return "float"
            case "pointer" | "callback":
                return "int | None"
        return "Any"

    def elements(self, element: Type) -> str:
        """Returns the Python type of the elements of a buffer that a function returns."""
        if element.kind in ("void", "int8", "uint8"):
            return "bytes | list[int]"
        if element.kind in _arrays:
            return f"numpy.typing.NDArray[numpy.{_arrays[element.kind]}]"
        return f"_Array | list[{self.result(element)}]"

    def argument(self, type: Type) -> str:
        """Returns the Python type of an argument."""
        match type.kind:
            case "bool":
                return "bool"
            case "complex":
                return "complex"
            case "string" | "wide string":
                return "str | bytes | PathLike[str] | None"
            case "handle":
                return "troupe.Reference | None"
            case "enum":
                names = ", ".join(f'"{name}"' for name in type.enumerators)
                return f"{self.enumeration(type)} | int" + (f" | Literal[{names}]" if names else "")
            case "struct" | "union" if type.members:
                return f"{self.record(type)} | tuple[Any, ...] | Mapping[str, Any] | DataclassInstance | numpy.void"
            case "array" | "sequence":
                return "_Buffer | Sequence[Any] | str | None"
            case "callback" if type.signature is not None:
                return f"{self.callback(type.signature)} | troupe.Function | int | None"
            case kind if kind in _integers:
                return "int"
            case kind if kind in _floats:
                return "float"
        return "Any"

    def callback(self, signature: Signature) -> str:
        arguments = ", ".join(self.result(parameter.type) for parameter in signature.parameters)
        if any(parameter.passing != "value" for parameter in signature.parameters):
            arguments = ", ".join("Any" for _ in signature.parameters)
        return f"Callable[[{arguments}], {'object' if signature.result.kind == 'void' else self.argument(signature.result)}]"

    def parameter(self, parameter: Parameter) -> str:
        if parameter.passing == "buffer" and parameter.direction != "out":
            elements = "" if parameter.direction == "inout" and parameter.type.kind == "void" else " | Sequence[Any]"
            text = " | str" if parameter.direction == "in" and parameter.type.kind in ("void", "int8", "uint8") else ""
            return f"_Buffer{elements}{text} | None"
        return self.argument(parameter.type) + (" | int" if parameter.passing == "reference" and parameter.type.members else "")

    def outputs(self, function: Function, stem: str) -> str:
        """Returns the Python type of the result of a call."""
        signature = function.signature
        if all(parameter.direction == "in" for parameter in signature.parameters):
            return self.result(signature.result)
        name = identifier(f"Results_{stem}", self.classes)
        lines = [f"class {name}(NamedTuple):"]
        buffers = {parameter.name for parameter in signature.parameters if parameter.passing == "buffer"}
        outputs = signature.outputs
        for field, (output, type) in zip(identifiers(outputs), outputs.items(), strict=True):
            lines.append(f"    {field}: {self.elements(type) + ' | None' if output in buffers else self.result(type)}")
        self.classes[name] = "\n".join(lines)
        return name

    def function(self, function: Function, registration: Registration) -> str:
        """Adds the class of a function. Returns its name."""
        stem = re.sub(r"\W", "_", function.name)
        result = self.outputs(function, stem)
        parameters = [parameter for parameter in function.signature.parameters if parameter.takes_argument]
        names = identifiers([parameter.name or f"argument{index + 1}" for index, parameter in enumerate(parameters)])
        types = [self.parameter(parameter) for parameter in parameters]
        typed = [f"{name}: {type}" for name, type in zip(names, types, strict=True)]
        if function.signature.is_variadic:
            typed.append("*further: Any")
        arguments = "".join(", " + argument for argument in typed)
        call = f"    def __call__(self{arguments}) -> {result}: ..."
        name = identifier(f"Function_{stem}", self.classes)
        lines = [f"class {name}(troupe.Function):", *_documentation(registration, function.signature)]
        if function.ufunc is not None:
            columns = "".join(f", {name}: _Array | {type}" for name, type in zip(names, types, strict=True))
            lines += [
                "    @overload",
                call + "  # type: ignore[overload-overlap]",
                "    @overload",
                f"    def __call__(self{columns}, *, out: _Array | None = ..., where: Any = ...) -> _Array: ...",
                "    @property",
                "    def ufunc(self) -> numpy.ufunc: ...",
            ]
        else:
            lines.append(call)
        lines.append(f"    def call_async(self{arguments}) -> Coroutine[Any, Any, {result}]: ...")
        self.classes[name] = "\n".join(lines)
        return name


_reserved = {"Functions", "Any", "Callable", "Coroutine", "DataclassInstance", "Literal", "Mapping", "NamedTuple", "PathLike",
             "Protocol", "Sequence", "TypeAlias", "UUID"}  # fmt: skip


def write(host: Host, module: str = "plugins") -> tuple[str, list[str]]:
    """Returns the text of a stub file for the functions of a host, and a line for each function that it leaves out."""
    writer = _Writer()
    overloads: list[str] = []
    skipped: list[str] = []
    registrations = [item for item in host.registrations if item.is_function]
    names = [item.name for item in registrations]
    for item in registrations:
        try:
            function = host.function(item.uuid or item.name)
        except Error as error:
            skipped.append(str(error))
            continue
        keys = [] if names.count(item.name) > 1 else [item.name]
        keys += [str(item.uuid)] if item.uuid is not None else []
        literal = ", ".join(f'"{key}"' for key in keys)
        overloads += ["    @overload", f"    def __getitem__(self, key: Literal[{literal}], /) -> {writer.function(function, item)}: ..."]
    lines = [_heading.format(module=module), *(text + "\n" for text in writer.classes.values()), "class Functions(Protocol):"]
    if overloads:
        lines += [*overloads, "    @overload"]
    lines.append("    def __getitem__(self, key: str | UUID, /) -> troupe.Function: ...")
    lines.append("    def __contains__(self, key: object, /) -> bool: ...")
    return "\n".join(lines) + "\n", skipped
