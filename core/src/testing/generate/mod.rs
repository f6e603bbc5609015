//! Strategies for what nobody wrote by hand: what hooks print, what people write into configuration
//! files, and what a host lets happen. They make what is nearly right, because that is what comes:
//! seeds from golden cases with a wrong type, an unknown or doubled key, an odd word, a byte order
//! mark, an end cut off, or bytes that belong to nobody.

mod damage;
mod documents;
mod envelopes;
mod json;
mod outcomes;

pub use damage::{Damage, damage};
pub use documents::documents;
pub use envelopes::{envelope, envelope_of};
pub use outcomes::outcome;
