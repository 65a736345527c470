"""Integrates a function in Python, which GSL gets as a member of a struct."""

import array
import math
import sys

import troupe

with troupe.Host(sys.argv[1]) as host:
    functions = host.functions
    integrate = functions["gsl_integration_qags"]
    workspace = functions["gsl_integration_workspace_alloc"](1000)

    # A callable in a struct that lives for the call; the values are stored in place.
    f = {"function": lambda x, _: math.log(x) / math.sqrt(x), "params": None}
    value, error = array.array("d", [0]), array.array("d", [0])
    status = integrate(f, 0, 1, 0, 1e-7, 1000, workspace, value, error)
    print(f"{status} {value[0]:.10f} {error[0]:.2g}")

    # A callback and its parameter that the program holds; the values come back.
    factor = troupe.Memory("double", 1)
    factor[0] = 2
    held = troupe.Callback("double (double x, void *parameters)", lambda x, _: math.log(factor[0] * x) / math.sqrt(x))
    status, value, error = integrate({"function": held, "params": factor}, 0, 1, 0, 1e-7, 1000, workspace, [0], [0])
    print(f"{status} {value[0]:.10f} {error[0]:.2g}")
    functions["gsl_integration_workspace_free"](workspace)
