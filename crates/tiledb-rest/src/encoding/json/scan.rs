//! JSON scanner: reads the tokens of a text one after another.

use std::borrow::Cow;

use tiledb_core::error::{Result, bail};

/// A position in a JSON text.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    /// A scanner at the start of a text.
    pub(super) fn new(text: &'t str) -> Self {
        Scanner { text, at: 0 }
    }

    /// The next character that is not whitespace; 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.byte()
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    /// Consumes an expected character.
    ///
    /// # Errors
    /// If another character follows.
    pub(super) fn expect(&mut self, sign: u8) -> Result<()> {
        if self.peek() != sign {
            return Err(self.failure(&format!("`{}` is expected", char::from(sign))));
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes `null`, if that is next.
    pub(super) fn null(&mut self) -> bool {
        self.peek() == b'n' && self.word("null")
    }

    /// Goes past `true` or `false`, if one is next.
    pub(super) fn truth(&mut self) -> Option<bool> {
        self.peek();
        if self.word("true") { Some(true) } else { self.word("false").then_some(false) }
    }

    fn word(&mut self, word: &str) -> bool {
        let there = self.text[self.at..].starts_with(word);
        self.at += if there { word.len() } else { 0 };
        there
    }

    /// Whether another element precedes `close`; consumes the separator, or `close`.
    ///
    /// # Errors
    /// Something else comes.
    pub(super) fn more(&mut self, close: u8, first: bool) -> Result<bool> {
        if self.peek() == close {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            self.expect(b',')?;
            if self.peek() == close {
                return Err(self.failure("nothing follows the comma"));
            }
        }
        Ok(true)
    }

    /// Nothing but space is left.
    ///
    /// # Errors
    /// Something is.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.peek() {
            0 if self.at == self.text.len() => Ok(()),
            _ => Err(self.failure("something follows the message")),
        }
    }

    /// The text of a number; empty if the next token is none.
    pub(super) fn number(&mut self) -> &'t str {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// # Errors
    /// There is none, it is not ended, or holds what strings do not.
    pub(super) fn string(&mut self) -> Result<Cow<'t, str>> {
        self.expect(b'"')?;
        let first = self.at;
        let mut owned: Option<String> = None;
        let mut copied = first;
        loop {
            match self.byte() {
                b'"' => break,
                b'\\' => {
                    let text = owned.get_or_insert_default();
                    add(text, &self.text[copied..self.at])?;
                    self.at += 1;
                    let sign = self.escaped()?;
                    add(text, sign.encode_utf8(&mut [0; 4]))?;
                    copied = self.at;
                }
                0..b' ' => return Err(self.failure("the string is not ended")),
                _ => self.at += 1,
            }
        }
        let rest = &self.text[copied..self.at];
        self.at += 1;
        Ok(match owned {
            None => Cow::Borrowed(rest),
            Some(mut text) => {
                add(&mut text, rest)?;
                Cow::Owned(text)
            }
        })
    }

    /// Decodes an escape sequence.
    fn escaped(&mut self) -> Result<char> {
        let sign = self.byte();
        self.at += 1;
        Ok(match sign {
            b'"' | b'\\' | b'/' => char::from(sign),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.coded(),
            _ => return Err(self.failure("a backslash stands before nothing that it may")),
        })
    }

    /// A sign by its number, or by the two of a pair.
    fn coded(&mut self) -> Result<char> {
        let first = self.hex()?;
        let low = if (0xd800..0xdc00).contains(&first) && self.word("\\u") { self.hex()? } else { 0 };
        let pair = 0x10000 + ((first & 0x3ff) << 10) + (low & 0x3ff);
        let code = if (0xdc00..0xe000).contains(&low) { pair } else { first };
        char::from_u32(code).ok_or_else(|| self.failure("half of a pair of signs is missing"))
    }

    fn hex(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| self.failure("four hexadecimal digits are expected"))
    }

    /// An error at this position.
    #[cold]
    pub(super) fn failure(&self, what: &str) -> tiledb_core::error::Error {
        tiledb_core::error::Error::corrupt(format!("{what} at byte {} of the JSON", self.at.min(self.text.len())))
    }

    /// Goes past a value, whatever it is.
    ///
    /// # Errors
    /// It is none, or nested too deep.
    pub(super) fn skip(&mut self, depth: u16) -> Result<()> {
        if depth == 0 {
            bail!(Corrupt, "Objects and lists lie too deep inside one another at byte {} of the JSON", self.at);
        }
        match self.peek() {
            open @ (b'{' | b'[') => {
                self.at += 1;
                let mut first = true;
                while self.more(open + 2, std::mem::take(&mut first))? {
                    if open == b'{' {
                        self.string()?;
                        self.expect(b':')?;
                    }
                    self.skip(depth - 1)?;
                }
                Ok(())
            }
            b'"' => self.string().map(|_| ()),
            b'-' | b'0'..=b'9' if !self.number().is_empty() => Ok(()),
            _ if self.null() || self.truth().is_some() => Ok(()),
            _ => Err(self.failure("a value is expected")),
        }
    }
}

fn add(text: &mut String, more: &str) -> Result<()> {
    let size = text.len() + more.len();
    text.try_reserve(more.len()).map_err(|_| tiledb_core::error::Error::out_of_memory("a string of JSON", size))?;
    text.push_str(more);
    Ok(())
}
