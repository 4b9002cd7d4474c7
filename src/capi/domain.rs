//! C functions of domains, the lists of the dimensions of an array.

use super::boundary::{In, InConst, Out, OutHandle, Str};
use super::call::{call, free, make};
use super::domain_object::DomainObject;
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_dimension_t, tiledb_domain_t, tiledb_string_t};
use super::string::Text;
use std::sync::Arc;
use tiledb_array::schema::Domain;
use tiledb_core::error::bail;
use tiledb_core::suggestion::closest_names;

/// Appends a dimension to a domain.
///
/// The domain shares the dimension: what is set in the dimension handle afterwards, such as its filters, also changes the
/// domain. The handle can be freed after this call. Whether names are unique is checked by `tiledb_array_schema_check`.
///
/// @param ctx The TileDB context.
/// @param domain The domain. If it has been set in a schema, the schema changes with it.
/// @param dim The dimension.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_add_dimension(
    ctx: In<tiledb_ctx_t>,
    domain: In<tiledb_domain_t>,
    dim: In<tiledb_dimension_t>,
) -> i32 {
    call(ctx, |_| {
        let domain = domain.get()?;
        if dim.is_null() {
            bail!("C API: May not add a missing dimension; argument is NULL");
        }
        domain.add(dim.get()?.share())
    })
}

/// Creates a domain without dimensions.
///
/// A domain is the ordered list of the dimensions of an array. The order matters: in row-major order the last dimension varies
/// fastest.
///
/// ```c
/// tiledb_domain_t *domain = NULL;
/// tiledb_dimension_t *rows = NULL, *columns = NULL;
/// uint64_t range[] = {0, 9999}, extent = 100;
/// tiledb_dimension_alloc(ctx, "row", TILEDB_UINT64, range, &extent, &rows);
/// tiledb_dimension_alloc(ctx, "column", TILEDB_UINT64, range, &extent, &columns);
/// tiledb_domain_alloc(ctx, &domain);
/// tiledb_domain_add_dimension(ctx, domain, rows);
/// tiledb_domain_add_dimension(ctx, domain, columns);
/// tiledb_array_schema_set_domain(ctx, schema, domain);
/// tiledb_dimension_free(&rows);
/// tiledb_dimension_free(&columns);
/// tiledb_domain_free(&domain);
/// ```
///
/// @param ctx The TileDB context.
/// @param domain Receives the domain; free it with `tiledb_domain_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_alloc(ctx: In<tiledb_ctx_t>, domain: OutHandle<tiledb_domain_t>) -> i32 {
    make(ctx, domain, |_| Ok(DomainObject::owning(Arc::new(Domain::new()))))
}

/// Returns a readable description of a domain.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_dump_str(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, out, |_| Ok(Text::new(domain.get()?.snapshot().dump())))
}

/// Frees a domain handle and sets the pointer to null. Schemas in which the domain was set keep it.
///
/// @param domain The domain; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_free(domain: OutHandle<tiledb_domain_t>) {
    free(domain)
}

/// Returns a dimension of a domain by its position.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param index The position, from 0.
/// @param dim Receives the dimension, which is shared with the domain; free it with `tiledb_dimension_free`. Null for position
///     0 of a domain without dimensions.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    index: u32,
    dim: OutHandle<tiledb_dimension_t>,
) -> i32 {
    call(ctx, |_| {
        let domain = domain.get()?;
        dim.check()?;
        match domain.dimension(index as usize) {
            Some(dimension) => dim.set(dimension),
            None => match domain.dimension_num() {
                0 if index == 0 => dim.set_null(),
                len => bail!(
                    "C API: Dimension index {index} is out of bounds; valid indices are 0 to {}",
                    (len as u32).wrapping_sub(1)
                ),
            },
        }
    })
}

/// Returns a dimension of a domain by its name.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param name The name.
/// @param dim Receives the dimension, which is shared with the domain; free it with `tiledb_dimension_free`. Null if the domain
///     has no dimensions at all.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the domain has dimensions, but none of this name.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    name: Str,
    dim: OutHandle<tiledb_dimension_t>,
) -> i32 {
    call(ctx, |_| {
        let domain = domain.get()?;
        dim.check()?;
        if domain.dimension_num() == 0 {
            return dim.set_null();
        }
        let name = name.get("name")?;
        match domain.dimension_named(name) {
            Some(dimension) => dim.set(dimension),
            None => {
                let domain = domain.snapshot();
                let names = closest_names(name, domain.dimensions().iter().map(|dimension| &**dimension.name()));
                bail!("C API: Dimension '{name}' does not exist{names}")
            }
        }
    })
}

/// Returns the number of dimensions of a domain.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param ndim Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_ndim(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    ndim: Out<u32>,
) -> i32 {
    call(ctx, |_| ndim.set(domain.get()?.dimension_num() as u32))
}

/// Returns the datatype that all dimensions of a domain have in common.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_type(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    call(ctx, |_| r#type.set(value_of(domain.get()?.snapshot().datatype()?.number())?))
}

/// Reports whether a domain has a dimension of this name.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param name The name.
/// @param has_dim Receives 1 if there is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_has_dimension(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    name: Str,
    has_dim: Out<i32>,
) -> i32 {
    call(ctx, |_| {
        let domain = domain.get()?;
        has_dim.set(domain.dimension_named(name.get("name")?).is_some().into())
    })
}
