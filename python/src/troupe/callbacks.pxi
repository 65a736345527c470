# Functions in Python that C calls back.

# What `sys.unraisablehook` takes.
UnraisableException = collections.namedtuple("UnraisableException", "exc_type exc_value exc_traceback err_msg object", module="troupe")


@cython.final
cdef class CallbackArgument:
    """A callable that C calls, until the end of the call that it is an argument of, or of its `Callback`."""

    cdef troupe_callback c
    cdef object function
    cdef Signature signature
    # The results that C may read until the end of the call.
    cdef list kept
    cdef object exception
    # For a `Callback` instead of `kept`: the last result of each thread, which the library copies when the callable has returned.
    cdef dict last_results

    @staticmethod
    cdef CallbackArgument make(object function, Signature signature):
        cdef CallbackArgument self = CallbackArgument.__new__(CallbackArgument)
        self.function = function
        self.signature = signature
        self.kept = []
        self.c.invoke = invoke
        self.c.context = <void *>self
        return self


cdef int fill_callback(troupe_call_value *slot, Type type, object function, list kept) except -1:
    """Passes a callable. A function of a plugin with the same type is passed as its address, so that C calls it directly; one that is not
    thread-safe is called through Python, so that it waits for other calls."""
    if isinstance(function, Function) and function.is_thread_safe:
        return fill_address(slot, (<Function>function).address_as(type.signature.text))
    cdef CallbackArgument callback = CallbackArgument.make(function, type.signature)
    kept.append(callback)
    set_kind(slot, TROUPE_VALUE_CALLBACK)
    slot.content.callback = &callback.c
    return 0


cdef troupe_status invoke(
    void *context, const troupe_call_value *arguments, size_t count, troupe_call_value *result
) noexcept nogil:
    cdef troupe_status status
    if not troupe_callback_begin():
        return TROUPE_FAILED
    with gil:
        status = invoke_callable(<CallbackArgument>context, arguments, count, result)
    troupe_callback_end()
    return status


cdef troupe_status invoke_callable(
    CallbackArgument callback, const troupe_call_value *arguments, size_t count, troupe_call_value *result
) noexcept:
    """Calls the callable. Its exception ends the call of C as soon as C allows it; it is not called again then."""
    if callback.exception is not None:
        return TROUPE_FAILED
    try:
        values = []
        for index in range(count):
            type = None
            if index < <size_t>len(callback.signature.parameters):
                type = (<Parameter>callback.signature.parameters[index]).type
            values.append(from_value(&arguments[index], type))
        value = callback.function(*values)
        if callback.signature.result.code == TROUPE_TYPE_VOID:
            set_kind(result, TROUPE_VALUE_VOID)
        else:
            kept = callback.kept if callback.last_results is None else []
            fill(result, callback.signature.result, value, kept, "the result of the callback")
            if kept and callback.last_results is not None:
                callback.last_results[PyThread_get_thread_ident()] = kept
        return TROUPE_OK
    except BaseException as exception:
        if callback.last_results is None:
            callback.exception = exception
        else:
            # No call of Python may be waiting for it.
            sys.unraisablehook(UnraisableException(builtin_type(exception), exception, exception.__traceback__, None, callback.function))
        return TROUPE_FAILED


cdef void destroy_callback(void *context) noexcept nogil:
    """Ends the callable of a `Callback`, which no thread is in."""
    if not troupe_callback_begin():
        return
    with gil:
        Py_DECREF(<object>context)
    troupe_callback_end()


cdef str callback_signature(object given):
    """Returns the text of the signature that a program gives for a `Callback`."""
    if isinstance(given, Function):
        types = [(<Parameter>parameter).type for parameter in given.signature.parameters]
        callbacks = [type for type in types if (<Type>type).code == TROUPE_TYPE_CALLBACK]
        if len(callbacks) != 1:
            remedy = "pass one of its signature.parameters"
            raise errors.InvalidArgument(
                f"{given.name}: has {len(callbacks)} parameters that are callbacks; {remedy}", subject=given.name, remedy=remedy)
        given = callbacks[0]
    if isinstance(given, Parameter):
        given = (<Parameter>given).type
    if isinstance(given, Type):
        given = (<Type>given).signature
    if not isinstance(given, (str, Signature)):
        remedy = "pass a function with a callback, its parameter, or the text of a signature"
        raise errors.InvalidArgument(f"signature: is {given!r}; {remedy}", subject="signature", remedy=remedy)
    return str(given)


@cython.final
cdef class Callback(Reference):
    """A callable as a C function, for a library that keeps the pointer beyond the call.

    ::

        set_handlers = host.functions["XML_SetElementHandler"]
        start = troupe.Callback(set_handlers.signature.parameters[1], on_start)
        end = troupe.Callback("void (void *data, const char *name)", on_end)
        set_handlers(parser, start, end)

    :param signature: the type of the C function: a parameter that is a callback, a `Function` with one such parameter, a `Signature`, or
        its text.
    :param function: the callable. C may call it on any thread.

    Keep it for as long as C may call it. If C calls it after its end or `close`, C gets zero, and the log has a line. An exception goes to
    `sys.unraisablehook`; C gets zero, and the call of Python on the same thread that led to it fails.
    """

    def __init__(self, signature, function):
        cdef troupe_error *error = NULL
        if self.object != NULL:
            raise RuntimeError("the callback is made already")
        if not callable(function):
            raise TypeError(f"{function!r} is not callable")
        text = text_bytes(callback_signature(signature))
        cdef CallbackArgument callback = CallbackArgument.make(function, None)
        callback.last_results = {}
        self.object = troupe_callback_new(text, &callback.c, destroy_callback, &error)
        if self.object == NULL:
            raise take_exception(error)
        self.fork_count = fork_count
        # `destroy_callback` releases it.
        Py_INCREF(callback)
        callback.signature = self.get_type().signature


cdef object callback_exception(list kept):
    """Returns the first exception of the callbacks of a call, or None."""
    for item in kept:
        if isinstance(item, CallbackArgument) and (<CallbackArgument>item).exception is not None:
            return (<CallbackArgument>item).exception
    return None
