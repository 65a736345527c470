"""Prints the elements of a document, with handlers that the program holds."""

import ctypes
import sys

import troupe


def start(user: int | None, name: str, attributes: int) -> None:
    # A list of pointers that ends with null.
    texts = ctypes.cast(attributes, ctypes.POINTER(ctypes.c_char_p))
    pairs = []
    while texts[2 * len(pairs)]:
        pairs.append(tuple(texts[2 * len(pairs) + index].decode() for index in (0, 1)))
    print("begin", name, *(f"{name}={value}" for name, value in pairs))


def end(user: int | None, name: str) -> None:
    print("end", name)


def characters(user: int | None, text: int, length: int) -> None:
    print("text", ctypes.string_at(text, length).decode())


with troupe.Host(sys.argv[1]) as host:
    functions = host.functions
    text = '<list kind="short" size="2"><item>one</item><item>zwölf</item></list>'
    parser = functions["XML_ParserCreate"](None)
    set_elements = functions["XML_SetElementHandler"]
    handlers = [
        troupe.Callback(parameter, function)
        for parameter, function in zip(set_elements.signature.parameters[1:], (start, end), strict=True)
    ]
    set_elements(parser, *handlers)
    set_characters = functions["XML_SetCharacterDataHandler"]
    handlers.append(troupe.Callback(set_characters, characters))
    set_characters(parser, handlers[-1])
    print(functions["XML_Parse"](parser, text, len(text.encode()), 1))
    print(functions["XML_GetCurrentByteIndex"](parser))
    functions["XML_ParserFree"](parser)
