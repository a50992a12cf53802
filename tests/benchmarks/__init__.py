"""Benchmarks: this engine, its peers from PyPI and the limit, side by side from one run.

``python -m tests.benchmarks`` (or ``make benchmark``) prints one table. Every contestant runs in a process of its
own, so that neither imports nor memory of one disturb another; times are medians of several runs.

* `worker`: one measurement in one process, printed as JSON.
* `contestants`: what is measured, for this engine and for each peer.
* `table`: runs them and prints ratios.
"""
