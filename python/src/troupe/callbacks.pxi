# Functions in Python that C calls back.

@cython.final
cdef class Callback:
    """A callable as an argument, until the end of the call."""

    cdef troupe_callback c
    cdef object function
    cdef Signature signature
    # The results that C may read until the end of the call.
    cdef list kept
    cdef object exception


cdef int fill_callback(troupe_call_value *slot, Type type, object function, list kept) except -1:
    """Passes a callable. A function of a plugin with the same type is passed as its address, so that C calls it directly; one that is not
    thread-safe is called through Python, so that it waits for other calls."""
    if isinstance(function, Function) and function.is_thread_safe:
        return fill_address(slot, (<Function>function).address_as(type.signature.text))
    cdef Callback callback = Callback.__new__(Callback)
    callback.function = function
    callback.signature = type.signature
    callback.kept = []
    callback.c.invoke = invoke
    callback.c.context = <void *>callback
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
        status = invoke_callable(<Callback>context, arguments, count, result)
    troupe_callback_end()
    return status


cdef troupe_status invoke_callable(
    Callback callback, const troupe_call_value *arguments, size_t count, troupe_call_value *result
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
            fill(result, callback.signature.result, value, callback.kept, "the result of the callback")
        return TROUPE_OK
    except BaseException as exception:
        callback.exception = exception
        return TROUPE_FAILED


cdef object callback_exception(list kept):
    """Returns the first exception of the callbacks of a call, or None."""
    for item in kept:
        if isinstance(item, Callback) and (<Callback>item).exception is not None:
            return (<Callback>item).exception
    return None
