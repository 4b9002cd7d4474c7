//! Fuzz targets of the command-line tool: what `import` makes of a file, for each format that it reads.

use tiledb_rs_cli::fuzz::Target;

/// Every target by name.
pub const TARGETS: [(&str, fn(&[u8])); 4] = [
    ("import_csv", |bytes| import(bytes, |file| !is_arrow(file) && !is_parquet(file) && !is_npy(file))),
    ("import_arrow", |bytes| import(bytes, is_arrow)),
    ("import_parquet", |bytes| import(bytes, is_parquet)),
    ("import_npy", |bytes| import(bytes, is_npy)),
];

thread_local! {
    static TARGET: Target = Target::new().expect("a context");
}

fn is_arrow(file: &[u8]) -> bool {
    file.starts_with(b"ARROW1") || file.starts_with(&[0xff; 4])
}

fn is_parquet(file: &[u8]) -> bool {
    file.starts_with(b"PAR1")
}

fn is_npy(file: &[u8]) -> bool {
    file.starts_with(b"\x93NUMPY")
}

/// Imports a file of one format; what is of another one is left to its own target.
fn import(bytes: &[u8], is_accepted: fn(&[u8]) -> bool) {
    if bytes.get(1..).is_some_and(is_accepted) {
        let file = std::env::temp_dir().join(format!("tiledb-fuzz-{}", std::process::id()));
        let imported = TARGET.with(|target| target.import(bytes, &file));
        imported.expect("success, or an error of the file or the options");
    }
}
