"""Hostile inputs: one clear error or a right answer; never a crash or a hang.

Each module here has a target. A short search that is the same in every run is part of the tests (`test_fuzz`); a long
one is ``python -m tests.fuzz TARGET SECONDS``, led by what code it reaches when ``atheris`` is installed.
"""
