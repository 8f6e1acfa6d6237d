"""What `make lint` asks of the sources beyond ruff, mypy and import-linter."""
