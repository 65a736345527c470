# The conversion of a column's values to the type of a parameter, by the rules of a call with each value.

@cython.final
cdef class ArgumentLocation:
    """Where a column is, for errors: a parameter of a function, or a member of a struct in it."""

    cdef str function, name
    # True if the elements are those of one buffer, and no rows.
    cdef bint is_buffer

    @staticmethod
    cdef ArgumentLocation make(str function, str name, bint is_buffer=False):
        cdef ArgumentLocation self = ArgumentLocation.__new__(ArgumentLocation)
        self.function, self.name, self.is_buffer = function, name, is_buffer
        return self

    cdef ArgumentLocation member(self, str name):
        return ArgumentLocation.make(self.function, f"{self.name}.{name}", self.is_buffer)

    cdef str text(self):
        return f"{self.function}: {self.name}"

    cdef object error(self, object row, str problem, str remedy):
        """Returns the error of the element of a row."""
        where = f"{self.text()}: element {row}" if self.is_buffer else f"{self.function}: row {row}: {self.name}"
        subject = self.text() if self.is_buffer else self.function
        return errors.InvalidData(f"{where}: {problem}; {remedy}", subject=subject, remedy=remedy)


cdef str library_of(object value):
    """Returns whose methods a column has: those of a library, those of a list, or none but Arrow's capsules."""
    name = builtin_type(value).__module__.partition(".")[0]
    if name in ("pandas", "polars", "pyarrow"):
        return name
    return "list" if isinstance(value, (list, tuple)) else "arrow" if is_arrow_producer(value) else "numpy"


cdef object column_kind_error(str found, object value, Type type, str where, str time_cast=""):
    """Returns the error of a column whose elements are of another kind than the parameter.

    :param time_cast: the type of Arrow by which times become integers, or ""."""
    cdef object known = conversions_for(library_of(value))
    cdef str conversion = ""
    dtype = "int64" if type is None or type.dtype is None else type.dtype.name
    if time_cast:
        conversion = known.times
    elif type is None or type.members or found in ("structs", "objects", "complex64", "complex128"):
        pass
    elif type.code in (TROUPE_TYPE_STRING, TROUPE_TYPE_WIDE_STRING):
        conversion = known.text
    elif type.is_number() and dtype != "bool":
        other = known.booleans if found == "bool" else known.doubles if type.dtype.kind == "f" else None
        conversion = known.integers if other is None else other
    if conversion:
        casts = ".cast('int64')" if time_cast == "int64" else f".cast('{time_cast}').cast('int64')"
        remedy = "convert it with " + conversion.format(
            numpy=dtype, polars=dtype.capitalize().replace("Uint", "UInt"), casts=casts)
    else:
        remedy = "pass booleans, or integers that are 0 or 1" if dtype == "bool" else "pass a column of that type"
    expected = "this parameter" if type is None else type.name
    return errors.InvalidData(f"{where}: {expected} takes no column of {found}; {remedy}", subject=where, remedy=remedy)


cdef object convert_numbers(object array, object dtype):
    """Returns numbers in another type, and an array that is true for those that the type cannot hold, or None.

    The rules are those of a call: an integer is exact, a fractional number is the nearest that the type has. Returns None if numbers of
    the array's kind are no such numbers.
    """
    source, target = array.dtype, dtype
    if source.kind == target.kind and source.itemsize == target.itemsize:
        return array.astype(target, copy=False), None
    if target.kind == "b":
        if source.kind not in "iu":
            return None
        return array != 0, (array != 0) & (array != 1)
    if target.kind in "iu":
        if source.kind in "biu":
            if numpy.can_cast(source, target, "safe"):
                return array.astype(target), None
            limits = numpy.iinfo(target)
            wrong = (array < limits.min) | (array > limits.max)
        elif source.kind == "f":
            if source.itemsize < 8:
                array = array.astype(numpy.float64)
            limits = numpy.iinfo(target)
            # The limits as powers of two, which each type holds.
            least, beyond = array.dtype.type(limits.min), array.dtype.type(2) ** (limits.bits - (target.kind == "i"))
            with numpy.errstate(all="ignore"):
                wrong = ~((array >= least) & (array < beyond) & (numpy.trunc(array) == array))
        else:
            return None
        with numpy.errstate(all="ignore"):
            return numpy.where(wrong, array.dtype.type(0), array).astype(target), wrong
    if target.kind == "c":
        if source.kind != "c":
            outcome = convert_numbers(array, numpy.empty(0, target).real.dtype)
            return None if outcome is None else (outcome[0].astype(target), outcome[1])
        with numpy.errstate(all="ignore"):
            converted = array.astype(target)
        return converted, ~numpy.isfinite(converted) & numpy.isfinite(array) if target.itemsize < source.itemsize else None
    if target.kind != "f" or source.kind not in "iuf":
        return None
    with numpy.errstate(all="ignore"):
        converted = array.astype(target)
    if source.kind == "f":
        if target.itemsize >= source.itemsize:
            return converted, None
        wrong = ~numpy.isfinite(converted) & numpy.isfinite(array)
        # Only a long double holds integers that Python's numbers do not.
        return converted, wrong | (numpy.trunc(array) == array) & (converted != array) if source.itemsize > 8 else wrong
    digits = numpy.finfo(target).nmant + 1
    if 8 * source.itemsize - (source.kind == "i") <= digits:
        return converted, None
    # A number is exact if the digits between its highest and its lowest bit fit.
    size = numpy.abs(array.astype(numpy.int64)).astype(numpy.uint64) if source.kind == "i" else array.astype(numpy.uint64)
    lowest = size & (~size + numpy.uint64(1))
    return converted, size // numpy.maximum(lowest, numpy.uint64(1)) >= numpy.uint64(2) ** numpy.uint64(digits)


cdef str number_range(Type type):
    """Returns what a user gives for a type of numbers, as the library says it."""
    dtype = type.dtype
    if dtype.kind == "b":
        return "give true or false"
    if dtype.kind in "iu":
        return f"give an integer from {numpy.iinfo(dtype).min} to {numpy.iinfo(dtype).max}"
    return "give a number that it holds"


cdef object first_row(object wrong):
    """Returns the index of the first true element: a number, or a tuple in an array of several dimensions."""
    index = numpy.unravel_index(numpy.argmax(wrong), wrong.shape)
    return int(index[0]) if len(index) == 1 else tuple(map(int, index))


cdef bint convert_column(Column column, Type type, ArgumentLocation location, object value, bint fails_as_null) except -1:
    """Converts a column to the type of a parameter whose elements NumPy holds.

    Returns false if the elements are objects, which calls of single rows convert. Rows whose value the type cannot hold raise
    `InvalidData`, or become null. Values below a null are not examined.
    """
    cdef bint is_enumeration = type.code == TROUPE_TYPE_ENUM
    if is_enumeration:
        type = type.element
    if type.members:
        return convert_struct(column, type, location, value, fails_as_null)
    if column.fields is not None:
        raise column_kind_error("structs", value, type, location.text())
    if column.scale > 0:
        convert_decimals(column, type)
    if column.array.dtype == object and not unbox_objects(column, type.dtype):
        nulls = column.nulls()
        items = (column.array if nulls is None else column.array[~nulls]).reshape(-1).tolist()
        if items and location.is_buffer and all([isinstance(item, (str, bytes)) for item in items]):
            remedy = f"declare {location.name} as const char * in the adopting file for a column of texts"
            raise errors.InvalidData(
                f"{location.text()}: takes one buffer for all rows, and no column of texts; {remedy}", subject=location.text(), remedy=remedy)
        if all([isinstance(item, (str, bytes)) for item in items]) and not is_enumeration:
            raise column_kind_error("text", value, type, location.text())
        return False
    if not is_convertible(column.array.dtype, type):
        raise column_dtype_error(column.array.dtype, value, type, location.text())
    if column.array.dtype == type.dtype:
        return True
    outcome = convert_numbers(column.array, type.dtype)
    if outcome is None:
        raise column_dtype_error(column.array.dtype, value, type, location.text())
    array, wrong = column.array, outcome[1]
    if wrong is not None and wrong.any():
        nulls = column.nulls()
        wrong = wrong if nulls is None else wrong & ~nulls
        if wrong.any():
            if not fails_as_null:
                row = first_row(wrong)
                number = array[row].item() if array.dtype != numpy.longdouble else str(array[row])
                exactly = " exactly" if type.dtype.kind in "fc" and array.dtype.kind in "iu" else ""
                remedy = number_range(type)
                if array.dtype.kind == "f" and array[row] != array[row] and type.dtype.kind in "iu":
                    remedy += f", or a null: {conversions_for(library_of(value)).nulls}"
                raise location.error(row, f"{type.name} cannot hold {number}{exactly}", remedy)
            column.mask = wrong if nulls is None else wrong | nulls
            column.validity = NULL
    column.array = outcome[0]
    return True


cdef int convert_decimals(Column column, Type type) except -1:
    """Turns decimals into numbers of NumPy if these are exact or the nearest, and else into objects."""
    numbers, nulls = column.array, column.nulls()
    if nulls is not None:
        numbers = numpy.where(nulls, 0, numbers)
    # A Python integer: the power of C integers is a double.
    unit = 10 ** <object>column.scale
    if type.dtype.kind in "iu" and column.scale <= 18 and (numbers % unit == 0).all():
        column.array, column.scale = numbers // unit, 0
    elif type.dtype == numpy.float64 and column.scale <= 22 and (numpy.abs(numbers) <= 2 ** 53).all():
        # The quotient of two numbers that a double holds is the nearest to the decimal.
        column.array, column.scale = numbers / float(unit), 0
    else:
        column.with_objects()
    return 0


cdef bint is_convertible(object dtype, Type type):
    """True if elements of a NumPy type are what a type of C takes."""
    if type.dtype.kind in "biufc":
        return dtype.kind in "biufc"
    return dtype == type.dtype


cdef object column_dtype_error(object dtype, object value, Type type, str where):
    """Returns the error of a column of a NumPy type of another kind than the parameter."""
    kinds = {"U": "text", "T": "text", "S": "bytes", "O": "objects", "V": "structs", "M": "timestamps", "m": "durations"}
    # Arrow has dates for days.
    cast = "" if dtype.kind not in "mM" else "timestamp[ms]" if dtype == numpy.dtype("M8[D]") else "int64"
    name = str(dtype) if dtype.kind == "V" and not dtype.names else kinds.get(dtype.kind, str(dtype))
    return column_kind_error(name, value, type, where, cast)


cdef bint unbox_objects(Column column, object dtype):
    """Turns a column of objects into numbers of NumPy if they are all of one kind. Returns false if they are not."""
    nulls = column.nulls()
    items = (column.array if nulls is None else column.array[~nulls]).reshape(-1).tolist()
    if not items:
        column.array = numpy.zeros(column.array.shape, dtype)
        return True
    values = exact_array(items, set(map(builtin_type, items)))
    if values is None:
        return False
    if nulls is None:
        column.array = values.reshape(column.array.shape)
    else:
        array = numpy.zeros(column.array.shape, values.dtype)
        array[~nulls] = values
        column.array = array
    return True


cdef bint convert_struct(Column column, Type type, ArgumentLocation location, object value, bint fails_as_null) except -1:
    """Converts a column of structs, whose members go by name."""
    if column.fields is None:
        if column.array.dtype == object:
            return False
        if column.array.dtype == type.dtype:
            return True
        if not column.array.dtype.names:
            raise column_dtype_error(column.array.dtype, value, type, location.text())
    names = list(column.fields) if column.fields is not None else list(column.array.dtype.names)
    members = {name: member for name, member, _ in type.members}
    if set(names) != set(members):
        remedy = f"pass the fields {', '.join(members)}"
        where = location.text()
        raise errors.InvalidData(
            f"{where}: {type.name} has the members {', '.join(members)}, and the column has {', '.join(names) or 'none'}; {remedy}",
            subject=where, remedy=remedy)
    if type.dtype is None:
        return False
    nulls = column.nulls()
    structs = numpy.zeros(column.shape(), type.dtype)
    for name, member in members.items():
        field = column.fields[name] if column.fields is not None else Column.make(column.array[name])
        if not convert_member(field, member, location.member(name), nulls, value, fails_as_null):
            return False
        structs[name] = (<Column>field).array
        missing = (<Column>field).nulls()
        if missing is None:
            continue
        # A member has no null of its own.
        wrong = missing if nulls is None else missing & ~nulls
        if wrong.any():
            if not fails_as_null:
                raise location.member(name).error(
                    first_row(wrong), f"expected {member.name}, got null", "pass a value, or make the struct itself null")
            nulls = missing if nulls is None else nulls | missing
    column.mask, column.validity = nulls, NULL
    column.array, column.fields = structs, None
    return True


cdef bint convert_member(Column field, Type member, ArgumentLocation location, object nulls, object value, bint fails_as_null) except -1:
    """Converts the values of a member. Returns false if they are objects."""
    if member.code == TROUPE_TYPE_ARRAY:
        return convert_array(field, member, location, value)
    if nulls is not None:
        # The members of a null struct are not examined.
        own = field.nulls()
        field.mask, field.validity = nulls if own is None else own | nulls, NULL
    return convert_column(field, member, location, value, fails_as_null)


cdef bint convert_array(Column field, Type member, ArgumentLocation location, object value) except -1:
    """Converts the arrays of a member, such as `int16_t sizes[3]`. Returns false if they are objects."""
    cdef Column elements
    if field.fields is not None or field.array.dtype == object:
        return False
    if member.is_text():
        return field.array.dtype.kind == "S" and field.array.dtype.itemsize <= member.count
    if field.array.shape[1:] != member.dtype.shape:
        return False
    elements = Column.make(field.array.reshape(-1))
    if not convert_column(elements, member.element, location, value, False):
        return False
    field.array = elements.array.reshape(field.array.shape)
    return True
