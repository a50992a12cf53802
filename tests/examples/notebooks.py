"""Notebooks, run as Jupyter runs them, but in this process and without IPython: cell by cell, from top to bottom.

Their outputs are committed, so that a reader sees them without running anything. They are the same in every run:
printed text, the HTML of kgreason's own objects, and the text of all others. After a change that is meant to change
them:

    python -m tests.examples.notebooks
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any, Final

NOTEBOOKS: Final = Path(__file__).parents[2] / "examples" / "notebooks"


def read(path: Path) -> dict[str, Any]:
    """A notebook as Jupyter writes it."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any], name: str) -> list[list[dict[str, Any]]]:
    """The outputs of each cell; an error of a cell comes out with its traceback, which has `name` and the cell."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    return [
        _outputs("".join(cell["source"]), f"{name}, cell {number}", number, namespace)
        for number, cell in enumerate(code_cells(notebook), start=1)
    ]


def _outputs(source: str, place: str, number: int, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    body = ast.parse(source, place).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), place, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), namespace)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {kind: _lines(text) for kind, text in _shown(value).items()}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def _shown(value: Any) -> dict[str, str]:
    if type(value).__module__.startswith("kgreason"):
        return {"text/html": value._repr_html_()}
    return {"text/plain": str(value) if type(value).__module__.startswith("pandas") else repr(value)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def write_outputs(path: Path) -> None:
    """Run a notebook, and put what it gives in the place of its outputs."""
    notebook = read(path)
    outputs = run(notebook, path.name)
    for number, (cell, found) in enumerate(zip(code_cells(notebook), outputs, strict=True), start=1):
        cell["execution_count"], cell["outputs"] = number, found
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in sorted(NOTEBOOKS.glob("*.ipynb")):
        write_outputs(each)
