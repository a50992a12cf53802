"""Would catch a mapping of a stranger that reads a file which its user did not mean; none of it needs Spark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kgreason.access import NOTHING, Access
from kgreason.errors import MappingError
from kgreason_mapping.arrow.local_files import files_at
from kgreason_mapping.sources.source_reach import check_links, check_location

OUTSIDE = "is outside of"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of inputs, beside a file that is none of them."""
    (tmp_path / "in" / "part=1").mkdir(parents=True)
    (tmp_path / "in" / "a.csv").write_text("id\n1\n")
    (tmp_path / "secret.csv").write_text("id\n2\n")
    return tmp_path / "in"


@pytest.mark.parametrize("named", ["a.csv", "*.csv", "part=1/..a.csv", "a..csv", "...", "{a,b}.csv", "s 3:a.csv"])
def test_location_in_the_folder_is_allowed(folder: Path, named: str) -> None:
    for place in (str(folder), folder.as_uri(), "s3a://bucket/in", ""):
        check_location(named, [place], NOTHING)


@pytest.mark.parametrize(
    "named",
    [
        "../secret.csv", "a/../../secret.csv", "..", "part=1/..", r"\../secret.csv", r".\./secret.csv",
        ".{./secret.csv,x}", "{.,x}{.,y}/secret.csv", "a/{x,.{y,.}}/../secret.csv", "{a,.{b,.}}/secret.csv",
        "{..,x}/secret.csv", "{x,../secret.csv}", "{../secret.csv,x}", "/etc/passwd", "//etc/passwd",
        "file:///etc/passwd", "file:/etc/passwd", "file://host/etc/passwd", "FILE:///etc/passwd", "hdfs://n/etc",
        "s3a://bucket/in-other/a.csv", "s3a://other/in/a.csv", "http://localhost/x.csv", "s3a://bucket/in/../x.csv",
    ],
)  # fmt: skip
def test_location_that_leads_elsewhere_is_refused(folder: Path, named: str) -> None:
    for place in (str(folder), folder.as_uri(), "s3a://bucket/in"):
        with pytest.raises(MappingError, match=OUTSIDE) as raised:
            check_location(named, [place], NOTHING)
        assert "\n" not in str(raised.value)


def test_whole_location_in_the_folder_is_allowed(folder: Path) -> None:
    check_location(str(folder / "a.csv"), [str(folder)], NOTHING)
    check_location((folder / "a.csv").as_uri(), [str(folder)], NOTHING)
    check_location(str(folder / "a.csv"), [folder.as_uri()], NOTHING)
    check_location("s3a://bucket/in/a.csv", ["s3a://bucket/in"], NOTHING)


def test_folder_that_the_owner_allows_is_read(folder: Path) -> None:
    secret = folder.parent / "secret.csv"

    check_location(str(secret), [str(folder)], Access(folders=(folder.parent,)))
    with pytest.raises(MappingError, match=OUTSIDE):
        check_location(str(secret), [str(folder)], Access(folders=(folder,)))


def test_link_out_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "link.csv").symlink_to("../secret.csv")
    (folder / "part=1" / "b.csv").symlink_to(folder / "a.csv")

    check_links((folder / "a.csv").as_uri(), [str(folder)], NOTHING)
    check_links(str(folder / "part=1"), [str(folder)], NOTHING)
    check_links(str(folder / "link.csv"), [str(folder)], Access(folders=(folder.parent,)))
    for found in (folder / "link.csv", folder):
        with pytest.raises(MappingError, match=r"link\.csv' is outside of"):
            check_links(found.as_uri(), [str(folder)], NOTHING)


def test_folder_that_is_a_link_itself_is_what_it_leads_to(folder: Path) -> None:
    linked = folder.parent / "linked"
    os.symlink(folder, linked)

    check_links(str(linked / "a.csv"), [str(linked)], NOTHING)


def test_pattern_of_too_many_locations_is_refused(folder: Path) -> None:
    many = "{a,b}" * 40 + ".csv"

    with pytest.raises(MappingError, match="stands for more than 10,000 locations"):
        check_location(many, [str(folder)], NOTHING)
    with pytest.raises(MappingError, match="stands for more than 10,000 locations"):
        files_at(str(folder / many), unfinished=False)
