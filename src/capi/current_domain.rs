//! C functions of current domains.

use std::sync::Arc;

use super::boundary::{In, Out, OutHandle, capi_return_t};
use super::call::{call_since_2_26, free_checked, make};
use super::domain_object::CurrentDomainObject;
use super::enums::tiledb_current_domain_type_t;
use super::handles::{tiledb_ctx_t, tiledb_current_domain_t, tiledb_ndrectangle_t, tiledb_string_t};
use super::string::Text;
use super::value::internal;
use tiledb_array::schema::CurrentDomain;
use tiledb_core::error::bail;

/// Creates an empty current domain, which stands for the whole domain.
///
/// @param ctx The TileDB context.
/// @param current_domain Receives the current domain, to be freed with `tiledb_current_domain_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_create(
    ctx: In<tiledb_ctx_t>,
    current_domain: OutHandle<tiledb_current_domain_t>,
) -> capi_return_t {
    make(ctx, current_domain, |_| Ok(CurrentDomainObject::of(CurrentDomain::default(), None)))
}

/// Returns a readable description of a current domain.
///
/// @param ctx The TileDB context.
/// @param current_domain The current domain.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_dump_str(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, out, |_| Ok(Text::new(current_domain.get()?.snapshot().dump())))
}

/// Frees a current domain and sets the pointer to null.
///
/// @param current_domain The current domain.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a pointer to null.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_free(current_domain: OutHandle<tiledb_current_domain_t>) -> capi_return_t {
    free_checked(current_domain)
}

/// Reports whether a current domain is empty.
///
/// @param ctx The TileDB context.
/// @param current_domain The current domain.
/// @param is_empty Receives 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_get_is_empty(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    is_empty: Out<u32>,
) -> capi_return_t {
    call_since_2_26(ctx, current_domain, is_empty, |current_domain, is_empty| {
        is_empty.set(current_domain.get()?.snapshot().is_empty().into())
    })
}

/// Returns the rectangle of a current domain.
///
/// @param ctx The TileDB context.
/// @param current_domain The current domain.
/// @param ndr Receives the rectangle, to be freed with `tiledb_ndrectangle_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_get_ndrectangle(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    ndr: OutHandle<tiledb_ndrectangle_t>,
) -> capi_return_t {
    call_since_2_26(ctx, current_domain, ndr, |current_domain, ndr| {
        ndr.check()?;
        let current_domain = current_domain.get()?;
        match &*current_domain.parts() {
            Some(rectangle) => ndr.set(Arc::clone(rectangle)),
            None => bail!(
                "TileDB internal: It's not possible to get the ndrectangle from this current domain if one isn't set."
            ),
        }
    })
}

/// Returns the kind of a current domain that is not empty.
///
/// @param ctx The TileDB context.
/// @param current_domain The current domain.
/// @param type Receives the kind: `TILEDB_NDRECTANGLE`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_get_type(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    r#type: Out<tiledb_current_domain_type_t>,
) -> capi_return_t {
    call_since_2_26(ctx, current_domain, r#type, |current_domain, r#type| {
        if current_domain.get()?.snapshot().is_empty() {
            bail!("TileDB internal: It's not possible to read the type, this CurrentDomain instance is empty.");
        }
        r#type.set(tiledb_current_domain_type_t::TILEDB_NDRECTANGLE)
    })
}

/// Sets the rectangle of an empty current domain.
///
/// @param ctx The TileDB context.
/// @param current_domain The current domain.
/// @param ndr The rectangle; the current domain keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_set_ndrectangle(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    ndr: In<tiledb_ndrectangle_t>,
) -> capi_return_t {
    call_since_2_26(ctx, current_domain, ndr, |current_domain, ndr| {
        let current_domain = current_domain.get()?;
        let rectangle = ndr.get()?.share();
        current_domain.set_rectangle(rectangle).map_err(internal)
    })
}
