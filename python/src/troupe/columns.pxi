# Columns: what the arguments of a call over rows become.
#
# A column of any library is read once, into numbers as a NumPy array, fields of a struct by name, or objects of Python, each with its
# nulls apart from its values:
#
#     numpy.array([1.5, 2])              array [1.5, 2.0]
#     pyarrow.array([1, None])           array [1, ?]            validity 0b01: the memory of pyarrow
#     pandas.Series(["a", nan])          array ["a", ?] objects  mask [False, True]
#     polars.DataFrame({"x": [1.0]})     fields {"x": array [1.0]}
#
# Numbers are then converted to the type of the parameter by value, as a call of the function with each element converts it.


@cython.final
cdef class Column:
    """The values of one argument, and its nulls: a bitmap of Arrow in place, or a mask.

    `convert_column` converts the values in place. A column belongs to one call, on one thread.
    """

    # Exactly one of both is set: the values, which are anything where the column is null, or the members of structs.
    cdef object array
    cdef dict fields
    # True for nulls, in the shape of the array; None without nulls, or if `validity` has them.
    cdef object mask
    # The number of digits behind the point that the integers of `array` have, of decimals.
    cdef int scale
    # The bitmap of an Arrow array, and the chunk that owns it.
    cdef const uint8_t *validity
    cdef size_t validity_offset
    cdef object owner
    cdef Py_ssize_t length
    # True for Arrow and for masked arrays, whose results have nulls, too.
    cdef bint is_arrow, is_nullable
    # True if `array` has no dimension: one value of Python for all rows.
    cdef bint is_constant
    # True if all rows get the whole array.
    cdef bint is_buffer
    # The type of the elements in C, which a call over columns sets.
    cdef Type type

    @staticmethod
    cdef Column make(object array, object mask=None, bint is_nullable=False):
        cdef Column self = Column.__new__(Column)
        self.array, self.mask, self.is_nullable = array, mask, is_nullable
        self.length = len(array) if array.ndim > 0 else 1
        return self

    @staticmethod
    cdef Column of_arrow(Py_ssize_t length):
        """Returns a column of Arrow whose elements are still to be set."""
        cdef Column self = Column.__new__(Column)
        self.length = length
        self.is_arrow = self.is_nullable = True
        return self

    @staticmethod
    cdef Column constant(object value):
        """Returns a value for all rows, of any type."""
        array = numpy.empty((), object)
        array[()] = value
        cdef Column self = Column.make(array)
        self.is_constant = True
        return self

    cdef tuple shape(self):
        return (self.length,) if self.array is None else self.array.shape

    cdef object nulls(self):
        """Returns an array that is true for nulls, or None without nulls."""
        if self.validity != NULL:
            return ~unpack_bits(self.validity, self.validity_offset, self.length)
        return self.mask

    cdef Column with_objects(self):
        """Turns the values into Python objects, and returns the column."""
        if self.array.dtype != object:
            self.array = decimals(self.array.tolist(), self.scale) if self.scale > 0 else self.array.astype(object)
            self.scale = 0
        return self

    cdef list objects(self):
        """Returns the values as Python objects, in the order of C; None for nulls."""
        nulls = self.nulls()
        if self.scale > 0:
            self.with_objects()
        if self.fields is not None:
            columns = {name: (<Column>field).objects() for name, field in self.fields.items()}
            items = [{name: column[row] for name, column in columns.items()} for row in range(self.length)]
        elif self.array.dtype.names:
            items = list(self.array.reshape(-1))
        else:
            items = self.array.reshape(-1).tolist()
        if nulls is not None:
            items = [None if is_null else item for item, is_null in zip(items, nulls.reshape(-1).tolist())]
        return items

    cdef object rows(self, tuple shape):
        """Returns an iterator of the values of all rows of a call with a shape."""
        return iter(numpy.broadcast_to(as_objects(self.objects()).reshape(self.shape()), shape).flat)


# MARK: Reading

cdef bint is_pandas_column(object value):
    """True if a value is a Series, an index or an array of pandas, or of a library that extends it."""
    return hasattr(value, "dtype") and hasattr(value, "isna") and hasattr(value, "to_numpy")


cdef bint is_frame(object value):
    """True if a value is a DataFrame of pandas, whose conversion to Arrow would turn NaN into nulls."""
    return hasattr(value, "iloc") and hasattr(value, "columns") and hasattr(value, "dtypes")


cdef bint is_column(object value, Parameter parameter):
    """True if a value is one argument for each row. A tuple is a column of numbers, and else a struct."""
    if isinstance(value, numpy.ndarray):
        return value.ndim > 0
    if isinstance(value, (numpy.generic, str, bytes, bytearray, memoryview, Handle)):
        return False
    if isinstance(value, tuple):
        return parameter is not None and parameter.type.dtype is not None and not parameter.type.members and not hasattr(
            builtin_type(value), "_fields")
    return (
        isinstance(value, (list, range)) or is_arrow_producer(value) or is_pandas_column(value) or is_frame(value)
        or hasattr(value, "__array__") or isinstance(value, array_module.array))


cdef Column read_column(object value, Parameter parameter, str where):
    """Returns the column of an argument of any library, with its own types."""
    cdef Type type = None if parameter is None else column_type(parameter)
    if isinstance(value, numpy.ma.MaskedArray):
        return read_masked(value)
    if not is_column(value, parameter):
        return Column.constant(value[()] if isinstance(value, numpy.ndarray) else value)
    if isinstance(value, numpy.ndarray):
        return read_array(value)
    if is_frame(value):
        return read_frame(value, where, type)
    if is_pandas_column(value):
        return read_pandas(value, where, type)
    if is_arrow_producer(value):
        return arrow_column(value, where, type)
    if isinstance(value, range) and all([-2 ** 63 <= end < 2 ** 63 for end in (value.start, value.stop)]):
        return Column.make(numpy.arange(value.start, value.stop, value.step))
    if isinstance(value, (list, tuple, range)):
        return read_list(value, type, where)
    return read_array(numpy.asarray(value))


cdef Column read_array(object array):
    if array.dtype.kind == "T":
        array = array.astype(object)
    if array.dtype != object:
        return Column.make(array)
    # NumPy's objects have None and NaN for missing values, as pandas' objects have.
    return Column.make(array, missing_objects(array, True), True)


cdef Column read_masked(object value):
    cdef Column self = read_array(value.data)
    self.is_nullable = True
    if value.mask is not numpy.ma.nomask:
        mask = numpy.ma.getmaskarray(value)
        if mask.dtype.names:
            mask = numpy.array([any(row) for row in mask.ravel()], bool).reshape(mask.shape)
        self.mask = mask if self.mask is None else self.mask | mask
    return self


cdef Column read_frame(object frame, str where, Type type):
    """Returns the columns of a DataFrame of pandas as the fields of a struct."""
    cdef Column self = Column.__new__(Column)
    self.length = len(frame)
    self.fields = {}
    for position, name in enumerate(map(str, frame.columns)):
        field = read_pandas(frame.iloc[:, position], where, type)
        if name in self.fields:
            raise errors.InvalidData(
                f"{where}: two columns of the frame are named {name}; rename one", subject=where, remedy="rename one")
        self.fields[name] = field
        self.is_nullable |= (<Column>field).is_nullable
    return self


cdef Column read_pandas(object value, str where, Type type):
    dtype = value.dtype
    if isinstance(dtype, numpy.dtype):
        return read_array(value.to_numpy())
    if is_arrow_producer(value) and (hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"):
        return arrow_column(value, where, type)
    array = getattr(value, "array", value)
    if hasattr(array, "__arrow_array__") and (hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"):
        # A Series of pandas 2.
        return arrow_column(array.__arrow_array__(), where, type)
    mask = numpy.asarray(value.isna())
    if getattr(dtype, "numpy_dtype", None) is not None and dtype.numpy_dtype.kind in "biuf":
        return Column.make(value.to_numpy(dtype=dtype.numpy_dtype, na_value=0), mask if mask.any() else None, True)
    if getattr(dtype, "kind", "O") in "mM":
        # Without the time zone, of which the numbers are independent.
        return Column.make(value.to_numpy(dtype=f"{dtype.kind}8[{dtype.unit}]"), mask, True)
    return Column.make(numpy.asarray(value.to_numpy(dtype=object)), mask if mask.any() else None, True)


cdef Column read_list(object items, Type type, str where):
    """Returns the column of a list: numbers of Python that NumPy holds exactly, or objects."""
    types = set(map(builtin_type, items))
    if types and types <= {list, tuple} and type is not None and type.is_number():
        try:
            nested = numpy.array(items, object)
        except ValueError:
            raise ragged(where) from None
        if any(isinstance(item, (list, tuple)) for item in nested.flat):
            raise ragged(where)
        return shaped(read_list(nested.reshape(-1).tolist(), type, where), nested.shape)
    if type is not None and type.is_number() and types & {list, tuple}:
        raise ragged(where)
    array = exact_array(items, types)
    if array is not None:
        return Column.make(array)
    objects = as_objects(list(items))
    # NaN is a number for a parameter that holds it, and missing in a column of anything else.
    holds_nan = type is not None and type.code in (
        TROUPE_TYPE_FLOAT, TROUPE_TYPE_DOUBLE, TROUPE_TYPE_LONG_DOUBLE, TROUPE_TYPE_COMPLEX)
    mask = missing_objects(objects, not holds_nan)
    return Column.make(objects, mask, mask is not None)


cdef object exact_array(object items, set types):
    """Returns numbers of Python or NumPy as an array that has exactly their values, or None."""
    if types and types <= {int}:
        array = numpy.array(items)
        return array if array.dtype.kind in "iu" else None
    if types == {int, float} and all([abs(item) <= 2 ** 53 for item in items if builtin_type(item) is int]):
        return numpy.array(items)
    is_of_one_type = len(types) == 1 and issubclass(next(iter(types)), (bool, float, complex, numpy.number, numpy.bool_)) and (
        next(iter(types)) is not numpy.timedelta64)
    return numpy.array(items) if is_of_one_type else None


cdef Column shaped(Column self, tuple shape):
    self.array = self.array.reshape(shape)
    self.mask = None if self.mask is None else self.mask.reshape(shape)
    self.length = shape[0]
    return self


cdef object missing_objects(object array, bint is_nan_missing):
    """Returns an array that is true for None, NA, NaT and, if asked, NaN; None if there are none."""
    missing = [is_missing(item, is_nan_missing) for item in array.reshape(-1).tolist()]
    return numpy.array(missing, bool).reshape(array.shape) if any(missing) else None


cdef bint is_missing(object item, bint is_nan_missing):
    if item is None:
        return True
    if isinstance(item, decimal.Decimal):
        return is_nan_missing and item.is_nan()
    if isinstance(item, (float, numpy.floating)):
        return is_nan_missing and item != item
    # pandas' NA and NaT, and the mark of masked arrays.
    return builtin_type(item).__name__ in ("NAType", "NaTType", "MaskedConstant") or (
        isinstance(item, (numpy.datetime64, numpy.timedelta64)) and item != item)


cdef object ragged(str where):
    remedy = "pass elements of one length"
    return errors.InvalidData(f"{where}: the elements have different lengths; {remedy}", subject=where, remedy=remedy)


# MARK: Conversion

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
