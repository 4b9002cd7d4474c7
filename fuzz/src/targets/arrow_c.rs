//! Streams of the Arrow C data interface, written by a query. Buffers are allocations of their own, exactly as long as the contract of
//! the interface demands, and freed by `release`, so that AddressSanitizer sees an access beyond or after them.
#![allow(unsafe_code, reason = "the C interfaces of Arrow and of the library")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use super::c_abi::*;
use super::input::Input;

const VAR: u32 = u32::MAX;
const ASCII: i32 = 11;

/// What attribute `a` of an array is, and the Arrow formats that are its own.
struct FieldKind {
    datatype: i32,
    count: u32,
    nullable: bool,
    /// Datatype of the values of its enumeration.
    enumeration: Option<i32>,
    formats: &'static [&'static str],
}

const fn field(datatype: i32, count: u32, nullable: bool, formats: &'static [&'static str]) -> FieldKind {
    FieldKind { datatype, count, nullable, enumeration: None, formats }
}

const FIELDS: [FieldKind; 12] = [
    field(12, VAR, true, &["u", "U", "vu", "z", "Z"]),
    field(40, VAR, false, &["Z", "z", "vz", "w:2", "U"]),
    field(4, 3, true, &["w:3", "z", "U", "vz"]),
    field(0, VAR, true, &["+l:i", "+L:i", "+w:2:i"]),
    field(1, 3, false, &["+w:3:l", "+L:l", "+l:l"]),
    field(41, VAR, false, &["+L:b", "+l:b"]),
    field(41, 1, true, &["b"]),
    field(21, 1, true, &["tdD", "tdm"]),
    field(25, VAR, false, &["+l:tdm", "+L:tsm:"]),
    field(3, 1, true, &["g"]),
    FieldKind { datatype: 6, count: 1, nullable: true, enumeration: Some(ASCII), formats: &["U", "u", "vu", "C"] },
    FieldKind { datatype: 5, count: 1, nullable: false, enumeration: Some(1), formats: &["l", "c"] },
];

/// Formats that few fields or none take.
const FORMATS: [&str; 40] = [
    "n",
    "b",
    "c",
    "C",
    "s",
    "S",
    "i",
    "I",
    "l",
    "L",
    "e",
    "f",
    "g",
    "u",
    "U",
    "z",
    "Z",
    "vu",
    "vz",
    "w:0",
    "w:1",
    "w:3",
    "w:18446744073709551615",
    "w:-1",
    "w:",
    "tdD",
    "tdm",
    "tts",
    "ttn",
    "tsn:UTC",
    "tDs",
    "+s",
    "+r",
    "+l:n",
    "+w:0:i",
    "+w:4294967296:l",
    "+w:9223372036854775807:l",
    "+vl:i",
    "",
    "d:10,2",
];
const INDEXES: [&str; 8] = ["c", "C", "s", "S", "i", "I", "l", "L"];
/// No lengths, offsets or counts.
const NUMBERS: [i64; 4] = [-1, i64::MIN, i64::MAX, i64::MAX / 2];
const WRITE: i32 = 1;

struct Arrays {
    ctx: Handle,
    vfs: Handle,
    uris: Vec<CString>,
}

// SAFETY: the handles of the library may be used by any thread.
unsafe impl Send for Arrays {}
// SAFETY: as above.
unsafe impl Sync for Arrays {}

fn done(code: i32) {
    assert_eq!(code, 0, "the array cannot be made");
}

/// An empty sparse array for each of [`FIELDS`].
static ARRAYS: LazyLock<Arrays> = LazyLock::new(|| {
    let mut arrays = Arrays { ctx: null_mut(), vfs: null_mut(), uris: Vec::new() };
    // SAFETY: handles that the library gave, texts and values of the types that it asks for.
    unsafe {
        done(tiledb_ctx_alloc(null_mut(), &raw mut arrays.ctx));
        done(tiledb_vfs_alloc(arrays.ctx, null_mut(), &raw mut arrays.vfs));
        for (number, kind) in FIELDS.iter().enumerate() {
            let uri = CString::new(format!("mem://fuzz/arrow_c/{number}")).unwrap();
            create(arrays.ctx, &uri, kind);
            arrays.uris.push(uri);
        }
    }
    arrays
});

/// # Safety
/// The context is one.
unsafe fn create(ctx: Handle, uri: &CString, kind: &FieldKind) {
    let [mut domain, mut dimension, mut attribute, mut schema, mut names] = [null_mut(); 5];
    // SAFETY: as for [`ARRAYS`].
    unsafe {
        done(tiledb_domain_alloc(ctx, &raw mut domain));
        let range = [-1000i32, 1000];
        let extent = 100i32;
        let (range, extent) = (range.as_ptr().cast(), (&raw const extent).cast());
        done(tiledb_dimension_alloc(ctx, c"d".as_ptr(), 0, range, extent, &raw mut dimension));
        done(tiledb_domain_add_dimension(ctx, domain, dimension));
        done(tiledb_attribute_alloc(ctx, c"a".as_ptr(), kind.datatype, &raw mut attribute));
        done(tiledb_attribute_set_cell_val_num(ctx, attribute, kind.count));
        done(tiledb_attribute_set_nullable(ctx, attribute, u8::from(kind.nullable)));
        done(tiledb_array_schema_alloc(ctx, 1, &raw mut schema));
        done(tiledb_array_schema_set_domain(ctx, schema, domain));
        done(tiledb_array_schema_set_allows_dups(ctx, schema, 1));
        if let Some(datatype) = kind.enumeration {
            let (texts, starts, numbers) = (*b"abbccc", [0u64, 1, 3], [0u64, 1, 2]);
            let (count, data, size, offsets, offsets_size) = match datatype {
                ASCII => (VAR, texts.as_ptr(), 6, starts.as_ptr().cast(), 24),
                _ => (1, numbers.as_ptr().cast(), 24, null(), 0),
            };
            let data = data.cast();
            let name = c"e".as_ptr();
            let out = &raw mut names;
            done(tiledb_enumeration_alloc(ctx, name, datatype, count, 0, data, size, offsets, offsets_size, out));
            done(tiledb_array_schema_add_enumeration(ctx, schema, names));
            done(tiledb_attribute_set_enumeration_name(ctx, attribute, name));
        }
        done(tiledb_array_schema_add_attribute(ctx, schema, attribute));
        done(tiledb_array_create(ctx, uri.as_ptr(), schema));
    }
}

/// A type of a column.
struct Kind {
    format: String,
    name: &'static str,
    children: Vec<Kind>,
    dictionary: Option<Box<Kind>>,
}

impl Kind {
    /// `+l:i` is a list of `i`.
    fn of(text: &str, name: &'static str) -> Kind {
        let child = match text.strip_prefix('+').map(|rest| (rest.starts_with('w'), rest)) {
            Some((true, rest)) => rest.splitn(3, ':').nth(2),
            Some((false, rest)) => rest.split_once(':').map(|(_, child)| child),
            None => None,
        };
        let format = child.map_or(text, |child| text[..text.len() - child.len()].strip_suffix(':').unwrap());
        let children = child.map(|child| Kind::of(child, "item")).into_iter().collect();
        Kind { format: format.to_owned(), name, children, dictionary: None }
    }

    /// Mostly a format that the field takes, maybe in a dictionary.
    fn random(input: &mut Input<'_>, own: &[&str], name: &'static str) -> Kind {
        let chosen = usize::from(input.byte());
        let text = if chosen < 200 { own[chosen % own.len()] } else { FORMATS[(chosen - 200) % FORMATS.len()] };
        let kind = Kind::of(text, name);
        match input.byte() {
            index @ 200.. => Kind {
                format: INDEXES[usize::from(index) % 8].to_owned(),
                name,
                children: Vec::new(),
                dictionary: Some(Box::new(kind)),
            },
            _ => kind,
        }
    }
}

/// What the pointers of a structure lead to.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "pointers lead to the boxes")]
struct Memory {
    texts: Vec<CString>,
    buffers: Vec<Box<[u8]>>,
    pointers: Vec<Box<[*const c_void]>>,
    schemas: Vec<Box<ArrowSchema>>,
    arrays: Vec<Box<ArrowArray>>,
    lists: Vec<Box<[*mut c_void]>>,
}

impl Memory {
    fn list(&mut self, entries: Vec<*mut c_void>) -> *mut *mut c_void {
        let mut entries = entries.into_boxed_slice();
        let pointer = entries.as_mut_ptr();
        self.lists.push(entries);
        pointer
    }

    fn schema(&mut self, input: &mut Input<'_>, kind: &Kind) -> ArrowSchema {
        let texts = [CString::new(kind.format.as_str()).unwrap(), CString::new(kind.name).unwrap()];
        let (format, name) = (texts[0].as_ptr(), texts[1].as_ptr());
        self.texts.extend(texts);
        let mut children = Vec::new();
        for child in &kind.children {
            let child = self.schema(input, child);
            children.push(self.keep_schema(child));
        }
        let dictionary = match &kind.dictionary {
            Some(dictionary) => {
                let dictionary = self.schema(input, dictionary);
                self.keep_schema(dictionary)
            }
            None => null_mut(),
        };
        let mut made = ArrowSchema {
            format,
            name,
            metadata: null(),
            flags: 2,
            child_count: children.len() as i64,
            children: self.list(children).cast(),
            dictionary: dictionary.cast(),
            release: Some(released_schema),
            private: null_mut(),
        };
        match input.byte() {
            250 => made.format = null(),
            251 => made.name = null(),
            252 => made.children = null_mut(),
            253 => made.release = None,
            254 => made.child_count = -1,
            255 => made.dictionary = null_mut(),
            _ => {}
        }
        made
    }

    fn keep_schema(&mut self, schema: ArrowSchema) -> *mut c_void {
        let mut schema = Box::new(schema);
        let pointer: *mut ArrowSchema = &raw mut *schema;
        self.schemas.push(schema);
        pointer.cast()
    }

    fn keep_array(&mut self, array: ArrowArray) -> *mut c_void {
        let mut array = Box::new(array);
        let pointer: *mut ArrowArray = &raw mut *array;
        self.arrays.push(array);
        pointer.cast()
    }

    /// Bytes of the input, in an allocation of exactly this length.
    fn buffer(&mut self, bytes: Vec<u8>) -> *const c_void {
        let bytes = bytes.into_boxed_slice();
        let pointer = bytes.as_ptr();
        self.buffers.push(bytes);
        pointer.cast()
    }

    fn filled(&mut self, input: &mut Input<'_>, len: usize) -> *const c_void {
        let mut bytes = vec![0; len];
        let taken = len.min(input.0.len());
        bytes[..taken].copy_from_slice(&input.0[..taken]);
        input.0 = &input.0[taken..];
        self.buffer(bytes)
    }

    /// Offsets of `entries`, most of them ascending; the last one is at most `most`, where the data ends. Gives that one, too.
    fn offsets(
        &mut self,
        input: &mut Input<'_>,
        entries: usize,
        wide: bool,
        most: Option<i64>,
    ) -> (*const c_void, i64) {
        let (mut bytes, mut at) = (Vec::new(), 0i64);
        for entry in 0..entries {
            at = match input.byte() {
                step @ 0..=243 => at.saturating_add(i64::from(step % 5)),
                244 => -1,
                245 => i64::from(i32::MAX),
                246 => i64::MAX,
                247 => i64::MIN,
                248 => 1 << 20,
                _ => i64::from(input.byte()),
            };
            if let Some(most) = most.filter(|_| entry + 1 == entries) {
                at = at.min(most);
            }
            match wide {
                true => bytes.extend(at.to_le_bytes()),
                false => bytes.extend((at as i32).to_le_bytes()),
            }
        }
        let last = if wide { at } else { i64::from(at as i32) };
        (self.buffer(bytes), last)
    }

    /// Values of a type: `length` behind `offset`, in buffers that are as long as these call for.
    fn array(&mut self, input: &mut Input<'_>, kind: &Kind, length: usize, is_ascending: bool) -> ArrowArray {
        let offset = usize::from(input.byte()).saturating_sub(200);
        let all = offset + length;
        let mut children = Vec::new();
        let bits = all.div_ceil(8);
        let valid = if input.byte() < 128 { null() } else { self.filled(input, bits) };
        let format = kind.format.as_str();
        let buffers: Vec<*const c_void> = match format {
            "n" | "+r" => Vec::new(),
            "u" | "z" | "U" | "Z" => {
                let wide = matches!(format, "U" | "Z");
                let (offsets, last) = self.offsets(input, all + 1, wide, Some(400));
                vec![valid, offsets, self.filled(input, usize::try_from(last).unwrap_or(0))]
            }
            "vu" | "vz" => {
                let views = self.filled(input, all * 16);
                let sizes: Vec<usize> = (0..input.byte() % 4).map(|_| usize::from(input.byte())).collect();
                let mut buffers = vec![valid, views];
                for size in &sizes {
                    buffers.push(self.filled(input, *size));
                }
                let stated_size = |size: &usize| if input.byte() > 250 { -1 } else { *size as i64 };
                let bytes = sizes.iter().map(stated_size).flat_map(i64::to_le_bytes).collect();
                buffers.push(self.buffer(bytes));
                buffers
            }
            "+l" | "+L" => {
                let (offsets, last) = self.offsets(input, all + 1, format == "+L", None);
                children.push((&kind.children, usize::try_from(last).unwrap_or(0).min(400)));
                vec![valid, offsets]
            }
            "+s" => vec![valid],
            _ if format.starts_with("+w:") => {
                let each = format[3..].parse().unwrap_or(0usize);
                children.push((&kind.children, all.saturating_mul(each).min(400)));
                vec![valid]
            }
            _ if format.starts_with("w:") => {
                let each = format[2..].parse().unwrap_or(0usize).min(10);
                vec![valid, self.filled(input, all * each)]
            }
            "b" => vec![valid, self.filled(input, bits)],
            _ if is_ascending => {
                let numbers = (0..all).flat_map(|number| (number as i32).to_le_bytes()).collect();
                vec![valid, self.buffer(numbers)]
            }
            _ => vec![valid, self.filled(input, all * width(format))],
        };
        let children: Vec<*mut c_void> = match children.pop() {
            Some((kinds, count)) => {
                let of = |kind: &Kind| {
                    let child = self.array(input, kind, count, false);
                    self.keep_array(child)
                };
                kinds.iter().map(of).collect()
            }
            None => kind.children.iter().map(|_| null_mut()).collect(),
        };
        let dictionary = match &kind.dictionary {
            Some(dictionary) => {
                let count = usize::from(input.byte() % 8);
                let dictionary = self.array(input, dictionary, count, false);
                self.keep_array(dictionary)
            }
            None => null_mut(),
        };
        // Up to the last offset there is data: with another length it would be another one.
        let is_exact = matches!(format, "u" | "z" | "U" | "Z");
        self.structure(input, (length, offset, is_exact), buffers, children, dictionary)
    }

    /// An array, mostly as it should be.
    fn structure(
        &mut self,
        input: &mut Input<'_>,
        (length, offset, is_exact): (usize, usize, bool),
        buffers: Vec<*const c_void>,
        children: Vec<*mut c_void>,
        dictionary: *mut c_void,
    ) -> ArrowArray {
        let counts = (buffers.len() as i64, children.len() as i64);
        let mut buffers = buffers.into_boxed_slice();
        let pointer = buffers.as_mut_ptr();
        let mut made = ArrowArray {
            length: length as i64,
            null_count: match input.byte() {
                250.. => 7,
                byte => -i64::from(byte % 2),
            },
            offset: offset as i64,
            buffer_count: counts.0,
            child_count: counts.1,
            buffers: pointer,
            children: self.list(children).cast(),
            dictionary: dictionary.cast(),
            release: Some(released_array),
            private: null_mut(),
        };
        let other = usize::from(input.byte());
        match input.byte() {
            246 => made.length = NUMBERS[other % 4],
            247 => made.offset = NUMBERS[other % 4],
            248 => made.buffer_count = NUMBERS[other % 4].min(0),
            249 => made.child_count = NUMBERS[other % 4].min(0),
            250 => made.buffers = null_mut(),
            251 => made.children = null_mut(),
            252 => made.dictionary = null_mut(),
            253 => made.release = None,
            254 if !is_exact => made.length = (made.length - other as i64 % 4).max(0),
            255 => {
                if let Some(buffer) = buffers.get_mut(other % counts.0.max(1) as usize) {
                    *buffer = null();
                }
            }
            _ => {}
        }
        self.pointers.push(buffers);
        made
    }
}

fn width(format: &str) -> usize {
    match format.as_bytes().first() {
        Some(b'c' | b'C') => 1,
        Some(b's' | b'S' | b'e') => 2,
        Some(b'i' | b'I' | b'f') => 4,
        Some(b't') if matches!(format, "tdD" | "tts" | "ttm") => 4,
        _ => 8,
    }
}

/// Children are released by their parent.
extern "C" fn released_schema(schema: *mut ArrowSchema) {
    // SAFETY: called once by the library, with what [`get_schema`] gave.
    unsafe {
        (*schema).release = None;
        drop(Box::from_raw((*schema).private.cast::<Memory>()));
    }
}

extern "C" fn released_array(array: *mut ArrowArray) {
    // SAFETY: as above, with what [`get_next`] gave.
    unsafe {
        (*array).release = None;
        drop(Box::from_raw((*array).private.cast::<Memory>()));
    }
}

struct Stream<'a> {
    input: Input<'a>,
    kinds: [Kind; 2],
    left: u8,
    /// Rows of the batches so far.
    rows: u64,
    released: u32,
}

extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the stream that `run` made, and room for a schema.
    unsafe {
        let stream = &mut *(*stream).private.cast::<Stream<'_>>();
        let mut memory = Box::<Memory>::default();
        let mut children = Vec::new();
        for kind in &stream.kinds {
            let child = memory.schema(&mut stream.input, kind);
            children.push(memory.keep_schema(child));
        }
        if stream.input.byte() == 255 {
            children.swap(0, 1);
        }
        let top = Kind { format: "+s".to_owned(), name: "", children: Vec::new(), dictionary: None };
        let mut made = memory.schema(&mut Input(&[]), &top);
        made.child_count = children.len() as i64;
        made.children = memory.list(children).cast();
        made.private = Box::into_raw(memory).cast();
        out.write(made);
    }
    0
}

extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as above.
    unsafe {
        let stream = &mut *(*stream).private.cast::<Stream<'_>>();
        let input = &mut stream.input;
        if stream.left == 0 {
            (*out).release = None;
            return if input.byte() == 255 { 5 } else { 0 };
        }
        stream.left -= 1;
        let mut memory = Box::<Memory>::default();
        let rows = usize::from(input.byte() % 64);
        let offset = usize::from(input.byte()).saturating_sub(240);
        let beyond = usize::from(input.byte()).saturating_sub(240);
        let mut children = Vec::new();
        for (number, kind) in stream.kinds.iter().enumerate() {
            let child = memory.array(input, kind, rows + offset + beyond, number == 0 && kind.format == "i");
            children.push(memory.keep_array(child));
        }
        let mut made = memory.structure(input, (rows, offset, false), vec![null()], children, null_mut());
        made.null_count = 0;
        made.release = Some(released_array);
        made.private = Box::into_raw(memory).cast();
        stream.rows += made.length.max(0) as u64;
        out.write(made);
    }
    0
}

extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
    c"the fuzzer says so".as_ptr()
}

extern "C" fn release(stream: *mut ArrowArrayStream) {
    // SAFETY: as above.
    unsafe {
        (*(*stream).private.cast::<Stream<'_>>()).released += 1;
        (*stream).release = None;
    }
}

/// Writes a stream in batches of some size.
pub fn streams(bytes: &[u8]) {
    let mut input = Input(bytes);
    let number = usize::from(input.byte()) % FIELDS.len();
    let kinds = [Kind::random(&mut input, &["i"], "d"), Kind::random(&mut input, FIELDS[number].formats, "a")];
    let layout = if input.byte() < 128 { 3 } else { 2 };
    let size = [0, 1, 40, 300, 2000][usize::from(input.byte()) % 5];
    let left = input.byte() % 3 + 1;
    let mut stream = Stream { input, kinds, left, rows: 0, released: 0 };
    let mut raw = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private: (&raw mut stream).cast(),
    };
    let Arrays { ctx, vfs, uris } = &*ARRAYS;
    let (mut array, mut query, mut cells) = (null_mut(), null_mut(), 0);
    // SAFETY: handles that the library gave, and a stream that keeps the contract of the interface.
    let written = unsafe {
        done(tiledb_array_alloc(*ctx, uris[number].as_ptr(), &raw mut array));
        done(tiledb_array_open(*ctx, array, WRITE));
        done(tiledb_query_alloc(*ctx, array, WRITE, &raw mut query));
        done(tiledb_query_set_layout(*ctx, query, layout));
        let written = tiledb_rs_query_from_arrow(*ctx, query, &raw mut raw, size, None, null_mut(), &raw mut cells);
        tiledb_query_free(&raw mut query);
        tiledb_array_free(&raw mut array);
        for folder in ["__fragments", "__commits"] {
            let folder = CString::new(format!("{}/{folder}", uris[number].to_str().unwrap())).unwrap();
            let _ = tiledb_vfs_remove_dir(*ctx, *vfs, folder.as_ptr());
        }
        written
    };
    assert!(raw.release.is_none() && stream.released == 1, "a stream is released once");
    assert!(written != 0 || cells == stream.rows, "{cells} of {} cells were written", stream.rows);
}
