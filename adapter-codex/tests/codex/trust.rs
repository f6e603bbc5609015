//! Trust: hashes, keys, and what they keep from running.
