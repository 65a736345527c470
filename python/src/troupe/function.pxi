# Calls of functions.

cdef extern from "Python.h":
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *) except NULL
    Py_ssize_t PyVectorcall_NARGS(size_t count)
    PyObject *PyErr_Occurred()
    void PyErr_WriteUnraisable(object where)

cdef extern from "numbers.h":
    enum: TROUPE_NUMBERS_MAXIMUM
    ctypedef struct troupe_numbers:
        troupe_loop loop
        void *data
        int32_t count
        int32_t releases_gil
        troupe_type_kind result
        troupe_type_kind kinds[16]
        intptr_t steps[17]
    PyObject *troupe_numbers_call(const troupe_numbers *numbers, PyObject *const *arguments)
    void troupe_numbers_loop(char **arguments, const intptr_t *counts, const intptr_t *steps, void *numbers) noexcept
    intptr_t troupe_number_size(troupe_type_kind kind) nogil


cdef extern from "numpy/ufuncobject.h":
    ctypedef struct ufunc_object "PyUFuncObject":
        PyObject *obj
    ctypedef void (*ufunc_loop "PyUFuncGenericFunction")(char **, const intptr_t *, const intptr_t *, void *) noexcept
    object PyUFunc_FromFuncAndData(
        ufunc_loop *functions, void **data, char *types, int type_count, int inputs, int outputs, int identity, const char *name,
        const char *documentation, int unused)
    enum: PyUFunc_None


@cython.final
@cython.no_gc
cdef class FunctionPointer:
    """The function of the C API, which keeps the plugin loaded. The function and its ufunc share it."""

    cdef troupe_function_t *c
    cdef int fork_count
    # How the function was looked up, for `troupe.pickling`.
    cdef str key
    cdef tuple origin
    cdef dict scan_times
    cdef tuple reference
    # A weak reference to the function.
    cdef object made
    cdef object __weakref__

    def function(self):
        """Returns the function, which is one object for as long as the program has it."""
        cdef Function function = None if self.made is None else self.made()
        if function is None:
            function = Function.make(self)
            self.made = weakref.ref(function)
        return function

    def __dealloc__(self):
        cdef troupe_function_t *c = self.c
        if c != NULL and self.fork_count == fork_count and not is_finalizing:
            with nogil:
                troupe_function_free(c)


@cython.final
cdef class UFuncData:
    """The memory that a ufunc refers to. The ufunc keeps it, and it keeps the function."""

    cdef FunctionPointer function
    cdef troupe_numbers numbers
    cdef ufunc_loop loops[1]
    cdef void *data[1]
    cdef char types[17]
    cdef bytes name, documentation


@cython.final
cdef class Function:
    """A C function of a plugin.

    Call it with one argument for each parameter that takes one, by position or by name::

        area = host.functions["area"]
        area(3, 4.5)                      # 13.5
        area(numpy.arange(3), 4.5)        # array([0. , 4.5, 9. ]): numbers are calls of `ufunc`
        area.map(widths, heights, threads=2)

    | parameter | argument |
    |---|---|
    | a number | a number; an integer that the type cannot hold is refused |
    | `string` | `str`, a path, or None for NULL |
    | an enumeration | a member of `Type.enumeration`, its name, or a number |
    | a struct | a dataclass, a dictionary, a tuple, or an element of a structured array |
    | a buffer | an object with the buffer protocol, without a copy, or a list; `str` for bytes |
    | a callback | any callable, until the call returns, and its exception is raised by the call; `Callback` beyond that |
    | a pointer to a struct | a `Reference` that another call returned, `Memory`, or None; if the struct is defined also a dataclass, a
      dictionary, a tuple, or a structured array of its layout |
    | any other pointer | an object with the buffer protocol whose elements fit, without a copy, `Memory`, a list, None, or an address;
      for constant bytes also `str` and `bytes`, for constant texts a list of `str` |

    A struct returns as a named tuple, a pointer to one as a `Reference`, a buffer as `bytes` or an array, and several results as a named
    tuple with `return_` and the names of the outputs. The function writes to a buffer in place. A list or a dictionary for a pointer that
    is not constant is memory that the call allocates, whose contents return with the result, in a named tuple with `result` and the names
    of the parameters.

    The function keeps its plugin loaded. Any thread may call it. A call releases the GIL while C runs; see `releases_gil`.

    Other processes get the function by pickling, with `map` and `ufunc`, if they have the same file under the same path. Each of them
    starts one host for it, with the options of this one but `log`.
    """

    cdef vectorcallfunc vectorcall
    cdef troupe_numbers numbers
    cdef FunctionPointer pointer
    cdef readonly str name
    """The registered name."""
    cdef Signature cached_signature
    cdef object cached_ufunc
    cdef list arguments
    # The names of the parameters with that of the function, for errors.
    cdef list locations
    cdef dict positions
    cdef dict results
    cdef object results_class
    cdef object __weakref__

    @staticmethod
    cdef Function make(FunctionPointer pointer):
        cdef Function self = Function.__new__(Function)
        cdef troupe_function_t *c = pointer.c
        self.pointer = pointer
        self.name = text_or_none(troupe_function_name(c))
        self.numbers.releases_gil = 1
        self.vectorcall = call_vector
        prepare_numbers(c, &self.numbers)
        return self

    @property
    def signature(self):
        """The type of the function as data."""
        return self.get_signature()

    cdef Signature get_signature(self):
        if self.cached_signature is None:
            self.cached_signature = make_signature(troupe_function_signature(self.pointer.c), {})
        return self.cached_signature

    @property
    def is_thread_safe(self):
        """True if calls on several threads run at once: those of plugins, and of adopted libraries with ``"threads": "any"`` in their
        file. Calls of any other function wait for each other, and for calls of all other functions of its library."""
        return troupe_function_is_thread_safe(self.pointer.c) != 0

    @property
    def is_isolated(self):
        """True if the function runs in a worker, a process of its own."""
        return troupe_function_is_isolated(self.pointer.c) != 0

    @property
    def releases_gil(self):
        """True if a call releases the GIL while C runs, so that other threads of Python run. True at first.

        That costs some 20 to 40 nanoseconds, and more if other threads wait for the GIL. Set it to False for a short function of
        numbers. Other functions, `map`, `ufunc` and `call_async` always release the GIL. So do functions that are not thread-safe, for
        which it stays True: a thread that waits for such a function with the GIL could wait for a callback that needs the GIL.
        """
        return self.numbers.releases_gil != 0

    @releases_gil.setter
    def releases_gil(self, value):
        self.numbers.releases_gil = 1 if value or not self.is_thread_safe else 0

    @property
    def address(self):
        """The address of the C function, valid as long as this object, for ctypes, cffi or numba."""
        return self.address_as(self.get_signature().text)

    cdef object address_as(self, str signature):
        cdef troupe_error *error = NULL
        encoded = text_bytes(signature)
        cdef void *address = <void *>troupe_function_address(self.pointer.c, encoded, &error)
        if address == NULL:
            raise take_exception(error)
        return <uintptr_t>address

    cdef int prepare(self) except -1:
        """Collects the parameters that take arguments, and the names of the results."""
        if self.arguments is not None:
            return 0
        cdef Signature signature = self.get_signature()
        arguments = [parameter for parameter in signature.parameters if (<Parameter>parameter).takes_argument]
        self.positions = {}
        for index, parameter in enumerate(arguments):
            self.positions.setdefault(parameter_name(parameter, index), index)
        self.results = signature.outputs
        names = list(self.results)
        if any((<Parameter>parameter).direction_code != TROUPE_DIRECTION_IN for parameter in signature.parameters):
            self.results_class = record_class("Results", tuple(names))
        self.locations = [f"{self.name}: {parameter_name(parameter, index)}" for index, parameter in enumerate(arguments)]
        self.arguments = arguments
        return 0

    @property
    def __signature__(self):
        self.prepare()
        positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = identifiers([parameter_name(parameter, index) for index, parameter in enumerate(self.arguments)])
        parameters = [
            inspect.Parameter(name, positional, annotation=argument_annotation(parameter))
            for name, parameter in zip(names, self.arguments)]
        if self.get_signature().is_variadic:
            parameters.append(inspect.Parameter("further", inspect.Parameter.VAR_POSITIONAL))
        result = self.get_signature().result
        return inspect.Signature(
            parameters, return_annotation=self.results_class if self.results_class is not None else annotation(result))

    @property
    def __doc__(self):
        return f"{self.name}{self.__signature__}\n\n{self.get_signature().text}"

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return self.name

    def __repr__(self):
        return f"<troupe.Function {self.name}: {self.get_signature().text}>"

    def __reduce__(self):
        from troupe.pickling import load_function
        return load_function, self.reference()

    cdef tuple reference(self):
        """Returns what another process needs to find the function."""
        from troupe import pickling
        if self.pointer.reference is None:
            host, options, directory = self.pointer.origin
            self.pointer.reference = pickling.refer(self, self.pointer.key, host(), options, directory, self.pointer.scan_times)
        pickling.remember(self.pointer.reference, self.pointer)
        return self.pointer.reference

    def __copy__(self):
        return self

    def __deepcopy__(self, known):
        return self

    def __call__(self, *arguments, **keywords):
        return self.call(list(arguments), keywords)

    def call_async(self, *arguments, **keywords):
        """Calls the function on a thread of the running event loop's executor. Returns a coroutine with the result.

        The cancellation of the coroutine ends the call of a function in a worker, with the worker. It has no effect on a function in
        this process.
        """
        from troupe.functions import call_in_thread
        return call_in_thread(self, arguments, keywords)

    cdef object call(self, list arguments, dict keywords):
        self.prepare()
        if self.numbers.loop != NULL and (has_array(arguments) or "out" in keywords or has_array(keywords.values())):
            ufunc_keywords = {name: value for name, value in keywords.items() if name not in self.positions}
            named = {name: value for name, value in keywords.items() if name in self.positions}
            values = [
                ufunc_argument(value, parameter, ArgumentLocation.make(self.name, parameter_name(parameter, index), True))
                for index, (value, parameter) in enumerate(zip(self.positional(arguments, named), self.arguments))]
            return self.ufunc(*values, **ufunc_keywords)
        return self.call_values(self.positional(arguments, keywords))

    cdef list positional(self, list arguments, dict keywords):
        """Returns the arguments by position, or raises `Usage`."""
        count = len(self.arguments)
        if keywords:
            missing = object()
            arguments = arguments + [missing] * (count - len(arguments))
            for name, value in keywords.items():
                index = self.positions.get(name)
                if index is None:
                    index = self.positions.get(name.rstrip("_"))
                if index is None:
                    remedy = did_you_mean(name, self.positions, f"use a name of {self.__signature__}")
                    raise errors.Usage(f'{self.name}: no parameter is named "{name}"; {remedy}', subject=self.name, remedy=remedy)
                if index >= len(arguments) or arguments[index] is not missing:
                    raise errors.Usage(
                        f"{self.name}: the argument {name} is given twice; pass it once", subject=self.name, remedy="pass it once")
                arguments[index] = value
            arguments = [argument for argument in arguments if argument is not missing]
        if len(arguments) != count and not (self.get_signature().is_variadic and len(arguments) > count):
            raise errors.Usage(
                f"{self.name}: {len(arguments)} arguments were passed; pass {self.__signature__}", subject=self.name,
                remedy=f"pass {self.__signature__}")
        return arguments

    cdef object call_values(self, list arguments):
        """Calls the function with converted values."""
        cdef size_t count = len(arguments)
        cdef Block memory = Block.allocate(count, sizeof(troupe_call_value))
        cdef troupe_call_value *values = <troupe_call_value *>memory.start
        cdef troupe_call_value result
        cdef troupe_error *error = NULL
        cdef const troupe_function_t *function = self.pointer.c
        cdef troupe_status status
        cdef Parameter parameter
        cdef list kept = []
        for index in range(count):
            if index >= <size_t>len(self.arguments):
                fill(&values[index], None, arguments[index], kept, self.name)
                continue
            parameter = self.arguments[index]
            where = <str>self.locations[index]
            if parameter.passing_code == TROUPE_PASSING_BUFFER and parameter.direction_code != TROUPE_DIRECTION_OUT:
                fill_buffer(
                    &values[index], parameter.type, arguments[index], parameter.direction_code != TROUPE_DIRECTION_IN, kept, where)
            elif parameter.passing_code == TROUPE_PASSING_REFERENCE and parameter.type.members and is_address(arguments[index]):
                fill_address(&values[index], arguments[index])
            else:
                fill(&values[index], parameter.type, arguments[index], kept, where)
        with nogil:
            status = troupe_function_call(function, values, count, &result, &error)
        exception = callback_exception(kept)
        if status != TROUPE_OK:
            failure = take_exception(error)
            if exception is not None:
                raise exception
            raise failure
        try:
            if exception is not None:
                raise exception
            return self.outcome(&result, values, count)
        finally:
            with nogil:
                troupe_call_value_clear(&result)

    cdef object outcome(self, const troupe_call_value *result, const troupe_call_value *values, size_t count):
        """Returns the result, with the contents of memory that the call allocated for pointers."""
        cdef Parameter parameter
        cdef Type type = self.get_signature().result
        lent = {}
        taken = {"result"} if self.results_class is None else self.results
        for index in range(min(count, <size_t>len(self.arguments))):
            parameter = self.arguments[index]
            if parameter.passing_code == TROUPE_PASSING_VALUE and parameter.type.is_pointer() and not parameter.type.is_constant and (
                    values[index].kind in (TROUPE_VALUE_ARRAY, TROUPE_VALUE_STRUCT)):
                name = parameter.name if parameter.name and parameter.name not in taken else str(index + 1)
                lent[name] = parameter.type
        if lent:
            fields = self.results if self.results_class is not None else {} if type.code == TROUPE_TYPE_VOID else {"result": type}
            fields = fields | lent
            if len(fields) == 1:
                return from_value(result, lent.popitem()[1])
            if result.kind == TROUPE_VALUE_STRUCT and result.count == <size_t>len(fields):
                return from_record(result, record_class("Results", tuple(fields)), fields)
        return from_value(result, type) if self.results_class is None else from_record(result, self.results_class, self.results)

    @property
    def ufunc(self):
        """The function as a `numpy.ufunc`, if it and its parameters are numbers; None for other functions.

        Arguments are broadcast, `out`, `where`, `reduce` and `accumulate` work, and NumPy converts safely, from `float32` to
        `float64`. NumPy converts the nulls of an Arrow array to NaN before the ufunc gets them. A call of the function itself
        refuses them, and `map` keeps them.
        """
        if self.cached_ufunc is None and self.numbers.loop != NULL:
            self.cached_ufunc = make_ufunc(self)
        return self.cached_ufunc

    @property
    def map(self):
        """Calls the function once for each row of columns: see `MapMethod`."""
        return MapMethod.of(self)


@cython.final
cdef class MapMethod:
    """Calls the function once for each row of the columns, in one call of C.

    ::

        area.map(widths, heights, threads=2)
        area.map(width=widths, height=4.5)
        frame.map_batches(area.map)

    It has the name and the named parameters of the function, as engines expect them of a function in Python. A parameter that is named
    ``out``, ``threads`` or ``on_error`` goes by position.

    A column is a NumPy array, a list, a column of pandas, or of any library that exports Arrow arrays. Numbers, strings and other
    single values are repeated for all rows, and arrays are broadcast. A buffer parameter gets a whole array. A struct takes a
    structured array, a frame, or a column of structs of Arrow, whose fields go by name. Columns go by position, also those of pandas.

    Each element is converted as a call with it converts it: an integer that the type cannot hold is refused, and a fractional number
    is the nearest that the type has. A column of exactly the parameter's type is not copied.

    Rows in which a column is null are null, and the function is not called for them. Nulls are those of Arrow, masked elements, and
    None and NA; NaN is a number, except in columns of objects.

    The result is an Arrow array if a column is one, of pyarrow if that is installed, and else an `ArrowArray`. It is a masked array
    if a column may have nulls, or with ``on_error="null"``, and else an array. Several results return as a named tuple of arrays. A result
    of several dimensions is one of NumPy.

    :param out: the array for the result, or a tuple of arrays, of the types of the results.
    :param threads: the number of threads that share the rows.
    :param on_error: ``"raise"`` the error of the first failing row, or make the row ``"null"`` if the function reports that it failed,
        or if its value cannot be passed. Other errors, such as those of a worker, are raised.

    A function with strings or other types that NumPy does not hold is called once for each row, as for columns of objects that are
    not all integers, or all floats.
    """

    cdef Function function

    @staticmethod
    cdef MapMethod of(Function function):
        cdef MapMethod self = MapMethod.__new__(MapMethod)
        self.function = function
        return self

    def __call__(self, *columns, out=None, threads=1, on_error="raise", **named):
        name = self.function.name
        if on_error not in ("raise", "null"):
            raise errors.InvalidArgument(
                f"{name}: on_error is {on_error!r}; pass 'raise' or 'null'", subject=name, remedy="pass 'raise' or 'null'")
        if isinstance(threads, bool) or not hasattr(threads, "__index__") or not 0 <= threads < 1 << 31:
            raise errors.InvalidArgument(
                f"{name}: threads: expected an integer from 0 to 2147483647, got {threads!r}; pass a number of threads", subject=name,
                remedy="pass a number of threads")
        self.function.prepare()
        return map_columns(self.function, self.function.positional(list(columns), named), out, threads, on_error == "null")

    @property
    def __signature__(self):
        return self.function.__signature__

    @property
    def __name__(self):
        return self.function.name

    @property
    def __qualname__(self):
        return f"{self.function.name}.map"

    def __reduce__(self):
        return getattr, (self.function, "map")

    def __eq__(self, other):
        return isinstance(other, MapMethod) and self.function is (<MapMethod>other).function

    def __hash__(self):
        return hash(self.function)

    def __repr__(self):
        return f"<troupe.Function.map of {self.function.name}>"


@cython.final
cdef class Cancellation:
    """Cancels a call that waits for a worker. Any thread may cancel."""

    cdef troupe_cancellation c

    def cancel(self):
        troupe_cancel(&self.c)

    def call(self, Function function, tuple arguments, dict keywords):
        """Calls a function without the GIL, whatever `releases_gil` is."""
        troupe_set_cancellation(&self.c)
        try:
            return function.call(list(arguments), keywords)
        finally:
            troupe_set_cancellation(NULL)


cdef str did_you_mean(object name, object names, str otherwise):
    """Returns the remedy for an unknown name: the nearest known one, or another remedy if none is near."""
    near = difflib.get_close_matches(name, list(names), 1, 0.65)
    return f'did you mean "{near[0]}"?' if near else otherwise


cdef object parameter_name(Parameter parameter, Py_ssize_t index):
    return parameter.name if parameter.name else f"argument{index + 1}"


cdef bint is_address(object value):
    return isinstance(value, int) and not isinstance(value, bool)


cdef object annotation(Type type):
    """Returns the Python type of a result."""
    if type.code == TROUPE_TYPE_VOID:
        return None
    if type.code == TROUPE_TYPE_BOOL:
        return bool
    if TROUPE_TYPE_INT8 <= type.code <= TROUPE_TYPE_UINT64:
        return int
    if TROUPE_TYPE_FLOAT <= type.code <= TROUPE_TYPE_LONG_DOUBLE:
        return float
    return type.name


cdef object argument_annotation(Parameter parameter):
    """Returns the Python type of an argument."""
    cdef Type element = parameter.type
    if parameter.passing_code != TROUPE_PASSING_BUFFER:
        return annotation(element)
    if element.is_byte():
        return "bytes | Sequence[int]"
    item = annotation(element)
    sequence = f"Sequence[{item.__name__ if isinstance(item, builtin_type) else item}]"
    return sequence if element.dtype is None else f"NDArray[{element.dtype}] | {sequence}"


cdef bint has_array(object values):
    for value in values:
        if isinstance(value, numpy.ndarray):
            if value.ndim > 0:
                return True
        elif isinstance(value, list) or ((hasattr(builtin_type(value), "__array__") or is_arrow_producer(value)) and not isinstance(value, numpy.generic)):
            return True
    return False


cdef object ufunc_argument(object value, Parameter parameter, ArgumentLocation location):
    """Returns an argument for a ufunc: an array of the parameter's type, or a column whose class calls the ufunc itself.

    Refuses nulls, which NumPy would convert to NaN, and numbers that the type cannot hold, which NumPy would round. A lazy column, as of
    Dask, is not examined, since that would compute it.
    """
    cdef Column column
    kind = builtin_type(value)
    calls_itself = kind is not numpy.ndarray and hasattr(kind, "__array_ufunc__") and not isinstance(value, numpy.generic)
    if hasattr(value, "__dask_graph__"):
        return value
    has_own_elements = is_pandas_column(value) or is_arrow_producer(value) and not is_frame(value)
    if calls_itself and not has_own_elements and not isinstance(value, numpy.ma.MaskedArray):
        if not hasattr(value, "__array__"):
            return value
        column = Column.make(numpy.asarray(value))
    else:
        column = read_column(value, parameter, location.text())
    if column.is_constant:
        if not convert_constant(column, parameter.type, location):
            problem = f"{parameter.type.name} cannot hold {value!r}" if isinstance(value, (int, float)) else None
            raise conversion_error(value, parameter.type, location.text(), problem)
        return column.array[()]
    if not convert_column(column, parameter.type, location, value, False):
        raise errors.InvalidData(
            f"{location.text()}: the elements are no numbers of one type; call map", subject=location.text(), remedy="call map")
    nulls = column.nulls()
    if not calls_itself and nulls is not None and nulls.any():
        remedy = "call map, which keeps nulls"
        raise errors.InvalidData(f"{location.text()}: has nulls; {remedy}", subject=location.text(), remedy=remedy)
    return value if calls_itself else column.array


cdef int prepare_numbers(troupe_function_t *function, troupe_numbers *numbers) except -1:
    """Prepares direct calls with Python numbers, if all parameters and the result are numbers."""
    cdef const troupe_signature *signature = troupe_function_signature(function)
    cdef const troupe_parameter *parameter
    cdef troupe_error *error = NULL
    if signature.can_fail or signature.is_variadic or not 0 < signature.parameter_count <= TROUPE_NUMBERS_MAXIMUM:
        return 0
    if troupe_number_size(signature.result.kind) == 0:
        return 0
    for index in range(signature.parameter_count):
        parameter = signature.parameters[index]
        if parameter.passing != TROUPE_PASSING_VALUE or not parameter.takes_argument:
            return 0
        numbers.steps[index] = troupe_number_size(parameter.type.kind)
        if numbers.steps[index] == 0:
            return 0
        numbers.kinds[index] = parameter.type.kind
    numbers.result = signature.result.kind
    numbers.steps[signature.parameter_count] = troupe_number_size(signature.result.kind)
    numbers.count = <int32_t>signature.parameter_count
    numbers.loop = troupe_function_loop(function, &numbers.data, &error)
    troupe_error_free(error)
    return 0


cdef PyObject *call_vector(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names) except NULL:
    """Calls a function with Python numbers directly; any other call takes the slow path."""
    cdef Function self = <Function>callable
    cdef Py_ssize_t count = PyVectorcall_NARGS(flags)
    cdef PyObject *result
    if names == NULL and self.numbers.loop != NULL and count == self.numbers.count:
        result = troupe_numbers_call(&self.numbers, arguments)
        if result != NULL or PyErr_Occurred() != NULL:
            return result
    positional = [<object>arguments[index] for index in range(count)]
    keywords = {}
    if names != NULL:
        for index, name in enumerate(<tuple>names):
            keywords[name] = <object>arguments[count + index]
    value = self.call(positional, keywords)
    Py_INCREF(value)
    return <PyObject *>value


cdef int enable_vectorcall() except -1:
    """Makes the interpreter call `call_vector`, without a tuple for the arguments."""
    cdef PyTypeObject *type = <PyTypeObject *>Function
    cdef Function sample = Function.__new__(Function)
    type.tp_vectorcall_offset = <char *>&sample.vectorcall - <char *><PyObject *>sample
    sample.vectorcall = call_vector
    type.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    PyType_Modified(type)
    return 0


enable_vectorcall()


def function_pointer(Function function):
    """Returns what a function and its ufunc keep. The function itself may end before its ufunc."""
    return function.pointer


cdef object make_ufunc(Function function):
    cdef UFuncData memory = UFuncData.__new__(UFuncData)
    cdef int count = function.numbers.count
    memory.function = function.pointer
    memory.numbers = function.numbers
    memory.loops[0] = troupe_numbers_loop
    memory.data[0] = &memory.numbers
    for index in range(count):
        memory.types[index] = numpy.dtype(dtype_names[function.numbers.kinds[index]]).num
    memory.types[count] = numpy.dtype(dtype_names[function.numbers.result]).num
    memory.name = text_bytes(function.name)
    memory.documentation = text_bytes(function.get_signature().text)
    ufunc = PyUFunc_FromFuncAndData(
        memory.loops, memory.data, memory.types, 1, count, 1, PyUFunc_None, memory.name, memory.documentation, 0)
    Py_INCREF(memory)
    (<ufunc_object *><PyObject *>ufunc).obj = <PyObject *>memory
    return ufunc


reduce_numpy_ufunc = copyreg.dispatch_table[numpy.ufunc]


def reduce_ufunc(ufunc):
    """Pickles the ufunc of a function by a reference to the function, and any other as NumPy does."""
    cdef PyObject *memory = (<ufunc_object *><PyObject *>ufunc).obj
    if memory == NULL or not isinstance(<object>memory, UFuncData):
        return reduce_numpy_ufunc(ufunc)
    from troupe.pickling import load_ufunc
    return load_ufunc, (<Function>(<UFuncData>memory).function.function()).reference()


copyreg.pickle(numpy.ufunc, reduce_ufunc)
