"""Registration with pi: the package, its entry in pi's settings, the describe files of the shim."""
