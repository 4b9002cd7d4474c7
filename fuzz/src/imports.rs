//! Fuzz targets of the command-line tool: what `import` makes of a file, for each format that it reads.

use tiledb_rs_cli::fuzz::Target;

/// Every target by name.
pub const TARGETS: [(&str, fn(&[u8])); 2] = [
    ("import_csv", |bytes| import(bytes, false)),
    ("import_arrow", |bytes| import(bytes, true)),
];

thread_local! {
    static TARGET: Target = Target::new().expect("a context");
}

/// Imports a file of one format; what is of the other one is left to its own target.
fn import(bytes: &[u8], wants_arrow: bool) {
    let is_arrow = bytes.get(1..).is_some_and(|file| file.starts_with(b"ARROW1") || file.starts_with(&[0xff; 4]));
    if is_arrow == wants_arrow {
        let file = std::env::temp_dir().join(format!("tiledb-fuzz-{}", std::process::id()));
        let imported = TARGET.with(|target| target.import(bytes, &file));
        imported.expect("success, or an error of the file or the options");
    }
}
