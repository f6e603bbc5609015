//! Damage to texts, as editors, encoders and broken pipes do it.

use proptest::{collection::vec, prelude::*, sample::select};

/// One way to damage bytes.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    None,
    Marks(usize),
    Cut(prop::sample::Index),
    Splice(prop::sample::Index, Vec<u8>),
    Flip(prop::sample::Index, u8),
    Repeat(prop::sample::Index, usize),
    Utf16 { little: bool },
    Around(&'static str, &'static str),
}

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
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
    pub(crate) fn of(&self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        let at = |index: &prop::sample::Index| index.index(text.len() + 1);
        match self {
            Damage::None => {}
            Damage::Marks(n) => bytes = "\u{feff}".repeat(*n).bytes().chain(bytes).collect(),
            Damage::Cut(index) => bytes.truncate(at(index)),
            Damage::Splice(index, more) => drop(bytes.splice(at(index)..at(index), more.iter().copied())),
            Damage::Flip(index, byte) => {
                let at = index.index(text.len().max(1));
                bytes.iter_mut().skip(at).take(1).for_each(|old| *old = *byte);
            }
            Damage::Repeat(index, length) => {
                let part: Vec<u8> = bytes.iter().copied().skip(at(index)).take(*length).collect();
                bytes.splice(at(index)..at(index), part);
            }
            Damage::Utf16 { little } => {
                let write = |unit: u16| if *little { unit.to_le_bytes() } else { unit.to_be_bytes() };
                bytes = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(write).collect();
            }
            Damage::Around(before, after) => bytes = format!("{before}{text}{after}").into_bytes(),
        }
        bytes
    }
}
