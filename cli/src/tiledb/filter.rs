//! Filters of fields, with their options.

use super::context::{Context, ask, call, make};
use super::datatype::Datatype;
use super::error::Result;
use super::functions as sys;
use super::handle::{Handle, lent};

/// One filter.
#[derive(Clone)]
pub struct Filter {
    pub name: String,
    /// The options that it has, each with its value as bytes.
    pub(super) options: Vec<(&'static FilterOption, [u8; 8])>,
}

impl Filter {
    /// The compression level, of filters that have one.
    pub fn level(&self) -> Option<i32> {
        let is_level = |(option, _): &&(&'static FilterOption, _)| option.name == "level";
        let (_, [a, b, c, d, ..]) = self.options.iter().find(is_level)?;
        Some(i32::from_le_bytes([*a, *b, *c, *d]))
    }
}

/// An option of some filters.
pub(super) struct FilterOption {
    /// Numbers of the filters.
    pub filters: &'static [u32],
    pub number: u32,
    pub name: &'static str,
    pub kind: OptionKind,
}

/// The type of an option's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionKind {
    Number(Datatype),
    /// A datatype, as a byte.
    Datatype,
}

/// All options: those of `tiledb_filter_option_t`.
pub(super) static OPTIONS: [FilterOption; 10] = [
    option(&[1, 2, 3, 5], 0, "level", OptionKind::Number(Datatype::INT32)),
    option(&[7], 1, "max_window", OptionKind::Number(Datatype::UINT32)),
    option(&[10], 2, "max_window", OptionKind::Number(Datatype::UINT32)),
    option(&[15], 3, "byte_width", OptionKind::Number(Datatype::UINT64)),
    option(&[15], 4, "factor", OptionKind::Number(Datatype::FLOAT64)),
    option(&[15], 5, "offset", OptionKind::Number(Datatype::FLOAT64)),
    option(&[18], 6, "quality", OptionKind::Number(Datatype::FLOAT32)),
    option(&[18], 7, "input_format", OptionKind::Number(Datatype::UINT8)),
    option(&[18], 8, "lossless", OptionKind::Number(Datatype::UINT8)),
    option(&[6, 19], 9, "reinterpret", OptionKind::Datatype),
];

const fn option(filters: &'static [u32], number: u32, name: &'static str, kind: OptionKind) -> FilterOption {
    FilterOption { filters, number, name, kind }
}

impl OptionKind {
    pub(super) fn datatype(self) -> Datatype {
        match self {
            Self::Number(datatype) => datatype,
            Self::Datatype => Datatype::UINT8,
        }
    }
}

/// Reads the filters of a list.
pub(super) fn filters(ctx: &Context, list: &Handle<sys::tiledb_filter_list_t>) -> Result<Vec<Filter>> {
    let count = ask!(ctx, 0, tiledb_filter_list_get_nfilters(list.raw()))?;
    (0..count)
        .map(|at| {
            let filter = make!(ctx, tiledb_filter_list_get_filter_from_index(list.raw(), at), tiledb_filter_free)?;
            let number = ask!(ctx, 0, tiledb_filter_get_type(filter.raw()))?;
            let mut name = std::ptr::null();
            // SAFETY: the variable is ours; the name is a constant of the library.
            unsafe { sys::tiledb_filter_type_to_str(number, &raw mut name) };
            let options = OPTIONS.iter().filter(|option| option.filters.contains(&number)).map(|option| {
                let mut value = [0; 8];
                call!(ctx, tiledb_filter_get_option(filter.raw(), option.number, value.as_mut_ptr().cast()))?;
                Ok((option, value))
            });
            Ok(Filter { name: lent(name), options: options.collect::<Result<_>>()? })
        })
        .collect()
}
