"""Functions of plugins in Spark Connect, whose sessions need a process of their own."""

import subprocess
import sys
import textwrap

PROGRAM = """
    import shutil, sys
    from pyspark.sql import SparkSession, functions as F
    import troupe
    from troupe.spark import PluginDirectory, map_in_arrow, pipe, udf

    plugins, shipped = sys.argv[1:]
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    frame = spark.createDataFrame([(3.0, 4.0), (5.0, None), (8.0, 15.0)], "a double, b double")
    print([row.c for row in frame.select(udf("hypot", plugins=plugins)("a", "b").alias("c")).collect()])
    print(map_in_arrow(frame, "hypot", "a", "b", plugins=plugins, keep=["a"]).collect()[2])
    directories = [PluginDirectory(spark, shipped, settings={"org.example.samples": {"any": text}}) for text in ("one", "two", "two")]
    areas = [udf("area", plugins=directory) for directory in directories]
    roots = {on_error: udf("root", plugins=directories[0], on_error=on_error) for on_error in ("raise", "null")}
    shutil.rmtree(shipped)
    for area in areas:
        print([row.c for row in frame.select(area("a", F.lit(2.0)).alias("c")).collect()])
    spark.udf.register("area", areas[0])
    print(spark.sql("select area(2, 3) as area").collect()[0].area)
    for root in roots.values():
        try:
            print([row.c for row in frame.select(root(F.lit(-1)).alias("c")).collect()])
        except Exception as error:
            print(type(error).__name__, "ReportedFailure" in str(error))
    try:
        pipe(frame, tags="base64-decode", plugins=plugins)
    except troupe.InvalidArgument as error:
        print(error.subject, "Spark Connect" in error.remedy)
    spark.stop()
"""


def test_columns_are_mapped_and_plugins_ship_in_spark_connect(examples, changeable, tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    command = [sys.executable, "program.py", str(examples), str(changeable)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert run.stdout.splitlines() == [
        "[5.0, None, 17.0]", "Row(a=8.0, hypot=17.0)", "[6.0, 10.0, 16.0]", "[6.0, 10.0, 16.0]", "[6.0, 10.0, 16.0]", "6.0",
        "PythonException True", "[None, None, None]", "pipe True",
    ], run.stderr  # fmt: skip
