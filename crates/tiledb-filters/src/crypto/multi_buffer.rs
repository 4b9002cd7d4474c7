//! Digests of several messages side by side: each lane works on one message, and takes the next one when it is done.

/// What MD5 and SHA-256 work on at a time.
pub(super) type Block = [u8; 64];

/// A digest of 64-byte blocks in which the number of bits comes last, computed for `LANES` messages at a time. The state
/// of each is `WORDS` words.
pub(super) trait BlockDigest<const LANES: usize, const WORDS: usize> {
    /// The state before the first block.
    const INITIAL: [u32; WORDS];
    /// Whether words and lengths have their most significant byte first.
    const IS_BIG_ENDIAN: bool;

    /// Adds the blocks of each lane to its state. All lanes have equally many.
    fn compress(&self, state: &mut [[u32; LANES]; WORDS], blocks: [&[Block]; LANES]);
}

/// The message in a lane.
#[derive(Clone, Copy)]
struct Lane<'a> {
    /// Number of the message; `None` if there are no more.
    message: Option<usize>,
    /// Whole blocks that have not been added.
    body: &'a [Block],
    /// The rest of the message with its padding.
    padded: [Block; 2],
    /// Blocks of `padded` that are left, at its end.
    left: usize,
}

impl<'a> Lane<'a> {
    const IDLE: Lane<'static> = Lane { message: None, body: &[], padded: [[0; 64]; 2], left: 0 };

    fn new(number: usize, message: &'a [u8], is_big_endian: bool) -> Lane<'a> {
        let (body, rest) = message.as_chunks();
        // A bit that is set, zeros, and the length of the message in bits at the end of a block.
        let mut padded = [[0; 64]; 2];
        let left = if rest.len() < 56 { 1 } else { 2 };
        let bytes = padded[2 - left..].as_flattened_mut();
        let (end, bits) = (bytes.len() - 8, message.len() as u64 * 8);
        bytes[..rest.len()].copy_from_slice(rest);
        bytes[rest.len()] = 0x80;
        bytes[end..].copy_from_slice(&if is_big_endian { bits.to_be_bytes() } else { bits.to_le_bytes() });
        Lane { message: Some(number), body, padded, left }
    }

    /// The blocks that come next.
    fn blocks(&self) -> &[Block] {
        match self.body {
            [] => &self.padded[2 - self.left..],
            body => body,
        }
    }

    /// Takes `count` of them away.
    fn advance(&mut self, count: usize) {
        match self.body {
            [] => self.left -= count,
            body => self.body = &body[count..],
        }
    }
}

/// Appends the digests of all messages, in order.
pub(super) fn digest_all<const LANES: usize, const WORDS: usize, D: BlockDigest<LANES, WORDS>>(
    digest: &D,
    messages: &[&[u8]],
    out: &mut Vec<u8>,
) {
    let (start, size) = (out.len(), WORDS * 4);
    out.resize(start + messages.len() * size, 0);
    let mut waiting = messages.iter().enumerate();
    let mut state = [[0; LANES]; WORDS];
    let mut lanes = [Lane::IDLE; LANES];
    loop {
        for (number, lane) in lanes.iter_mut().enumerate().filter(|(_, lane)| lane.message.is_none()) {
            if let Some((message, bytes)) = waiting.next() {
                *lane = Lane::new(message, bytes, D::IS_BIG_ENDIAN);
                state.iter_mut().zip(D::INITIAL).for_each(|(words, initial)| words[number] = initial);
            }
        }
        let busy = |lane: &&Lane<'_>| lane.message.is_some();
        let Some(shortest) = lanes.iter().filter(busy).map(Lane::blocks).min_by_key(|blocks| blocks.len()) else {
            return;
        };
        // Idle lanes repeat the work of another one.
        let blocks = lanes.each_ref().map(|lane| lane.blocks().get(..shortest.len()).unwrap_or(shortest));
        digest.compress(&mut state, blocks);
        let count = shortest.len();
        for (number, lane) in lanes.iter_mut().enumerate() {
            let Some(message) = lane.message else { continue };
            lane.advance(count);
            if lane.left > 0 {
                continue;
            }
            let place = start + message * size;
            for (bytes, words) in out[place..place + size].as_chunks_mut().0.iter_mut().zip(&state) {
                let word = words[number];
                *bytes = if D::IS_BIG_ENDIAN { word.to_be_bytes() } else { word.to_le_bytes() };
            }
            lane.message = None;
        }
    }
}
