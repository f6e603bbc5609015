//! Launch, beyond what the fixtures hold.
