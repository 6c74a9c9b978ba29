//! The tutorial of Wengert is in `examples/`: `tour` shows all of it, and each numbered chapter one thing.
