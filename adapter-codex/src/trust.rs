//! The hash by which Codex knows a handler again, and the key of its state.
