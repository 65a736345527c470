"""Compiles the extension module. scripts/build-wheel translates it to C, adds the libraries, and sets the variables."""

import os
from glob import glob

import numpy
from setuptools import Extension, setup

library = os.environ["TROUPE_LIBRARY_DIRECTORY"]
extension = Extension(
    "troupe._troupe",
    ["build/_troupe.c"],
    depends=["setup.py", *glob("src/troupe/*.h"), f"{os.environ['TROUPE_INCLUDE_DIRECTORY']}/troupe-host.h"],
    include_dirs=[os.environ["TROUPE_INCLUDE_DIRECTORY"], numpy.get_include(), "src/troupe"],
    library_dirs=[library],
    libraries=["Troupe"],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
    extra_compile_args=["-O2", "-g0"],
    # The loader resolves the libraries that libTroupe.so needs by the run path of that library.
    extra_link_args=["-Wl,-rpath,$ORIGIN/lib", "-Wl,--allow-shlib-undefined", "-s"],
)
setup(
    version=os.environ["TROUPE_VERSION"],
    project_urls={"Source": os.environ["TROUPE_URL"]} if os.environ.get("TROUPE_URL") else {},
    ext_modules=[extension],
    package_data={"troupe": ["py.typed", "*.pyi", "lib/**", "libexec/**"]},
    include_package_data=False,
)
