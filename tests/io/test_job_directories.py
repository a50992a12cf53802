"""Names in directories of jobs: would catch a checksum taken for data, or a leftover missed."""

from __future__ import annotations

import doctest

import pytest

from kgreason.io import job_directories
from kgreason.io.job_directories import Job, contents_of, is_ignored, needs_success, partition_values

UUID = "0a1b2c3d-0123-4567-89ab-0123456789ab"


@pytest.mark.parametrize(
    "name", ["_SUCCESS", "_committed_17", ".part-00000.crc", "a.nt.crc", ".a.nt", "_temporary", "_a.nt", "_metadata"]
)
def test_name_that_counts_as_nothing(name: str) -> None:
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["a.nt", "part-00000", "_year=2026", "a_b.nt", "p=_x", "a.crc.nt"])
def test_name_that_counts(name: str) -> None:
    assert not is_ignored(name)


@pytest.mark.parametrize(
    "name",
    [
        f"part-00000-{UUID}-c000.txt",
        f"part-00000-{UUID}-c000.txt.gz",
        f"part-00000-{UUID}.c000.snappy.parquet",
        f"part-00000-{UUID}-c000.nt.gz",
        f"part-00017-tid-42-{UUID}-9-1-c000.txt",
        "part-00000",
        "part-00000.gz",
        "part-00000.bz2",
        "part-00000.deflate",
        "part-00000.txt",
        "part-r-00000",
        "part-m-00003.gz",
        "part-r-00000.parquet",
    ],
)
def test_name_by_spark_or_hadoop_needs_success(name: str) -> None:
    assert needs_success(name)
    assert contents_of([f"out/{name}"]).leftovers[0].path == f"out/{name}"
    assert not contents_of([f"out/{name}", "out/_SUCCESS"]).leftovers


@pytest.mark.parametrize("name", ["part-00000.nt", "part-00000.nq.zst", "part-dup.nt.gz", "part-00000.parquet"])
def test_renamed_part_needs_no_success(name: str) -> None:
    assert not contents_of([f"out/{name}"]).leftovers


@pytest.mark.parametrize(
    ("path", "leftover"),
    [
        ("_temporary/", "_temporary"),
        ("_temporary/0/task_1/part-00000", "_temporary"),
        ("out/_temporary/0/part-00000", "out/_temporary"),
        ("_work-0123456789ab/content/part-00000.nt", "_work-0123456789ab"),
        ("dt=2026/.spark-staging-7/part-00000", "dt=2026/.spark-staging-7"),
        ("a.nt._COPYING_", "a.nt._COPYING_"),
    ],
)
def test_leftover_of_an_unfinished_job_is_named(path: str, leftover: str) -> None:
    assert [found.path for found in contents_of([path, "b.nt"]).leftovers] == [leftover]


@pytest.mark.parametrize("path", [".git/_temporary/x", "_old/_work-1/part-00000.nt", "part-00000.nt/x"])
def test_what_lies_in_something_ignored_is_no_leftover(path: str) -> None:
    assert not contents_of([path]).leftovers


def test_partitions_belong_to_the_job_above_them() -> None:
    paths = [f"out/dt=2026/p={letter}/part-00000-{UUID}-c000.txt" for letter in "ab"]

    assert contents_of([*paths, "out/_SUCCESS"]).jobs == (Job("out", tuple(paths)),)
    assert not contents_of([*paths, "out/_SUCCESS"]).leftovers
    assert len(contents_of(paths).leftovers) == 2
    assert not contents_of([*paths, *(f"{path.rpartition('/')[0]}/_SUCCESS" for path in paths)]).leftovers


def test_partition_listed_alone_asks_whether_its_job_succeeded() -> None:
    path = f"hour=7/part-00000-{UUID}.txt"

    assert contents_of([path]).leftovers
    assert not contents_of([path], succeeded=True).leftovers


def test_jobs_in_two_folders_are_two_and_files_beside_them_are_files() -> None:
    found = contents_of(["a/part-00000.nt", "b/part-00000.nt", "b/part-00001.nt", "b/c.nt", "d.nt", "_e/part-00000.nt"])

    assert found.files == ("b/c.nt", "d.nt")
    assert found.jobs == (Job("a", ("a/part-00000.nt",)), Job("b", ("b/part-00000.nt", "b/part-00001.nt")))


def test_success_of_a_folder_says_nothing_of_the_folders_in_it() -> None:
    assert contents_of(["_SUCCESS", "again/part-00000"]).leftovers


def test_success_beside_nothing_that_counts_is_an_empty_result() -> None:
    assert contents_of(["_SUCCESS", "._SUCCESS.crc"]).is_empty_result
    assert not contents_of(["_SUCCESS", "a.bin"]).is_empty_result
    assert not contents_of([]).is_empty_result


def test_encoded_triples_without_manifest_are_unfinished() -> None:
    parts = ["e/dictionary/part-00000.parquet", "e/triples/predicate=0/part-00000.parquet"]

    assert [found.path for found in contents_of(parts).leftovers] == ["e/manifest.json"]
    assert not contents_of([*parts, "e/manifest.json"]).leftovers


def test_quarantine_beside_ntriples_counts_as_nothing() -> None:
    unread = f"quarantine/part-00000-{UUID}-c000.json"
    parts = ["ntriples/", "ntriples/part-00000.nt.gz", "quarantine/", unread]

    assert contents_of(parts).files == ()
    assert contents_of(parts).jobs == (Job("ntriples", ("ntriples/part-00000.nt.gz",)),)
    assert not contents_of(f"out/{part}" for part in parts).leftovers
    assert contents_of([unread]).leftovers


def test_values_of_partitions_are_unescaped() -> None:
    path = "p=http%3A%2F%2Fe%2Fp/g=__HIVE_DEFAULT_PARTITION__/part-00000.parquet"

    assert partition_values(path) == {"p": "http://e/p", "g": None}


def test_example_of_the_module() -> None:
    assert doctest.testmod(job_directories).failed == 0
