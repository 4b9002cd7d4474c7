//! Where the bytes of an Arrow file or stream come from: lengths that a file or a pipe announces are not trusted.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow_buffer::{Buffer, MutableBuffer};

use super::arrow_reader::{damaged, no_memory};
use super::input::Input;
use crate::model::{Error, Result};

/// Maximum length of a message from a pipe, of which the number of bytes to come is not known.
const MAX_PIPED: u64 = 4 << 30;
/// Bytes that are read at once from a pipe, so that a wrong length does not allocate more than the pipe has.
const STEP: usize = 1 << 20;

/// A file, of which all lengths are compared with its size, or a pipe.
pub(super) enum ArrowSource {
    File(BufReader<File>, u64),
    Pipe(Box<dyn Read>),
}

impl ArrowSource {
    pub(super) fn open(input: &mut Input) -> Result<Self> {
        if input.is_pipe() {
            return Ok(Self::Pipe(input.take_pipe()?));
        }
        let file = input.file()?;
        let size = file.metadata()?.len();
        Ok(Self::File(BufReader::new(file), size))
    }

    /// The size of a file; 0 of a pipe.
    pub(super) fn size(&self) -> u64 {
        if let Self::File(_, size) = self { *size } else { 0 }
    }

    /// Goes to a position in a file.
    pub(super) fn seek(&mut self, position: u64) -> Result<()> {
        match self {
            Self::File(file, _) => file.seek(SeekFrom::Start(position)).map(|_| ()).map_err(Error::from),
            Self::Pipe(_) => Err(Error::failed("a pipe is read from its beginning to its end only")),
        }
    }

    /// The next number; none at the end.
    pub(super) fn next_word(&mut self) -> Result<Option<[u8; 4]>> {
        let mut word = Vec::new();
        self.by_ref().take(4).read_to_end(&mut word)?;
        match <[u8; 4]>::try_from(word.as_slice()) {
            Ok(word) => Ok(Some(word)),
            Err(_) if word.is_empty() => Ok(None),
            Err(_) => Err(damaged("it ends within the length of a message")),
        }
    }

    /// A length, if there can be as many bytes.
    fn checked(&mut self, length: u64) -> Result<usize> {
        let left = match self {
            Self::File(file, size) => size.saturating_sub(file.stream_position()?),
            Self::Pipe(_) => MAX_PIPED,
        };
        let fits = usize::try_from(length).ok().filter(|_| length <= left);
        fits.ok_or_else(|| match self {
            Self::File(..) => damaged(format!("{length} bytes are announced where {left} are left")),
            Self::Pipe(_) => damaged(format!("a message of {length} bytes is longer than {left}")),
        })
    }

    pub(super) fn read_bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        let length = self.checked(length)?;
        let mut bytes = Vec::new();
        if matches!(self, Self::File(..)) {
            bytes.try_reserve_exact(length).map_err(|_| no_memory(length as u64))?;
        }
        self.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length { Err(cut(length, bytes.len())) } else { Ok(bytes) }
    }

    /// Reads an aligned buffer.
    pub(super) fn read_body(&mut self, length: u64) -> Result<Buffer> {
        let length = self.checked(length)?;
        if let Self::File(file, _) = self {
            let mut body = MutableBuffer::try_from_len_zeroed(length).map_err(|_| no_memory(length as u64))?;
            file.read_exact(body.as_slice_mut())?;
            return Ok(body.into());
        }
        let (mut body, mut part) = (MutableBuffer::new(0), Vec::new());
        while body.len() < length {
            part.clear();
            self.take((length - body.len()).min(STEP) as u64).read_to_end(&mut part)?;
            if part.is_empty() {
                return Err(cut(length, body.len()));
            }
            body.extend_from_slice(&part);
        }
        Ok(body.into())
    }
}

impl Read for ArrowSource {
    fn read(&mut self, place: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file, _) => file.read(place),
            Self::Pipe(pipe) => pipe.read(place),
        }
    }
}

fn cut(length: usize, found: usize) -> Error {
    damaged(format!("{length} bytes are announced where {found} are left"))
}
