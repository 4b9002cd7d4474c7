//! Reads the record batches of untrusted Arrow files and streams.
//!
//! The `arrow-ipc` crate decodes messages, but trusts the lengths in them: a corrupt one makes it panic, or allocate so much
//! memory that the process aborts. Therefore this module reads the framing and checks each length against the file or the body
//! of its message before it is passed to the decoder; a panic of the decoder becomes an error.

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{Block, CompressionType, Message, MessageHeader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::model::{Error, Result};

use super::arrow_source::ArrowSource;
use super::input::Input;
use super::signature::FileKind;

/// Continuation marker before a message's length, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The end of a file: the length of its footer, and these letters.
const MAGIC: &[u8; 6] = b"ARROW1";
/// Bytes of the signature at the beginning of a file.
const PADDED_MAGIC: u64 = 8;
/// Words of four bytes by which some writers align the first message to 64 bytes.
const PADDING: usize = 14;
/// An LZ4 block decodes to at most this many times its size.
pub(super) const MAX_LZ4_RATIO: u64 = 255;
/// A block of Zstandard has four bytes at least, and decodes to 128 KiB at most.
pub(super) const MAX_ZSTD_RATIO: u64 = (128 << 10) / 4;

/// Iterates over the record batches of one file or stream.
pub(super) struct ArrowReader {
    name: String,
    source: ArrowSource,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Where the batches are; a stream has no table of them.
    blocks: Option<std::vec::IntoIter<Block>>,
    /// Zeros that may precede the next message.
    padding: usize,
    is_done: bool,
}

/// The metadata of one message and its body.
struct Frame {
    metadata: Vec<u8>,
    body: Buffer,
}

impl ArrowReader {
    /// Opens an Arrow file or stream, and reads its schema.
    pub(super) fn open(input: &mut Input) -> Result<Self> {
        let mut reader = Self {
            name: input.name.clone(),
            source: ArrowSource::open(input)?,
            schema: Arc::new(arrow_schema::Schema::empty()),
            dictionaries: HashMap::new(),
            blocks: None,
            padding: 0,
            is_done: false,
        };
        let opened = match (input.kind, input.is_pipe()) {
            (FileKind::ArrowFile, false) => reader.begin_file(),
            // Behind its signature a file is a stream, which a footer follows.
            (FileKind::ArrowFile, true) => reader.source.read_bytes(PADDED_MAGIC).and_then(|_| {
                reader.padding = PADDING;
                reader.begin_stream()
            }),
            _ => reader.begin_stream(),
        };
        opened.map_err(|error| reader.wrong(error))?;
        Ok(reader)
    }

    /// The schema of all batches.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn begin_stream(&mut self) -> Result<()> {
        let frame = self.next_frame()?.ok_or_else(|| damaged("the stream is empty"))?;
        let message = frame.message()?;
        let schema = message.header_as_schema().ok_or_else(|| damaged("the first message has no schema"))?;
        self.schema = read_schema(schema)?;
        Ok(())
    }

    fn begin_file(&mut self) -> Result<()> {
        let footer = self.read_footer()?;
        let footer = arrow_ipc::root_as_footer(&footer).map_err(|error| damaged(format!("footer: {error}")))?;
        let schema = footer.schema().ok_or_else(|| damaged("the footer has no schema"))?;
        self.schema = read_schema(schema)?;
        for block in footer.dictionaries().into_iter().flatten() {
            let frame = self.read_block(block)?;
            let message = frame.message()?;
            self.take_dictionary(&message, &frame.body)?;
        }
        let blocks = footer.recordBatches().ok_or_else(|| damaged("the footer lists no record batches"))?;
        self.blocks = Some(blocks.iter().copied().collect::<Vec<_>>().into_iter());
        Ok(())
    }

    fn read_footer(&mut self) -> Result<Vec<u8>> {
        let mut end = [0; 10];
        let end_at = self.source.size().checked_sub(end.len() as u64);
        let end_at = end_at.ok_or_else(|| damaged("the file is too short"))?;
        self.source.seek(end_at)?;
        self.source.read_exact(&mut end)?;
        let (length, magic) = end.split_at(4);
        if magic != MAGIC {
            return Err(damaged("the file does not end with ARROW1"));
        }
        let length = <[u8; 4]>::try_from(length).map_or(0, i32::from_le_bytes);
        let footer_at = u64::try_from(length).ok().and_then(|length| end_at.checked_sub(length));
        let footer_at = footer_at.ok_or_else(|| damaged(format!("a footer of {length} bytes does not fit in")))?;
        self.source.seek(footer_at)?;
        self.source.read_bytes(end_at - footer_at)
    }

    /// Reads the message at this position, as stated by the footer.
    fn read_block(&mut self, block: &Block) -> Result<Frame> {
        let size = self.source.size();
        let number = |number: i64| u64::try_from(number).ok().filter(|&number| number <= size);
        let place = number(block.offset()).zip(number(block.metaDataLength().into())).zip(number(block.bodyLength()));
        let Some(((offset, metadata), body)) = place.filter(|((a, b), c)| a + b + c <= size) else {
            return Err(damaged("a block of the footer lies outside of the file"));
        };
        self.source.seek(offset)?;
        let mut metadata = self.source.read_bytes(metadata)?;
        let prefix = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
        if metadata.len() < prefix {
            return Err(damaged("a message has no metadata"));
        }
        metadata.drain(..prefix);
        Ok(Frame { metadata, body: self.source.read_body(body)? })
    }

    /// Reads the message that comes next in a stream; none at its end.
    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let Some(mut word) = self.source.next_word()? else { return Ok(None) };
        let padding = std::mem::take(&mut self.padding);
        for _ in 0..padding {
            if word != [0; 4] {
                break;
            }
            word = self.source.next_word()?.ok_or_else(|| damaged("the stream is empty"))?;
        }
        if word == CONTINUATION {
            word = self.source.next_word()?.ok_or_else(|| damaged("a message has no length"))?;
        }
        let length = i32::from_le_bytes(word);
        if length == 0 {
            return Ok(None);
        }
        let length = u64::try_from(length).map_err(|_| damaged(format!("a message of {length} bytes")))?;
        let metadata = self.source.read_bytes(length)?;
        let mut frame = Frame { metadata, body: MutableBuffer::new(0).into() };
        let length = frame.message()?.bodyLength();
        let length = u64::try_from(length).map_err(|_| damaged(format!("a body of {length} bytes")))?;
        frame.body = self.source.read_body(length)?;
        Ok(Some(frame))
    }

    fn take_dictionary(&mut self, message: &Message<'_>, body: &Buffer) -> Result<()> {
        let batch = message.header_as_dictionary_batch().ok_or_else(|| damaged("a dictionary is expected"))?;
        check(batch.data().ok_or_else(|| damaged("a dictionary has no values"))?, body)?;
        let (schema, dictionaries) = (&self.schema, &mut self.dictionaries);
        contain(|| read_dictionary(body, batch, schema, dictionaries, &message.version()))
    }

    fn read_batch(&self, message: &Message<'_>, body: &Buffer) -> Result<RecordBatch> {
        let batch = message.header_as_record_batch().ok_or_else(|| damaged("a record batch is expected"))?;
        check(batch, body)?;
        let schema = Arc::clone(&self.schema);
        contain(|| read_record_batch(body, batch, schema, &self.dictionaries, None, &message.version()))
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let frame = match &mut self.blocks {
                Some(blocks) => {
                    let Some(block) = blocks.next() else { return Ok(None) };
                    self.read_block(&block)?
                }
                None => {
                    let Some(frame) = self.next_frame()? else { return Ok(None) };
                    frame
                }
            };
            let message = frame.message()?;
            if self.blocks.is_none() && message.header_type() == MessageHeader::DictionaryBatch {
                self.take_dictionary(&message, &frame.body)?;
            } else {
                return self.read_batch(&message, &frame.body).map(Some);
            }
        }
    }

    fn wrong(&self, error: Error) -> Error {
        error.at(&self.name)
    }
}

impl Iterator for ArrowReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let batch = self.next_batch().map_err(|error| self.wrong(error));
        self.is_done = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }
}

impl Frame {
    fn message(&self) -> Result<Message<'_>> {
        arrow_ipc::root_as_message(&self.metadata).map_err(|error| damaged(format!("message: {error}")))
    }
}

fn read_schema(schema: arrow_ipc::Schema<'_>) -> Result<SchemaRef> {
    if schema.endianness() != arrow_ipc::Endianness::Little {
        return Err(Error::failed("the numbers of the Arrow file are big-endian: write it anew on another machine"));
    }
    contain(|| arrow_ipc::convert::try_fb_to_schema(schema)).map(Arc::new)
}

/// Checks the lengths of a batch against the body that contains its buffers, and that there is memory to decode them.
fn check(batch: arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<()> {
    if batch.length() < 0 {
        return Err(damaged(format!("a batch of {} rows", batch.length())));
    }
    for node in batch.nodes().into_iter().flatten() {
        if node.length() < 0 || !(0..=node.length()).contains(&node.null_count()) {
            return Err(damaged(format!("a column of {} cells with {} nulls", node.length(), node.null_count())));
        }
    }
    let mut decoded = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let number = |number: i64| usize::try_from(number).ok();
        let bytes = number(buffer.offset()).zip(number(buffer.length()));
        let bytes = bytes.and_then(|(offset, length)| body.get(offset..offset.checked_add(length)?));
        let Some(bytes) = bytes else {
            let (offset, length) = (buffer.offset(), buffer.length());
            let text = format!("a buffer of {length} bytes at {offset} lies outside of a body of {}", body.len());
            return Err(damaged(text));
        };
        let Some(compression) = batch.compression().filter(|_| !bytes.is_empty()) else { continue };
        let max_ratio = if compression.codec() == CompressionType::ZSTD { MAX_ZSTD_RATIO } else { MAX_LZ4_RATIO };
        let Some((length, rest)) = bytes.split_first_chunk() else {
            return Err(damaged("a compressed buffer has no length"));
        };
        // -1 says that the bytes are not compressed.
        let length = i64::from_le_bytes(*length);
        let length = if length == -1 { 0 } else { u64::try_from(length).unwrap_or(u64::MAX) };
        if length / max_ratio > rest.len() as u64 {
            return Err(damaged(format!("{} compressed bytes cannot become {length}", rest.len())));
        }
        decoded = decoded.saturating_add(length);
    }
    // The decoder aborts the process where memory ends; so it is tried first.
    let is_free = usize::try_from(decoded).is_ok_and(|decoded| Vec::<u8>::new().try_reserve_exact(decoded).is_ok());
    if is_free { Ok(()) } else { Err(no_memory(decoded)) }
}

thread_local! {
    /// Whether a panic of this thread is about to become an error.
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Calls into the Arrow crates: a panic there, which says that a file is corrupt, becomes an error and is not printed.
pub(super) fn contain<T>(call: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CONTAINED.get() {
                print(panic);
            }
        }));
    });
    IS_CONTAINED.set(true);
    let called = catch_unwind(AssertUnwindSafe(call));
    IS_CONTAINED.set(false);
    match called {
        Ok(result) => result.map_err(damaged),
        Err(panic) => Err(damaged(reason(panic.as_ref()))),
    }
}

/// The message of a panic.
fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the decoder gave up")
}

pub(super) fn damaged(what: impl std::fmt::Display) -> Error {
    Error::failed(format!("the file is damaged, or of a kind that cannot be read: {what}"))
}

pub(super) fn no_memory(bytes: u64) -> Error {
    Error::failed(format!("a batch of the file needs {bytes} bytes of memory, which cannot be allocated"))
}
