# cython: language_level=3, binding=True, embedsignature=False
"""The part of the package that calls libTroupe.so."""

import array as array_module
import atexit
import collections
import copyreg
import dataclasses
import decimal
import difflib
import enum
import fractions
import functools
import importlib
import inspect
import itertools
import keyword
import logging
import os
import select
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Mapping
from types import MappingProxyType

import numpy

from troupe import data, errors
from troupe.conversions import conversions_for
from troupe.errors import _make as make_error

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo, PyBuffer_Release, PyBUF_SIMPLE, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, intptr_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset, strlen

cimport numpy as np

from troupe.troupe_host cimport *

np.import_array()
np.import_ufunc()

include "runtime.pxi"
include "types.pxi"
include "arguments.pxi"
include "results.pxi"
include "handles.pxi"
include "callbacks.pxi"
include "function.pxi"
include "column_reading.pxi"
include "column_types.pxi"
include "arrow_import.pxi"
include "arrow_export.pxi"
include "map.pxi"
include "host.pxi"
include "events.pxi"
include "instances.pxi"

# Only this module makes these objects, which it fills in afterwards.
for made in (
    ArrowArray, EventStream, Function, FunctionPointer, Instance, Listener, MapMethod, Parameter, Reference, Scope, Signature,
    Transform, Type,
):
    refuse_construction(made)
