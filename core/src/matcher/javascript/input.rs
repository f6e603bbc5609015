//! A pattern as UTF-16 code units, read from the front. It knows digits, not what they mean.

/// A number as good as any number of times; V8 counts as far.
pub(super) const INFINITE: u32 = i32::MAX as u32;

/// The code units and how far they are read.
#[derive(Debug)]
pub(super) struct Input {
    units: Vec<u16>,
    pub(super) at: usize,
}

impl Input {
    pub(super) fn new(text: &str) -> Self {
        Self { units: text.encode_utf16().collect(), at: 0 }
    }

    /// The units from one place up to another.
    pub(super) fn slice(&self, from: usize, to: usize) -> &[u16] {
        self.units.get(from..to).unwrap_or_default()
    }

    /// What was read since `from`.
    pub(super) fn text_from(&self, from: usize) -> String {
        String::from_utf16_lossy(self.slice(from, self.at))
    }

    /// The next unit as a character; one that is not ASCII is no syntax and comes as U+FFFD.
    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    /// The unit `ahead` of the next one, likewise.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        let unit = self.units.get(self.at + ahead)?;
        let ascii = u8::try_from(*unit).ok().filter(u8::is_ascii);
        Some(ascii.map_or(char::REPLACEMENT_CHARACTER, char::from))
    }

    /// Reads one unit.
    pub(super) fn bump(&mut self) -> Option<u16> {
        let unit = self.units.get(self.at).copied()?;
        self.at += 1;
        Some(unit)
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        let here = self.slice(self.at, self.at + text.len());
        here.iter().copied().eq(text.bytes().map(u16::from))
    }

    /// Reads the text if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Reads decimal digits; what is beyond [`INFINITE`] is that.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let longer = number.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit);
            number = Some(longer.min(INFINITE));
            self.at += 1;
        }
        number
    }

    /// Reads one to three octal digits that stay below 256.
    pub(super) fn octal(&mut self) -> u16 {
        let mut value = 0;
        for _ in 0..3 {
            let digit = self.peek().and_then(|c| c.to_digit(8)).and_then(|digit| u16::try_from(digit).ok());
            let Some(longer) = digit.map(|digit| value * 8 + digit).filter(|value| *value < 256) else {
                break;
            };
            value = longer;
            self.at += 1;
        }
        value
    }

    /// Reads exactly so many hexadecimal digits, at most four, or nothing.
    pub(super) fn hex(&mut self, digits: usize) -> Option<u16> {
        let from = self.at;
        let mut value = 0_u16;
        for _ in 0..digits {
            let Some(digit) = self.hex_digit().and_then(|digit| u16::try_from(digit).ok()) else {
                self.at = from;
                return None;
            };
            value = value * 16 + digit;
        }
        Some(value)
    }

    pub(super) fn hex_digit(&mut self) -> Option<u32> {
        let digit = self.peek()?.to_digit(16)?;
        self.at += 1;
        Some(digit)
    }
}
