"""Functions that are passed to Dask as they are, which pickles them."""

import dask.array
import dask.bag
import numpy
import pytest
from distributed import Client, LocalCluster

import troupe


@pytest.mark.parametrize("isolate", [None, True])
def test_functions_of_a_host_are_tasks_of_worker_processes(user_directories, examples, isolate):
    with troupe.Host(examples, isolate=isolate) as host:
        area, hypot = host.functions["area"], host.functions["hypot"]
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
            assert client.gather(client.map(area, range(20), range(20))) == [x * x for x in range(20)]
            assert client.submit(hypot.map, numpy.array([3.0, 5.0]), [4.0, 12.0]).result().tolist() == [5, 13]
            if isolate is None:
                assert client.submit(area.ufunc, numpy.ones(3), 2).result().tolist() == [2, 2, 2]
            starts = client.run(lambda: len(troupe._troupe.open_hosts))
            assert set(starts.values()) <= {0, 1}


def test_functions_of_a_host_are_tasks_of_the_scheduler_with_processes(user_directories, examples):
    with troupe.Host(examples) as host:
        area = host.functions["area"]
        assert dask.bag.from_sequence(range(4), npartitions=2).map(area, 2).compute(scheduler="processes") == [0, 2, 4, 6]
        blocks = dask.array.ones(4, chunks=2)
        assert dask.array.map_blocks(area.map, blocks, 2.0).compute(scheduler="processes").tolist() == [2, 2, 2, 2]
