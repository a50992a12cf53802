"""Which tests a run has, and in which order: after its profile (`tests.profiles`) and its markers.

A run that names single tests (``file.py::test``) has those under each profile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import compilation, profiles, selection, temporary_files
from tests.thresholds import Tuned, tuning_context

profiles.load_profile()
if not profiles.IS_THOROUGH:
    temporary_files.put_in_memory()

gc.disable()  # until the tests are collected: hardly anything of them is garbage

collect_ignore = ["spark"] if "spark" in profiles.PROFILE.without else []
"""What a run does not even import, unless it is named: PySpark takes a second."""


@pytest.fixture
def tuned() -> Iterator[Tuned]:
    """Replaces tuned constants until the end of the test."""
    with tuning_context() as tuned:
        yield tuned


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # a process of pytest-xdist
        ignored = [Path(__file__).with_name(name) for name in collect_ignore]
        worker = int(config.workerinput["workerid"].removeprefix("gw"))
        compilation.import_share(config.args, ignored, worker, config.workerinput["workercount"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selection.mark(items)
    if any("::" in argument for argument in config.args):
        return
    kept = selection.selected(items)
    if len(kept) < len(items):
        known = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in known])
        items[:] = kept
    if hasattr(config, "workerinput"):  # a process of pytest-xdist
        from tests.scheduling import long_first

        long_first(items)


def pytest_collection_finish() -> None:
    """The tests themselves stay to the end: the collector of garbage need not look at them, not even once."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """The scheduling of pytest-xdist, which a run on one core does without."""
    from tests.scheduling import Scheduling

    return Scheduling(config, log)
