//! Loops over integers that the compiler vectorises, one set per type.

use tiledb_core::types::Cell;

/// An integer type in little-endian bytes. The bits of a value are those of its extension to 64 bits.
pub(in crate::filter) trait Integer: Cell + Ord {
    const SIZE: usize;
    const SIGNED: bool;

    /// One value; zero if there are too few bytes.
    fn load(bytes: &[u8]) -> Self {
        Self::from_le(bytes)
    }

    /// The value extended by its sign.
    fn to_bits(self) -> u64;
    /// A narrow value, extended by its sign if the type has one.
    fn extend8(bytes: [u8; 1]) -> u64;
    /// As [`Integer::extend8`].
    fn extend16(bytes: [u8; 2]) -> u64;
    /// As [`Integer::extend8`].
    fn extend32(bytes: [u8; 4]) -> u64;
    /// The least and the greatest value; zeros if there is none.
    fn extremes(bytes: &[u8]) -> (Self, Self);
    /// Maps values to `N` bytes each.
    fn map_out<const N: usize>(src: &[u8], dst: &mut [u8], map: impl Fn(u64) -> [u8; N]);
    /// Maps `N` bytes each to the bits of values, which are cut off as needed.
    fn map_in<const N: usize>(src: &[u8], dst: &mut [u8], map: impl Fn([u8; N]) -> u64);
    /// Each value less the one before, the first one as it is; false if a value is less than the one before.
    fn differences(src: &[u8], dst: &mut [u8]) -> bool;
    /// Adds differences up, starting at `first`.
    fn running_sums(first: Self, src: &[u8], dst: &mut [u8]);
}

macro_rules! integer {
    ($($type:ident $signed:literal $narrow:ident $half:ident $word:ident;)+) => {$(
        impl Integer for $type {
            const SIZE: usize = size_of::<$type>();
            const SIGNED: bool = $signed;

            #[inline(always)]
            fn to_bits(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn extend8(bytes: [u8; 1]) -> u64 {
                $narrow::from_le_bytes(bytes) as u64
            }

            #[inline(always)]
            fn extend16(bytes: [u8; 2]) -> u64 {
                $half::from_le_bytes(bytes) as u64
            }

            #[inline(always)]
            fn extend32(bytes: [u8; 4]) -> u64 {
                $word::from_le_bytes(bytes) as u64
            }

            #[inline(always)]
            fn extremes(bytes: &[u8]) -> ($type, $type) {
                let values = bytes.as_chunks::<{ size_of::<$type>() }>().0;
                let Some(first) = values.first() else { return (0, 0) };
                let first = $type::from_le_bytes(*first);
                let ends = |(min, max): ($type, $type), value: &[u8; size_of::<$type>()]| {
                    let value = $type::from_le_bytes(*value);
                    (min.min(value), max.max(value))
                };
                values.iter().fold((first, first), ends)
            }

            #[inline(always)]
            fn map_out<const N: usize>(src: &[u8], dst: &mut [u8], map: impl Fn(u64) -> [u8; N]) {
                let values = src.as_chunks::<{ size_of::<$type>() }>().0;
                let narrow = dst.as_chunks_mut::<N>().0;
                for (to, from) in narrow.iter_mut().zip(values) {
                    *to = map($type::from_le_bytes(*from) as u64);
                }
            }

            #[inline(always)]
            fn map_in<const N: usize>(src: &[u8], dst: &mut [u8], map: impl Fn([u8; N]) -> u64) {
                let narrow = src.as_chunks::<N>().0;
                let values = dst.as_chunks_mut::<{ size_of::<$type>() }>().0;
                for (to, from) in values.iter_mut().zip(narrow) {
                    *to = (map(*from) as $type).to_le_bytes();
                }
            }

            #[inline(always)]
            fn differences(src: &[u8], dst: &mut [u8]) -> bool {
                let values = src.as_chunks::<{ size_of::<$type>() }>().0;
                let places = dst.as_chunks_mut::<{ size_of::<$type>() }>().0;
                let (Some((first, values)), Some((place, places))) = (values.split_first(), places.split_first_mut())
                else {
                    return true;
                };
                *place = *first;
                let before = src.as_chunks::<{ size_of::<$type>() }>().0;
                let mut descends = false;
                for (to, (value, before)) in places.iter_mut().zip(values.iter().zip(before)) {
                    let (value, before) = ($type::from_le_bytes(*value), $type::from_le_bytes(*before));
                    descends |= value < before;
                    *to = value.wrapping_sub(before).to_le_bytes();
                }
                !descends
            }

            #[inline(always)]
            fn running_sums(first: $type, src: &[u8], dst: &mut [u8]) {
                let differences = src.as_chunks::<{ size_of::<$type>() }>().0;
                let places = dst.as_chunks_mut::<{ size_of::<$type>() }>().0;
                let mut value = first;
                for (to, from) in places.iter_mut().zip(differences) {
                    value = value.wrapping_add($type::from_le_bytes(*from));
                    *to = value.to_le_bytes();
                }
            }
        }
    )+};
}

integer! {
    i8 true i8 i16 i32;
    i16 true i8 i16 i32;
    i32 true i8 i16 i32;
    i64 true i8 i16 i32;
    u8 false u8 u16 u32;
    u16 false u8 u16 u32;
    u32 false u8 u16 u32;
    u64 false u8 u16 u32;
}

/// Chooses the type of the integers; floats, which no filter of integers takes, count as words.
macro_rules! by_integer {
    ($physical:expr, $t:ident => $body:expr) => {
        match $physical {
            tiledb_core::types::PhysicalType::I8 => {
                type $t = i8;
                $body
            }
            tiledb_core::types::PhysicalType::I16 => {
                type $t = i16;
                $body
            }
            tiledb_core::types::PhysicalType::I32 => {
                type $t = i32;
                $body
            }
            tiledb_core::types::PhysicalType::I64 => {
                type $t = i64;
                $body
            }
            tiledb_core::types::PhysicalType::U8 => {
                type $t = u8;
                $body
            }
            tiledb_core::types::PhysicalType::U16 => {
                type $t = u16;
                $body
            }
            tiledb_core::types::PhysicalType::U32 | tiledb_core::types::PhysicalType::F32 => {
                type $t = u32;
                $body
            }
            tiledb_core::types::PhysicalType::U64 | tiledb_core::types::PhysicalType::F64 => {
                type $t = u64;
                $body
            }
        }
    };
}
pub(in crate::filter) use by_integer;
