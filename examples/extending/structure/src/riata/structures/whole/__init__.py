"""One label for a whole sentence. In the core: `native/inference/structures/whole_*`, `native/tests/cases/whole.cpp`."""
