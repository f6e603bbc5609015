//! Matching, beyond what the fixtures hold.
