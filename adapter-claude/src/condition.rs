//! Whether an `if` holds: one permission rule, of a tool and what it is called with.
