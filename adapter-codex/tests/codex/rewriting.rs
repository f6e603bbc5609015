//! Rewriting, beyond what the fixtures hold.
