# Results: a troupe_call_value becomes a Python value of the type that the signature gives.

cdef object enumerator(Type type, object value):
    """Returns a named value as a member of its enumeration, and any other as an integer."""
    try:
        return type.enumeration[value] if isinstance(value, str) else type.enumeration(value)
    except (KeyError, ValueError):
        return value


cdef object from_memory(const troupe_call_value *value, Type type):
    """Copies the elements of a buffer: bytes as bytes, numbers and structs as an array."""
    cdef Type element = type
    if type is not None and type.code in (TROUPE_TYPE_SEQUENCE, TROUPE_TYPE_ARRAY, TROUPE_TYPE_POINTER):
        element = type.element
    if element is not None and element.code == TROUPE_TYPE_LONG_DOUBLE and value.count == 1 and element is type:
        return <double>(<long double *>value.content.memory)[0]
    if element is None or element.is_byte() or element.dtype is None:
        return PyBytes_FromStringAndSize(<char *>value.content.memory, value.count)
    array = numpy.empty(value.count, element.dtype)
    if value.count > 0:
        memcpy(np.PyArray_DATA(array), value.content.memory, value.count * <size_t>array.itemsize)
    return array


cdef object from_record(const troupe_call_value *value, object record, object types):
    """Returns the members of a struct, or the outputs of a function, as a named tuple."""
    names = record._names
    items = {}
    for index in range(value.count):
        name = text_or_none(value.content.values[index].name)
        items[name] = from_value(&value.content.values[index], types.get(name))
    return record._make([items.get(name) for name in names])


cdef object from_value(const troupe_call_value *value, Type type):
    """Returns a result of C as a Python value. An object becomes a `Reference`, which takes it out of the result."""
    cdef troupe_value_kind kind = value.kind
    cdef troupe_type_kind code = TROUPE_TYPE_VOID if type is None else type.code
    if kind == TROUPE_VALUE_DOUBLE:
        return value.content.float64
    if kind == TROUPE_VALUE_INT64:
        if code == TROUPE_TYPE_ENUM:
            return enumerator(type, value.content.int64)
        return value.content.int64 != 0 if code == TROUPE_TYPE_BOOL else value.content.int64
    if kind == TROUPE_VALUE_UINT64:
        return enumerator(type, value.content.uint64) if code == TROUPE_TYPE_ENUM else value.content.uint64
    if kind == TROUPE_VALUE_BOOL:
        return value.content.int64 != 0
    if kind == TROUPE_VALUE_STRING:
        if value.content.string == NULL:
            return None
        text = PyUnicode_DecodeUTF8(value.content.string, value.count or strlen(value.content.string), "surrogateescape")
        return enumerator(type, text) if code == TROUPE_TYPE_ENUM else text
    if kind == TROUPE_VALUE_POINTER:
        return None if value.content.pointer == NULL else <uintptr_t>value.content.pointer
    if kind == TROUPE_VALUE_MEMORY:
        return from_memory(value, type)
    if kind == TROUPE_VALUE_ARRAY:
        element = None if type is None else type if type.element is None else type.element
        items = [from_value(&value.content.values[index], element) for index in range(value.count)]
        return complex(*items) if code == TROUPE_TYPE_COMPLEX else items
    if kind == TROUPE_VALUE_STRUCT:
        if type is not None and type.code == TROUPE_TYPE_REFERENCE:
            type = type.element
        if type is None or type.record is None:
            names = [text_or_none(value.content.values[index].name) for index in range(value.count)]
            return from_record(value, record_class("record", tuple(names)), {})
        return from_record(value, type.record, type.member_types())
    if kind in (TROUPE_VALUE_OBJECT, TROUPE_VALUE_REFERENCE):
        return Reference.take(<troupe_call_value *>value)
    return None
