//! Runs the fuzz targets of `import` on their seeds, unchanged, truncated and randomly corrupted: each must succeed or
//! return an error.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

use std::path::{Path, PathBuf};

use tiledb_rs_cli::fuzz::Target;

/// Damaged files of each format, unless `DAMAGED` says how many; `SEED` chooses others.
const DAMAGED: u64 = 3000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5, "{target} has no seeds");
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// A generator that needs no crate (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Changes some bits, bytes or numbers; the first byte chooses options, and stays.
fn damage(bytes: &mut Vec<u8>, chance: &mut Chance) {
    const NUMBERS: [u64; 9] = [0, 1, 0x7fff_ffff, 1 << 31, 0xffff_ffff, 1 << 40, 1 << 62, 1 << 63, u64::MAX];
    for _ in 0..=chance.below(3) {
        let at = 1 + chance.below(bytes.len() - 1);
        let number = NUMBERS[chance.below(NUMBERS.len())].to_le_bytes();
        match chance.below(6) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes[at] = chance.below(256) as u8,
            2 | 3 => {
                let size = 4 + 4 * chance.below(2);
                // Numbers of Arrow files are aligned, behind the byte of the options.
                let at = (at - 1) / size * size + 1;
                let size = size.min(bytes.len() - at);
                bytes[at..at + size].copy_from_slice(&number[..size]);
            }
            4 => bytes.truncate(at.max(12)),
            _ => drop(bytes.splice(at..at, vec![0; chance.below(30)])),
        }
    }
}

fn check(name: &str) {
    let place = tempfile::tempdir().unwrap();
    let (target, file) = (Target::new().unwrap(), place.path().join("file"));
    let import = |bytes: &[u8], what: &str| {
        target.import(bytes, &file).unwrap_or_else(|error| panic!("{name}, {what}: {error}"));
    };
    let seeds = seeds(name);
    for (number, seed) in seeds.iter().enumerate() {
        for length in [seed.len(), seed.len() / 2, seed.len() - 1] {
            import(&seed[..length], &format!("seed {number}, {length} bytes"));
        }
    }
    let mut chance = Chance(0x2545_f491_4f6c_dd1d ^ number("SEED", 0));
    for number in 0..number("DAMAGED", DAMAGED) {
        let mut bytes = seeds[chance.below(seeds.len())].clone();
        damage(&mut bytes, &mut chance);
        import(&bytes, &format!("damaged file {number}"));
    }
}

#[test]
fn csv_seeds_are_imported_or_errors() {
    check("import_csv");
}

#[test]
fn arrow_seeds_are_imported_or_errors() {
    check("import_arrow");
}

#[test]
fn parquet_seeds_are_imported_or_errors() {
    check("import_parquet");
}

#[test]
fn npy_seeds_are_imported_or_errors() {
    check("import_npy");
}
