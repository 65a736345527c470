"""Calls functions of C libraries with ctypes: the rows of system-libraries.txt with numbers, texts and buffers that the function reads.

The arguments are the path of that file and the names of libraries. Prints a JSON array of {library, function, type, arguments, result}, with
the arguments and the result as text.
"""
import ctypes
import json
import re
import sys

TYPES = {
    "void": None, "float": ctypes.c_float, "double": ctypes.c_double, "long double": ctypes.c_longdouble, "int": ctypes.c_int,
    "long": ctypes.c_long, "long long": ctypes.c_longlong, "unsigned int": ctypes.c_uint, "unsigned long": ctypes.c_ulong,
    "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "uint32_t": ctypes.c_uint32, "uint16_t": ctypes.c_uint16,
    "int32_t": ctypes.c_int32, "unsigned char": ctypes.c_ubyte, "const char *": ctypes.c_char_p,
}


def kind(text):
    """The type of a parameter or result; KeyError for another one."""
    return TYPES[re.sub(r"(?<=[\s*])\w+$", "", text.strip()).strip() if text.strip() not in TYPES else text.strip()]


def rows(path, libraries):
    """The functions with their types and arguments, as the file's first comment describes them."""
    library = signature = arguments = None
    for line in open(path, encoding="utf-8"):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            library = re.split(r"[:|]", line)[0].strip()
        elif not line.startswith("    "):
            signature, _, arguments = line.strip().partition("=>")
        elif library in libraries and "$" not in arguments:
            for function in line.split():
                yield library, function, signature, json.loads(f"[{arguments}]")


def call(library, function, signature, arguments):
    """Calls a function. Returns its type, arguments and result, or None for a signature with other types."""
    match = re.fullmatch(r"([\w ]+|const char \*)\((.*)\)", signature.replace(" (", "(").strip())
    try:
        result = kind(match[1])
        parameters = [] if match[2] == "void" else match[2].split(",")
        buffers = {length: at for at, text in enumerate(parameters) for length in re.findall(r"\[(\w+)\]", text)}
        types, values, given = [], [], iter(arguments)
        for text in parameters:
            name = text.split()[-1]
            if "[" in text:
                if not re.fullmatch(r"\s*const (void|char) \w+\[[a-z]+\]", text):
                    return None
                value = next(given)
                types.append(ctypes.c_char_p)
                values.append(value.encode() if isinstance(value, str) else bytes(value))
            elif name in buffers:
                types.append(kind(text))
                values.append(None)
            else:
                types.append(kind(text))
                value = next(given)
                is_real = types[-1] in (ctypes.c_float, ctypes.c_double, ctypes.c_longdouble)
                values.append(value.encode() if types[-1] == ctypes.c_char_p else float(value) if is_real else value)
        for index, text in enumerate(parameters):
            if values[index] is None:
                values[index] = len(values[buffers[text.split()[-1]]])
    except (KeyError, TypeError):
        return None
    code = getattr(ctypes.CDLL(library), function)
    code.restype, code.argtypes = result, types
    value = code(*values)
    texts = [argument if isinstance(argument, str) else json.dumps(argument) for argument in arguments]
    return {"type": match[1].strip(), "arguments": texts, "result": value.decode() if isinstance(value, bytes) else str(value)}


calls = []
for library, function, signature, arguments in rows(sys.argv[1], sys.argv[2:]):
    outcome = call(library, function, signature, arguments)
    if outcome:
        calls.append({"library": library, "function": function, **outcome})
print(json.dumps(calls))
