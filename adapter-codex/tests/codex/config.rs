//! Config, beyond what the fixtures hold.
