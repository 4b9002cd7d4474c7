//! Compressors, one per file, with a common interface: `compress` appends the compressed bytes of `src` to `out`,
//! `decompress` fills `dst` exactly. Input is untrusted.

pub mod bzip2;
pub mod decode_work;
pub mod delta;
pub mod double_delta;
pub mod gzip;
pub mod inflate;
pub mod lz4;
mod object_pool;
pub mod planes;
pub mod rle;
pub mod simd;
mod spare_capacity;
pub mod string_dictionary;
pub mod string_rle;
mod strings;
pub mod webp;
pub mod zstd;

pub use object_pool::ObjectPool;
pub use strings::{NumberWidths, StringTarget, StringWords};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tiledb_core::error::Result;

    type Compress = fn(i32, &[u8], &mut Vec<u8>) -> Result<()>;
    type Decompress = fn(&[u8], &mut [u8]) -> Result<()>;

    const CODECS: [(&str, Compress, Decompress); 4] = [
        ("bzip2", super::bzip2::compress, super::bzip2::decompress),
        ("zstd", super::zstd::compress, super::zstd::decompress),
        ("gzip", super::gzip::compress, super::gzip::decompress),
        ("lz4", super::lz4::compress, super::lz4::decompress),
    ];

    fn round_trip(name: &str, compress: Compress, decompress: Decompress, level: i32, data: &[u8]) {
        let mut packed = vec![7, 7];
        compress(level, data, &mut packed).unwrap();
        assert_eq!(packed[..2], [7, 7], "{name} keeps what was there");
        let mut back = vec![0; data.len()];
        decompress(&packed[2..], &mut back).unwrap();
        assert!(back == data, "{name}");
        let mut wrong = vec![0; data.len() + 1];
        assert!(decompress(&packed[2..], &mut wrong).is_err(), "{name} with a wrong length");
        if let Some(shorter) = data.len().checked_sub(1) {
            assert!(decompress(&packed[2..], &mut wrong[..shorter]).is_err(), "{name} with too little room");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(data in proptest::collection::vec(any::<u8>(), 0..5000), repeat in 1usize..20, level in -7i32..10) {
            let data = data.repeat(repeat);
            for (name, compress, decompress) in CODECS {
                round_trip(name, compress, decompress, level, &data);
            }
        }

        #[test]
        fn noise_is_an_error_or_fills_the_destination(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
            for (_, _, decompress) in CODECS {
                let _ = decompress(&noise, &mut [0; 1000]);
            }
        }
    }

    #[test]
    fn incompressible_chunks_fit() {
        let mut state = 1u64;
        let noise: Vec<u8> = (0..65536)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        for (name, compress, decompress) in CODECS {
            round_trip(name, compress, decompress, 1, &noise);
        }
    }
}
