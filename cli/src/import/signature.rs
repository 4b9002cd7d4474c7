//! File formats by their signatures (magic numbers), and how to convert those that `import` does not read.

/// Number of bytes from which every signature is recognized.
pub(crate) const SIGNATURE: usize = 16;

/// Format of a file, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    /// Arrow file, also known as Feather version 2.
    ArrowFile,
    ArrowStream,
    Parquet,
    Npy,
    /// JSON lines, or a list of objects.
    Json,
    /// No signature: comma-separated values.
    Text,
    /// A format that is not imported: its name, and the supported route.
    Foreign(&'static str, &'static str),
}

/// Formats that are recognized, so that their bytes are not imported as text.
const FOREIGN: [(&[u8], &str, &str); 22] = [
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", VIA_PYTHON_ARRAYS),
    (b"CDF\x01", "a netCDF file", VIA_PYTHON_ARRAYS),
    (b"CDF\x02", "a netCDF file", VIA_PYTHON_ARRAYS),
    (b"CDF\x05", "a netCDF file", VIA_PYTHON_ARRAYS),
    (b"\x1f\x8b", "compressed with gzip", "decompress it: gzip -dc FILE | tiledb-rs import - ARRAY"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "decompress it: zstd -dc FILE | tiledb-rs import - ARRAY"),
    (b"BZh", "compressed with bzip2", "decompress it: bzip2 -dc FILE | tiledb-rs import - ARRAY"),
    (b"\xfd7zXZ\0", "compressed with xz", "decompress it: xz -dc FILE | tiledb-rs import - ARRAY"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4", "decompress it: lz4 -dc FILE | tiledb-rs import - ARRAY"),
    (b"PK\x03\x04", "a ZIP archive (also NPZ, XLSX)", "extract it, and import its CSV, Arrow, Parquet or NPY files"),
    (b"PARE", "an encrypted Parquet file", "write it without encryption"),
    (b"FEA1", "a Feather file of version 1", "write it in version 2: pyarrow.feather.write_feather(table, FILE)"),
    (b"ORC", "an ORC file", VIA_PYARROW),
    (b"Obj\x01", "an Avro file", VIA_PYARROW),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "export its tables as CSV: sqlite3 -csv -header FILE 'select * from TABLE'",
    ),
    (b"II*\0", "a TIFF image", "save its values as NPY: numpy.save(FILE, values)"),
    (b"MM\0*", "a TIFF image", "save its values as NPY: numpy.save(FILE, values)"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", "save its values as NPY: numpy.save(FILE, values)"),
    (b"%PDF-", "a PDF document", "extract its tables as CSV"),
    (b"\xff\xfe", "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 FILE | tiledb-rs import - ARRAY"),
    (b"\xfe\xff", "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 FILE | tiledb-rs import - ARRAY"),
    (b"\x7fELF", "a program", "import a CSV, Arrow, Parquet or NPY file"),
];
const VIA_PYTHON_ARRAYS: &str =
    "write its tables as Parquet (pandas: frame.to_parquet) or its arrays as NPY (numpy.save), and import these";
const VIA_PYARROW: &str = "write it as Parquet, for example with pyarrow, and import that";

impl FileKind {
    /// The format of a file that begins with these bytes.
    pub(crate) fn of(start: &[u8]) -> Self {
        match start {
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::ArrowFile,
            [0xff, 0xff, 0xff, 0xff, ..] => Self::ArrowStream,
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            _ => {
                if is_json(start) {
                    return Self::Json;
                }
                let foreign = FOREIGN.iter().find(|(signature, ..)| is_binary(signature, start));
                foreign.map_or(Self::Text, |&(_, name, route)| Self::Foreign(name, route))
            }
        }
    }
}

/// Whether these bytes begin with an object of JSON, or with a list of them. A CSV file can begin with `{` only if its first column is
/// called so.
fn is_json(start: &[u8]) -> bool {
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
    let mut letters = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    match letters.next() {
        Some(b'{') => matches!(letters.next(), Some(b'"' | b'}') | None),
        Some(b'[') => matches!(letters.next(), Some(b'{' | b']' | b'[' | b'"' | b'-' | b'0'..=b'9') | None),
        _ => false,
    }
}

/// Whether these bytes begin with a signature. One of letters alone may be the first column name of a CSV file, unless bytes
/// follow that are in no text.
fn is_binary(signature: &[u8], start: &[u8]) -> bool {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
    start.starts_with(signature)
        && (signature.iter().any(|byte| *byte < b' ' || *byte > b'~') || !start.iter().all(is_text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_signatures() {
        for (start, kind) in [
            (&b"ARROW1\0\0"[..], FileKind::ArrowFile),
            (b"\xff\xff\xff\xff\x10\0\0\0", FileKind::ArrowStream),
            (b"PAR1\x15\x04", FileKind::Parquet),
            (b"\x93NUMPY\x01\0", FileKind::Npy),
            (b"", FileKind::Text),
            (b"a", FileKind::Text),
            (b"a,b\n1,2\n", FileKind::Text),
            (b"\xef\xbb\xbfa,b\n", FileKind::Text),
            (b"{\"a\": 1}\n", FileKind::Json),
            (b"\xef\xbb\xbf [\n {\n", FileKind::Json),
            (b"[]", FileKind::Json),
            (b"[1, 2]", FileKind::Json),
            (b"{a},b\n", FileKind::Text),
            (b"[a],b\n", FileKind::Text),
            // Names of columns that begin as some format does.
            (b"BZh,ORC\n1,2\n", FileKind::Text),
            (b"ORC,Obj\n1,2\n", FileKind::Text),
            (b"PARE\n1\n", FileKind::Text),
            (b"%PDF-,x\n1,2\n", FileKind::Text),
        ] {
            assert_eq!(FileKind::of(start), kind, "{start:?}");
        }
        for (signature, name, route) in FOREIGN {
            let start = [signature, b"\x08\0\0\0\0\0\0\0"].concat();
            assert_eq!(FileKind::of(&start), FileKind::Foreign(name, route), "{name}");
            assert!(signature.len() <= SIGNATURE);
        }
    }

    #[test]
    fn no_signature_is_hidden_by_another() {
        for (at, (signature, ..)) in FOREIGN.iter().enumerate() {
            let earlier = FOREIGN[..at].iter().find(|(other, ..)| signature.starts_with(other));
            assert!(earlier.is_none(), "{signature:?}");
        }
    }
}
