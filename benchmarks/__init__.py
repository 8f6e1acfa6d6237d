"""Side-by-side measurements; `make bench` prints them, docs/benchmarks.md keeps them."""
