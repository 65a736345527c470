# Arguments: a Python value becomes a troupe_call_value, and `kept` retains the memory behind it until the call returns.

cdef inline void set_kind(troupe_call_value *slot, troupe_value_kind kind) noexcept:
    slot.kind = kind
    slot.count = 0
    slot.name = NULL


cdef object conversion_error(object value, Type type, str where, str problem=None):
    expected = "an argument" if type is None else type.name
    remedy = "pass another value"
    if hasattr(value, "__array__") or hasattr(value, "__arrow_c_array__") or hasattr(value, "__arrow_c_stream__"):
        remedy = "pass a column to map, or a NumPy array as a buffer"
    if problem is None:
        problem = f"a value of type {builtin_type(value).__name__} cannot be passed as {expected}"
    return errors.InvalidData(f"{where}: {problem}; {remedy}", subject=where, remedy=remedy)


builtin_type = type


cdef int fill_text(troupe_call_value *slot, str value, list kept) except -1:
    cdef Py_ssize_t size
    cdef const char *text
    try:
        text = PyUnicode_AsUTF8AndSize(value, &size)
    except UnicodeEncodeError:
        encoded = text_bytes(value)
        kept.append(encoded)
        text = PyBytes_AS_STRING(encoded)
        size = PyBytes_GET_SIZE(encoded)
    if strlen(text) != <size_t>size:
        text_bytes(value)
    set_kind(slot, TROUPE_VALUE_STRING)
    slot.content.string = text
    slot.count = size
    kept.append(value)
    return 0


cdef int fill_integer(troupe_call_value *slot, object value, Type type, str where) except -1:
    try:
        if value >= 0 and value > 0x7FFFFFFFFFFFFFFF:
            slot.content.uint64 = value
            set_kind(slot, TROUPE_VALUE_UINT64)
        else:
            slot.content.int64 = value
            set_kind(slot, TROUPE_VALUE_INT64)
    except OverflowError:
        if type is not None and type.code in (TROUPE_TYPE_FLOAT, TROUPE_TYPE_DOUBLE, TROUPE_TYPE_LONG_DOUBLE):
            try:
                if int(float(value)) == value:
                    slot.content.float64 = float(value)
                    set_kind(slot, TROUPE_VALUE_DOUBLE)
                    return 0
            except OverflowError:
                pass
        raise errors.InvalidData(
            f"{where}: {value} is out of the range of {'64 bits' if type is None else type.name}; pass a smaller number",
            subject=where, remedy="pass a smaller number") from None
    return 0


cdef int fill_number(troupe_call_value *slot, object value, Type type, str where) except -1:
    """Passes a number of another class, such as a decimal: an integer exactly, and a fraction as the nearest that the type has."""
    try:
        number = float(value)
        # A decimal beyond the range of a double becomes infinite.
        integer = int(value) if numpy.isfinite(number) or number != value and number == number else None
    except OverflowError:
        number, integer = numpy.inf, int(value)
    except (TypeError, ValueError):
        # A Series of pandas 2 has the method, which refuses several elements, and so does a signaling NaN.
        raise conversion_error(value, type, where) from None
    if integer is not None and integer == value:
        return fill_integer(slot, integer, type, where)
    if type is not None and (TROUPE_TYPE_BOOL <= type.code <= TROUPE_TYPE_UINT64 or type.code == TROUPE_TYPE_ENUM):
        remedy = "pass an integer in its range"
        raise errors.InvalidData(f"{where}: {type.name} cannot hold {value}; {remedy}", subject=where, remedy=remedy)
    if type is not None and type.code == TROUPE_TYPE_FLOAT and numpy.isfinite(number):
        number = nearest_float(value, number)
    if numpy.isinf(number) and number != value:
        remedy = "pass a smaller number"
        raise errors.InvalidData(f"{where}: {value} is out of the range of a double; {remedy}", subject=where, remedy=remedy)
    slot.content.float64 = number
    set_kind(slot, TROUPE_VALUE_DOUBLE)
    return 0


cdef object nearest_float(object value, object number):
    """Returns the number of single precision that is nearest to a value, of which `number` is the nearest double."""
    with numpy.errstate(over="ignore"):
        middle = numpy.float32(number)
    if not numpy.isfinite(middle) or isinstance(value, numpy.floating):
        return number
    candidates = [numpy.nextafter(middle, numpy.float32(end)) for end in (-numpy.inf, numpy.inf)]
    exact = fractions.Fraction(value)
    # The middle wins a tie, since it is the even one.
    return float(min([middle] + candidates, key=lambda item: abs(fractions.Fraction(float(item)) - exact)))


cdef int fill_address(troupe_call_value *slot, object address) except -1:
    slot.content.pointer = <void *><uintptr_t>address
    set_kind(slot, TROUPE_VALUE_POINTER)
    return 0


cdef int fill_values(
    troupe_call_value *slot, object elements, Type element, troupe_value_kind kind, list kept, str where
) except -1:
    """Passes the elements of a sequence, which all have one type."""
    count = len(elements)
    cdef Block memory = Block.allocate(count, sizeof(troupe_call_value))
    cdef troupe_call_value *values = <troupe_call_value *>memory.start
    kept.append(memory)
    kept.append(elements)
    for index, value in enumerate(elements):
        fill(&values[index], element, value, kept, where)
    set_kind(slot, kind)
    slot.content.values = values
    slot.count = count
    return 0


cdef int fill_members(troupe_call_value *slot, object members, Type type, list kept, str where) except -1:
    """Passes the pairs of names and values of a struct."""
    cdef Block memory = Block.allocate(len(members), sizeof(troupe_call_value))
    cdef troupe_call_value *values = <troupe_call_value *>memory.start
    kept.append(memory)
    for index, (name, value) in enumerate(members):
        if type is not None and type.members and type.member(name) is None:
            names = [known for known, _ in type.fields()]
            remedy = did_you_mean(name, names, f"give {', '.join(names)}")
            raise errors.InvalidData(f'{where}: {type.name} has no member "{name}"; {remedy}', subject=where, remedy=remedy)
        encoded = text_bytes(name)
        kept.append(encoded)
        fill(&values[index], None if type is None else type.member(name), value, kept, where)
        values[index].name = PyBytes_AS_STRING(encoded)
    set_kind(slot, TROUPE_VALUE_STRUCT)
    slot.content.values = values
    slot.count = len(members)
    return 0


cdef int fill_memory(troupe_call_value *slot, np.ndarray array, Py_ssize_t count, list kept) except -1:
    set_kind(slot, TROUPE_VALUE_MEMORY)
    slot.content.memory = np.PyArray_DATA(array)
    slot.count = count
    kept.append(array)
    return 0


cdef bint is_buffer(object value):
    return isinstance(value, (bytes, bytearray, memoryview, numpy.ndarray)) or hasattr(builtin_type(value), "__buffer__") or (
        not isinstance(value, (numpy.generic, str)) and PyObject_CheckBuffer(value))


cdef bint is_bytes(object value):
    """True if a buffer is bytes, which are text or the content of a file, and no numbers."""
    if isinstance(value, memoryview):
        return value.itemsize == 1 and isinstance(value.obj, (bytes, bytearray))
    return isinstance(value, (bytes, bytearray))


cdef extern from "Python.h":
    bint PyObject_CheckBuffer(object value)


cdef object null_error(str where):
    return errors.InvalidData(
        f"{where}: the buffer contains nulls; pass elements without nulls", subject=where, remedy="pass elements without nulls")


cdef object check_unmasked(object value, str where):
    """Refuses an array with masked elements for a buffer, which has no nulls."""
    if isinstance(value, numpy.ma.MaskedArray) and numpy.ma.is_masked(value):
        raise null_error(where)


cdef object buffer_array(Column column, Type element, object value, str where):
    """Returns the elements of a buffer as an array of their type."""
    function, _, name = where.partition(": ")
    if not convert_column(column, element, ArgumentLocation.make(function, name, True), value, False):
        raise column_dtype_error(column.array.dtype, value, element, where)
    if column.mask is not None:
        raise null_error(where)
    return column.array


cdef int fill_buffer(troupe_call_value *slot, Type element, object value, bint is_written, list kept, str where) except -1:
    """Passes the memory of a buffer, or the elements of another sequence."""
    if isinstance(value, str) and element.is_byte() and not is_written:
        encoded = value.encode("utf-8", "surrogateescape")
        set_kind(slot, TROUPE_VALUE_MEMORY)
        slot.content.memory = PyBytes_AS_STRING(encoded)
        slot.count = PyBytes_GET_SIZE(encoded)
        kept.append(encoded)
        return 0
    if isinstance(value, bytes) and element.is_byte() and not is_written:
        set_kind(slot, TROUPE_VALUE_MEMORY)
        slot.content.memory = PyBytes_AS_STRING(value)
        slot.count = PyBytes_GET_SIZE(value)
        kept.append(value)
        return 0
    if value is None or isinstance(value, (str, dict)) or not is_buffer(value):
        if isinstance(value, (list, tuple)) and element.dtype is not None and not is_written and not element.members:
            value = buffer_array(read_list(value, element, where), element, value, where)
        elif isinstance(value, (list, tuple, range)):
            return fill_values(slot, value, element, TROUPE_VALUE_ARRAY, kept, where)
        else:
            return fill(slot, element, value, kept, where)
    if is_bytes(value) and not element.is_byte() and not element.is_raw():
        raise conversion_error(value, element, where)
    check_unmasked(value, where)
    array = value if isinstance(value, numpy.ndarray) else numpy.asarray(memoryview(value))
    if is_written and not array.flags.writeable:
        raise errors.InvalidData(
            f"{where}: the function writes to the buffer, which is read-only; pass a writable one", subject=where,
            remedy="pass a writable one")
    if element.is_raw():
        count = array.nbytes
    else:
        fits = array.dtype.itemsize == 1 if element.is_byte() else array.dtype == element.dtype
        if not fits and element.dtype is not None and not is_written:
            array = buffer_array(read_array(array), element, value, where)
        elif not fits:
            raise errors.InvalidData(
                f"{where}: the elements of the buffer are {array.dtype}, not {element.name}; pass a buffer of that type",
                subject=where, remedy="pass a buffer of that type")
        count = array.size
    if not array.flags.c_contiguous:
        if is_written:
            raise errors.InvalidData(
                f"{where}: the elements of the buffer are not contiguous; pass a contiguous buffer", subject=where,
                remedy="pass a contiguous buffer")
        array = numpy.ascontiguousarray(array)
    return fill_memory(slot, array, count, kept)


cdef int fill(troupe_call_value *slot, Type type, object value, list kept, str where) except -1:
    """Stores a Python value as a C value. `kept` keeps its memory until the end of the call."""
    cdef troupe_type_kind code = TROUPE_TYPE_VOID if type is None else type.code
    if type is not None and type.is_pointer() and not (value is None or isinstance(value, (int, Reference))):
        return fill_pointer(slot, type, value, kept, where)
    if isinstance(value, numpy.void):
        if type is not None and type.members and value.dtype == type.dtype:
            return fill_memory(slot, numpy.asarray(value), 1, kept)
        # A dictionary, so that members go by name.
        value = value.item() if value.dtype.names is None else {name: value[name] for name in value.dtype.names}
    elif isinstance(value, (numpy.datetime64, numpy.timedelta64)):
        raise conversion_error(value, type, where)
    elif isinstance(value, numpy.generic) and not isinstance(value, (float, complex, str, bytes)):
        if not isinstance(value, numpy.longdouble):
            value = value.item()
    elif isinstance(value, numpy.ndarray) and value.ndim == 0:
        is_null = isinstance(value, numpy.ma.MaskedArray) and numpy.ma.getmaskarray(value)[()]
        return fill(slot, type, None if is_null else numpy.ma.getdata(value)[()], kept, where)
    if value is None:
        set_kind(slot, TROUPE_VALUE_POINTER)
        slot.content.pointer = NULL
    elif isinstance(value, bool):
        set_kind(slot, TROUPE_VALUE_BOOL)
        slot.content.int64 = 1 if value else 0
    elif isinstance(value, int):
        if code == TROUPE_TYPE_CALLBACK or type is not None and type.is_pointer():
            return fill_address(slot, value)
        return fill_integer(slot, value, type, where)
    elif isinstance(value, float):
        set_kind(slot, TROUPE_VALUE_DOUBLE)
        slot.content.float64 = value
    elif isinstance(value, str):
        # The library takes "nan" and "inf" for numbers, as JSON writes them.
        if type is not None and type.is_number() and code != TROUPE_TYPE_ENUM:
            raise conversion_error(value, type, where)
        # Without the class, such as that of an enumeration.
        return fill_text(slot, str.__str__(value), kept)
    elif isinstance(value, Reference):
        if code in (TROUPE_TYPE_STRUCT, TROUPE_TYPE_UNION):
            return fill_record(slot, type, value[""], kept, where)
        return (<Reference>value).fill(slot, kept)
    elif code == TROUPE_TYPE_CALLBACK and callable(value):
        return fill_callback(slot, type, value, kept)
    elif isinstance(value, complex):
        return fill_values(slot, (value.real, value.imag), None, TROUPE_VALUE_ARRAY, kept, where)
    elif code in (TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING):
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "surrogateescape")
        if not isinstance(value, str):
            raise conversion_error(value, type, where)
        return fill_text(slot, value, kept)
    elif code in (TROUPE_TYPE_STRUCT, TROUPE_TYPE_UNION):
        return fill_record(slot, type, value, kept, where)
    elif isinstance(value, (list, tuple, range)):
        return fill_values(slot, value, None if type is None else type.element, TROUPE_VALUE_ARRAY, kept, where)
    elif is_buffer(value):
        if type is not None and type.is_number():
            raise conversion_error(value, type, where)
        element = type if type is None or type.element is None else type.element
        return fill_buffer(slot, byte_type if element is None else element, value, False, kept, where)
    elif hasattr(builtin_type(value), "__index__"):
        return fill_integer(slot, value.__index__(), type, where)
    elif hasattr(builtin_type(value), "__float__"):
        return fill_number(slot, value, type, where)
    else:
        raise conversion_error(value, type, where)
    return 0


cdef int fill_pointer(troupe_call_value *slot, Type type, object value, list kept, str where) except -1:
    """Passes what a pointer leads to: a buffer in place, or values, for which the call allocates memory."""
    cdef Type element = type.element
    cdef bint is_bytes = type.code == TROUPE_TYPE_POINTER and (element is None or element.is_byte())
    if isinstance(value, numpy.integer):
        return fill_address(slot, int(value))
    if isinstance(value, str):
        if not is_bytes:
            raise conversion_error(value, type, where)
        if not type.is_constant:
            remedy = "pass a bytearray or troupe.Memory"
            raise errors.InvalidData(f"{where}: the function may write to {type.name}, but a str is constant; {remedy}", subject=where, remedy=remedy)
        return fill_text(slot, str.__str__(value), kept)
    if isinstance(value, dict) and list(value) == ["bytes"] and (element is None or element.member("bytes") is None):
        return fill_members(slot, list(value.items()), None, kept, where)
    if type.code == TROUPE_TYPE_REFERENCE:
        if isinstance(value, list) and value and all([is_struct_literal(item) for item in value]):
            return fill_values(slot, value, element, TROUPE_VALUE_ARRAY, kept, where)
        if not is_buffer(value):
            if isinstance(value, numpy.void) and (not type.is_constant or value.dtype != element.dtype):
                value = value.item() if value.dtype.names is None else {name: value[name] for name in value.dtype.names}
            return fill(slot, element, value, kept, where)
    elif isinstance(value, (list, tuple, range)) and element is not None:
        # C declares texts that it does not change as `char **`, too.
        is_text = element.code == TROUPE_TYPE_POINTER and element.element is not None and element.element.is_char()
        return fill_values(slot, value, None if is_text else element, TROUPE_VALUE_ARRAY, kept, where)
    elif not is_buffer(value):
        if hasattr(builtin_type(value), "__index__"):
            return fill_address(slot, value.__index__())
        raise conversion_error(value, type, where)
    return fill_target(slot, type, value, kept, where)


cdef bint is_struct_literal(object value):
    return isinstance(value, (dict, tuple, numpy.void)) or dataclasses.is_dataclass(value)


cdef int fill_target(troupe_call_value *slot, Type type, object value, list kept, str where) except -1:
    """Passes the memory of a buffer, which C reads as the target of a pointer."""
    cdef Type element = type.element
    check_unmasked(value, where)
    array = value if isinstance(value, numpy.ndarray) else numpy.asarray(memoryview(value))
    expected = None if element is None else element.dtype
    problem = remedy = None
    if type.code == TROUPE_TYPE_HANDLE or element is not None and expected is None and not element.is_raw():
        raise conversion_error(value, type, where)
    if element is not None and not element.is_raw() and not (
            array.dtype.itemsize == 1 if element.is_byte() else array.dtype == expected):
        problem = f"expected elements of {element.name}, which are {expected} in NumPy, got {array.dtype}"
        remedy = "pass an array of that dtype"
    elif not array.flags.c_contiguous:
        problem = f"expected contiguous elements, got strides of {array.strides} bytes for elements of {array.itemsize}"
        remedy = "pass numpy.ascontiguousarray of it"
    elif not type.is_constant and not array.flags.writeable:
        problem, remedy = f"the function may write to {type.name}, but the buffer is read-only", "pass a writable buffer"
    if problem is not None:
        raise errors.InvalidData(f"{where}: {problem}; {remedy}", subject=where, remedy=remedy)
    if array.size == 0:
        kept.append(array)
        return fill_address(slot, array.ctypes.data)
    return fill_memory(slot, array, array.size, kept)


cdef int fill_record(troupe_call_value *slot, Type type, object value, list kept, str where) except -1:
    """Stores a struct or union: a dictionary, a tuple, an instance of a dataclass, or another object with the members as
    attributes."""
    names = getattr(builtin_type(value), "_names", None)
    if isinstance(value, dict):
        return fill_members(slot, list(value.items()), type, kept, where)
    if names is not None and isinstance(value, tuple):
        return fill_members(slot, list(zip(names, value)), type, kept, where)
    if isinstance(value, (list, tuple)):
        types = type.members
        if len(types) != len(value):
            raise errors.InvalidData(
                f"{where}: {type.name} has {len(types)} members, but {len(value)} values were passed; pass one value for each",
                subject=where, remedy="pass one value for each")
        if type.code == TROUPE_TYPE_STRUCT and all(name for name, _, _ in types):
            return fill_members(slot, [(name, item) for (name, _, _), item in zip(types, value)], type, kept, where)
        return fill_values(slot, value, None, TROUPE_VALUE_ARRAY, kept, where)
    if dataclasses.is_dataclass(value):
        return fill_members(
            slot, [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)], type, kept, where)
    members = [(name, getattr(value, name)) for name, _ in type.fields() if hasattr(value, name)]
    if not members:
        raise conversion_error(value, type, where)
    return fill_members(slot, members, type, kept, where)


cdef Type byte_type = Type.__new__(Type)
byte_type.code = TROUPE_TYPE_UINT8
byte_type.kind = "uint8"
byte_type.name = "uint8_t"
byte_type.size = byte_type.alignment = 1
byte_type.members = ()
byte_type.enumerators = {}
