//! Damage to texts, as editors, encoders and broken pipes do it.

use proptest::{collection::vec, prelude::*, sample::select};

/// One way to damage bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Damage {
    /// None at all.
    None,
    /// So many byte order marks in front.
    Marks(usize),
    /// The end cut off.
    Cut(prop::sample::Index),
    /// Bytes put in between.
    Splice(prop::sample::Index, Vec<u8>),
    /// One byte made another.
    Flip(prop::sample::Index, u8),
    /// So many bytes once more.
    Repeat(prop::sample::Index, usize),
    /// Written as UTF-16 with a byte order mark.
    Utf16 {
        /// The lower byte first.
        little: bool,
    },
    /// Something before and behind it.
    Around(&'static str, &'static str),
}

/// Any damage; most often none.
pub fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => Just(Damage::None),
        1 => (1..4usize).prop_map(Damage::Marks),
        2 => index().prop_map(Damage::Cut),
        2 => (index(), vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Damage::Splice(at, bytes)),
        1 => (index(), select(vec![b',', b'"', b'{', b'}', b'[', b':', b'\\', b'/', b'*', 0]))
            .prop_map(|(at, byte)| Damage::Flip(at, byte)),
        1 => (index(), 1..40usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
        1 => any::<bool>().prop_map(|little| Damage::Utf16 { little }),
        1 => select(vec![("// a\n", ""), ("/* a */", "// b"), ("\n\n", "\r\n"), ("", "x"), ("log\n", ""), ("", "{}")])
            .prop_map(|(before, after)| Damage::Around(before, after)),
    ]
}

impl Damage {
    /// The bytes with this damage.
    pub fn of(&self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        let at = |index: &prop::sample::Index| index.index(whole.len() + 1);
        match self {
            Damage::None => {}
            Damage::Marks(n) => bytes = "\u{feff}".repeat(*n).bytes().chain(bytes).collect(),
            Damage::Cut(index) => bytes.truncate(at(index)),
            Damage::Splice(index, more) => drop(bytes.splice(at(index)..at(index), more.iter().copied())),
            Damage::Flip(index, byte) => {
                let at = index.index(whole.len().max(1));
                bytes.iter_mut().skip(at).take(1).for_each(|old| *old = *byte);
            }
            Damage::Repeat(index, length) => {
                let part: Vec<u8> = bytes.iter().copied().skip(at(index)).take(*length).collect();
                bytes.splice(at(index)..at(index), part);
            }
            Damage::Utf16 { little } => {
                let write = |unit: u16| if *little { unit.to_le_bytes() } else { unit.to_be_bytes() };
                let text = format!("\u{feff}{}", String::from_utf8_lossy(whole));
                bytes = text.encode_utf16().flat_map(write).collect();
            }
            Damage::Around(before, after) => bytes = [before.as_bytes(), whole, after.as_bytes()].concat(),
        }
        bytes
    }
}
