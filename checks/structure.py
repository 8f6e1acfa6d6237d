"""Fails on import circles and on files that are too long.

grimp, which import-linter is built on, finds the imports, those in functions and under
TYPE_CHECKING included. It does not see imports by name (`import_module`) and TypeScript; these are
added here.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import grimp

if TYPE_CHECKING:
    from collections.abc import Iterator

    #: The text of each import statement, by its module and line.
    Statements = dict[tuple[str, int], str]

#: Each package and the folder it lies in.
PACKAGES = {
    "pimem_core": "core",
    "pimem_tui": "tui",
    "pimem_styles": "styles",
    "pimem_pi": "extension",
}
#: Where files are counted: the packages, and what is written around them.
FOLDERS = (*PACKAGES.values(), "tests", "benchmarks", "screenshots", "checks")
MAX_LINES = 400

_TS_IMPORT = re.compile(r"""\b(?:from|import|require)\s*\(?\s*["'](\.[^"']*)["']""")


def main(arguments: list[str]) -> int:
    """Print what is wrong below a root, by default this project's; 1 if anything is."""
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    sys.path[:0] = [str(root / folder) for folder in PACKAGES.values()]
    graph, statements = import_graph(root)
    found = [*circles(graph, statements), *long_files(root)]
    print("\n".join(found) or f"{len(graph.modules)} modules, no import circles.")
    return 1 if found else 0


def import_graph(root: Path) -> tuple[grimp.ImportGraph, Statements]:
    """Every import between our own modules, whatever its form, and how each is written."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    statements: Statements = {}
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder / package).rglob("*.py")):
            _read_python(path, root / folder, graph, statements)
        for path in sorted((root / folder / package).rglob("*.ts")):
            _read_typescript(path, root, graph)
    return graph, statements


def circles(graph: grimp.ImportGraph, statements: Statements) -> Iterator[str]:
    """Each set of modules that reach one another, with the imports that tie it together."""
    needs = {name: graph.find_upstream_modules(name) for name in sorted(graph.modules)}
    seen: set[str] = set()
    for name in needs:
        circle = {name} | {other for other in needs[name] if name in needs[other]}
        if len(circle) == 1 or name in seen:
            continue
        seen |= circle
        yield f"Import circle of {len(circle)} modules:"
        for importer in sorted(circle):
            for imported in sorted(graph.find_modules_directly_imported_by(importer) & circle):
                for line in graph.get_import_details(importer=importer, imported=imported):
                    number = line["line_number"]
                    text = statements.get((importer, number), line["line_contents"])
                    yield f"  {importer}:{number} -> {imported}    {text}"


def long_files(root: Path) -> Iterator[str]:
    """Each file with more lines than a reader should be asked to hold."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".ts") and "node_modules" not in path.parts:
                lines = path.read_bytes().count(b"\n")
                if lines > MAX_LINES:
                    yield f"{path.relative_to(root)}: {lines} lines, more than {MAX_LINES}"


def _read_python(
    path: Path, folder: Path, graph: grimp.ImportGraph, statements: Statements
) -> None:
    """Keep the text of each import statement, and add each `import_module` call to the graph."""
    parts = path.relative_to(folder).with_suffix("").parts
    package = ".".join(parts[:-1])
    module = package if parts[-1] == "__init__" else ".".join(parts)
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            statements[module, node.lineno] = ast.unparse(node)
        elif isinstance(node, ast.Call) and node.args:
            if not re.search(r"\b(import_module|__import__)$", ast.unparse(node.func)):
                continue
            wanted = _pattern(node.args[0], package)
            if wanted.startswith(r"\."):
                wanted = re.escape(package) + wanted
            for name in sorted(graph.modules):
                if name != module and re.fullmatch(wanted, name):
                    graph.add_import(
                        importer=module,
                        imported=name,
                        line_number=node.lineno,
                        line_contents=ast.unparse(node),
                    )


def _pattern(name: ast.expr, package: str) -> str:
    """The names that an expression may stand for: what only a run tells may be any."""
    if isinstance(name, ast.Constant):
        return re.escape(str(name.value))
    if isinstance(name, ast.JoinedStr):
        return "".join(_pattern(part, package) for part in name.values)
    if isinstance(name, ast.FormattedValue):
        return _pattern(name.value, package)
    if isinstance(name, ast.Name) and name.id == "__package__":
        return re.escape(package)
    return ".+"


def _read_typescript(path: Path, root: Path, graph: grimp.ImportGraph) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for target in _TS_IMPORT.findall(line):
            imported = (path.parent / target).resolve()
            graph.add_import(
                importer=str(path.relative_to(root)),
                imported=str(imported.relative_to(root)),
                line_number=number,
                line_contents=line.strip(),
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
