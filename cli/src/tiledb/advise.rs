//! Recommended schema of an array.

use std::ffi::c_void;

use super::context::{Context, make};
use super::error::Result;
use super::handle::{Handle, lent, text};
use super::sys;

/// A recommendation for a property of a schema.
pub struct Advice {
    /// Filters of 0 values, 1 offsets, 2 validity; 3 capacity, 4 cell order, 5 tile extents, 6 array type, 7 enumeration,
    /// 8 nullability.
    pub property: u32,
    /// 0 better, 1 current, 2 chosen by the user, 3 no cells, 4 no nulls.
    pub reason: u32,
    /// Whether the recommended schema has it.
    pub is_applied: bool,
    pub field: Option<String>,
    pub current: String,
    pub recommended: String,
    /// Estimated sizes on disk in bytes: now and with the recommendation.
    pub bytes: [u64; 2],
    /// Modeled times in nanoseconds, to decode or of a typical query: now and with the recommendation.
    pub nanoseconds: [u64; 2],
}

impl Advice {
    /// True for a recommendation of filters.
    pub fn is_of_filters(&self) -> bool {
        self.property < 3
    }

    /// The capacity that the recommended schema has instead of the current one.
    pub fn applied_capacity(&self) -> Option<u64> {
        if self.property == 3 && self.is_applied { self.recommended.parse().ok() } else { None }
    }

    /// Bytes of all cells now and with the recommended schema.
    pub fn total(all: &[Advice]) -> [u64; 2] {
        let [now, then] = [0, 1].map(|index| {
            let filters = all.iter().filter(|advice| advice.is_of_filters());
            filters.fold(0, |sum: u64, advice| sum.saturating_add(advice.bytes[index]))
        });
        // Sizes with another capacity, extents or order are those of the array with the recommended filters.
        let others = all.iter().filter(|advice| (3..=6).contains(&advice.property) && advice.is_applied);
        let add = |then: u64, advice: &Advice| (then + advice.bytes[1]).saturating_sub(advice.bytes[0]);
        [now, others.fold(then, add)]
    }
}

/// The recommended schema of an array.
pub struct AdvisedSchema(pub(super) Handle<sys::tiledb_array_schema_t>);

impl AdvisedSchema {
    /// The filters of a dimension.
    pub(super) fn of_dimension(&self, ctx: &Context, at: u32) -> Result<FilterList> {
        let domain = make!(ctx, tiledb_array_schema_get_domain(self.0.raw()), tiledb_domain_free)?;
        let dimension = make!(ctx, tiledb_domain_get_dimension_from_index(domain.raw(), at), tiledb_dimension_free)?;
        make!(ctx, tiledb_dimension_get_filter_list(dimension.raw()), tiledb_filter_list_free)
    }

    /// The filters of an attribute.
    pub(super) fn of_attribute(&self, ctx: &Context, at: u32) -> Result<FilterList> {
        let raw = self.0.raw();
        let attribute = make!(ctx, tiledb_array_schema_get_attribute_from_index(raw, at), tiledb_attribute_free)?;
        make!(ctx, tiledb_attribute_get_filter_list(attribute.raw()), tiledb_filter_list_free)
    }

    /// The filters of offsets.
    pub(super) fn of_offsets(&self, ctx: &Context) -> Result<FilterList> {
        make!(ctx, tiledb_array_schema_get_offsets_filter_list(self.0.raw()), tiledb_filter_list_free)
    }

    /// The filters of validity values.
    pub(super) fn of_validity(&self, ctx: &Context) -> Result<FilterList> {
        make!(ctx, tiledb_array_schema_get_validity_filter_list(self.0.raw()), tiledb_filter_list_free)
    }
}

type FilterList = Handle<sys::tiledb_filter_list_t>;

/// Recommends a schema for the cells of an array: 0 for the least size, 1 balanced, 2 for the fastest scans.
pub fn advise(ctx: &Context, uri: &str, objective: u32) -> Result<(Vec<Advice>, AdvisedSchema)> {
    unsafe extern "C" fn add(advice: *const sys::tiledb_rs_advice_t, all: *mut c_void) -> i32 {
        // SAFETY: the recommendation is valid during this call; the other is the variable below, which nothing else uses meanwhile.
        let (advice, all) = unsafe { (&*advice, &mut *all.cast::<Vec<Advice>>()) };
        all.push(Advice {
            property: advice.property,
            reason: advice.reason,
            is_applied: advice.is_applied != 0,
            field: Some(lent(advice.field)).filter(|_| !advice.field.is_null()),
            current: lent(advice.current),
            recommended: lent(advice.recommended),
            bytes: [advice.current_bytes, advice.recommended_bytes],
            nanoseconds: [advice.current_nanoseconds, advice.recommended_nanoseconds],
        });
        1
    }
    let (uri, mut all) = (text(uri)?, Vec::new());
    let (none, data) = (std::ptr::null_mut(), (&raw mut all).cast());
    let schema =
        make!(ctx, tiledb_rs_schema_advise(uri.as_ptr(), none, objective, add, data), tiledb_array_schema_free)?;
    Ok((all, AdvisedSchema(schema)))
}
