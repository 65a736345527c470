"""Functions and transforms of plugins in the processes of an engine, such as the workers of Dask and of Spark.

The client makes a `Plugins` of a directory: the hashes of its plugins, and the options for hosts. Tasks carry it. Each process starts
one host for it at its first task, looks up each function once, and closes the host with the worker. The host has the hashes as pins, so
that it loads no other content than the client has.
"""
