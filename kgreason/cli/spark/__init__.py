"""``kgreason spark``: what does not fit one machine. Under spark-submit it runs in the session that is there:

spark-submit --master yarn .../kgreason/__main__.py spark ingest --input hdfs:///dump/ --output hdfs:///encoded

* `spark_ingest`, `spark_materialise`: one command each.
* `spark_options`: the arguments that they share, and what is refused before Spark starts.
"""

from __future__ import annotations

import typer

from kgreason.cli.plain_command import PlainCommand
from kgreason.cli.spark.spark_ingest import ingest
from kgreason.cli.spark.spark_materialise import materialise

spark_commands = typer.Typer(
    name="spark", help="Big data with Spark: raw data in, encoded Parquet or N-Triples out.", rich_markup_mode=None
)


@spark_commands.callback()
def spark() -> None:
    """Big data with Spark: raw data in, encoded Parquet or N-Triples out, and what follows from it."""


for command in (ingest, materialise):
    spark_commands.command(cls=PlainCommand)(command)
