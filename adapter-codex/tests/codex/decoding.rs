//! Decoding, beyond what the fixtures hold.
