//! Reading, beyond what the fixtures hold.
