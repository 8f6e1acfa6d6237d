"""The hook runner: requests of a host in, actions out. docs/hook-protocol.md is its contract."""
