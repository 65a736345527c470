"""Builds the extension module. scripts/build-wheel puts the libraries into the package, and sets the variables."""

import os
from glob import glob

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

library = os.environ["TROUPE_LIBRARY_DIRECTORY"]
extension = Extension(
    "troupe._troupe",
    ["src/troupe/_troupe.pyx"],
    depends=glob("src/troupe/*.h") + [f"{os.environ['TROUPE_INCLUDE_DIRECTORY']}/troupe-host.h"],
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
    ext_modules=cythonize([extension], build_dir="build/cython", language_level=3, include_path=["src"]),
    package_data={"troupe": ["py.typed", "*.pyi", "lib/**", "libexec/**"]},
    include_package_data=False,
)
