//! Encoding, beyond what the fixtures hold.
