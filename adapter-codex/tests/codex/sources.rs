//! Sources, beyond what the fixtures hold.
