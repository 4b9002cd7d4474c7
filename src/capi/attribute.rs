//! C functions of attributes: the named, typed values of each cell.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutPtr, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_attribute_t, tiledb_ctx_t, tiledb_filter_list_t, tiledb_string_t};
use super::string::Text;
use super::value::{Value, internal};
use tiledb_array::schema::Attribute;
use tiledb_core::error::bail;
use tiledb_core::types::Datatype;

/// Creates an attribute: a named value that each cell of an array has.
///
/// A new attribute has one value per cell, is not nullable, has no filters, and has the default fill value of its datatype.
/// `TILEDB_STRING_ASCII` and `TILEDB_STRING_UTF8` attributes need `tiledb_attribute_set_cell_val_num` with `TILEDB_VAR_NUM` to
/// hold strings of any length.
///
/// ```c
/// tiledb_attribute_t *name = NULL;
/// tiledb_attribute_alloc(ctx, "name", TILEDB_STRING_UTF8, &name);
/// tiledb_attribute_set_cell_val_num(ctx, name, TILEDB_VAR_NUM);
/// tiledb_attribute_set_nullable(ctx, name, 1);
/// tiledb_array_schema_add_attribute(ctx, schema, name);
/// tiledb_attribute_free(&name);
/// ```
///
/// @param ctx The TileDB context.
/// @param name The name, unique among the dimensions, attributes and labels of the array; empty for an anonymous attribute.
///     Names that start with `__` are reserved.
/// @param type The datatype of the values.
/// @param attr Receives the attribute; free it with `tiledb_attribute_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the datatype is unknown.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_alloc(
    ctx: In<tiledb_ctx_t>,
    name: Str,
    r#type: CEnum<tiledb_datatype_t>,
    attr: OutHandle<tiledb_attribute_t>,
) -> i32 {
    make(ctx, attr, |_| {
        let Some(name) = name.opt()? else { bail!("C API: Argument \"name\" may not be NULL") };
        let datatype = Datatype::from_number(r#type.number()).map_err(internal)?;
        Ok(Value::new(Attribute::new(name, datatype)))
    })
}

/// Returns a readable description of an attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_dump_str(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, out, |_| Ok(Text::new(attr.get()?.snapshot().dump())))
}

/// Frees an attribute handle and sets the pointer to null. Schemas to which the attribute was added keep it.
///
/// @param attr The attribute; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_free(attr: OutHandle<tiledb_attribute_t>) {
    free(attr)
}

/// Returns the size of a cell in bytes; `UINT64_MAX` for variable-length cells.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param cell_size Receives the bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_cell_size(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    cell_size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let attribute = attr.get()?.snapshot();
        cell_size.set(if attribute.is_var() { u64::MAX } else { attribute.cell_size() as u64 })
    })
}

/// Returns the number of values per cell; `TILEDB_VAR_NUM` for variable-length cells.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param cell_val_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    cell_val_num: Out<u32>,
) -> i32 {
    call(ctx, |_| cell_val_num.set(attr.get()?.snapshot().cell_val_num().number()))
}

/// Returns the name of the enumeration whose values the cells of an attribute refer to.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param name Receives the name, to be freed with `tiledb_string_free`; null if there is none.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    call(ctx, |_| match attr.get()?.snapshot().enumeration() {
        Some(enumeration) => name.set(Text::new(enumeration.as_str())),
        None => name.set_null(),
    })
}

/// Returns the fill value of an attribute that is not nullable; see `tiledb_attribute_set_fill_value`.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param value Receives the bytes of the value, valid until the attribute is changed or freed.
/// @param size Receives the number of bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_fill_value(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: OutPtr,
    size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let attribute = attr.get()?.lend();
        value.check()?;
        size.check()?;
        let fill = attribute.fill_value()?;
        value.set(fill)?;
        size.set(fill.len() as u64)
    })
}

/// Returns the fill value of a nullable attribute; see `tiledb_attribute_set_fill_value_nullable`.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param value Receives the bytes of the value, valid until the attribute is changed or freed.
/// @param size Receives the number of bytes.
/// @param valid Receives 0 if such cells are null, else 1.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_fill_value_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: OutPtr,
    size: Out<u64>,
    valid: Out<u8>,
) -> i32 {
    call(ctx, |_| {
        let attribute = attr.get()?.lend();
        value.check()?;
        size.check()?;
        valid.check()?;
        let (fill, is_valid) = attribute.fill_value_nullable()?;
        value.set(fill)?;
        size.set(fill.len() as u64)?;
        valid.set(is_valid.into())
    })
}

/// Returns the filter pipeline of an attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_filter_list(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> i32 {
    make(ctx, filter_list, |_| Ok(Value::new(attr.get()?.snapshot().filters().clone())))
}

/// Returns the name of an attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param name Receives the name, valid until the attribute is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_name(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    name: OutStr,
) -> i32 {
    call(ctx, |_| name.set(attr.get()?.lend().name().as_c_str()))
}

/// Reports whether the cells of an attribute may be null.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param nullable Receives 1 if they may, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    nullable: Out<u8>,
) -> i32 {
    call(ctx, |_| nullable.set(attr.get()?.snapshot().nullable().into()))
}

/// Returns the type of the values.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_type(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    call(ctx, |_| r#type.set(value_of(attr.get()?.snapshot().datatype().number())?))
}

/// Sets the number of values per cell of an attribute.
///
/// The fill value is reset to the default. With `TILEDB_VAR_NUM` cells have variable length: queries then need an offsets
/// buffer for the attribute in addition to its data buffer (`tiledb_query_set_offsets_buffer`).
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param cell_val_num The number, at least 1, or `TILEDB_VAR_NUM`, which is the only number that `TILEDB_ANY` accepts.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the number is not allowed.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    cell_val_num: u32,
) -> i32 {
    call(ctx, |_| attr.get()?.change(|attribute| attribute.set_cell_val_num(cell_val_num)))
}

/// Sets the enumeration whose values the cells of an attribute refer to by index.
///
/// The attribute must have an integer datatype that can hold all indexes, and one value per cell; this is checked when the
/// attribute is added to a schema, which must have the enumeration by then.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param enumeration_name The name of the enumeration, not empty.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_enumeration_name(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    enumeration_name: Str,
) -> capi_return_t {
    call(ctx, |_| {
        let name = enumeration_name.get("enumeration_name")?;
        attr.get()?.change(|attribute| attribute.set_enumeration(name))
    })
}

/// Sets the fill value of an attribute that is not nullable: what cells of dense arrays read as that were never written, that
/// do not match a query condition, or that are older than the attribute.
///
/// Call it after `tiledb_attribute_set_cell_val_num`, which resets the fill value.
///
/// @param ctx The TileDB context.
/// @param attr The attribute, which must not be nullable; see `tiledb_attribute_set_fill_value_nullable`.
/// @param value The bytes of one cell, which are copied.
/// @param size The number of bytes: that of a cell, or any number greater than 0 if cells have variable length.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the attribute is nullable or the size does not match.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_fill_value(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: Bytes,
    size: u64,
) -> i32 {
    call(ctx, |_| {
        let value = value.opt("value", size)?;
        attr.get()?.change(|attribute| attribute.set_fill(value))
    })
}

/// Sets the fill value of a nullable attribute: what cells of dense arrays read as that were never written, that do not match a
/// query condition, or that are older than the attribute. Call it after `tiledb_attribute_set_cell_val_num`, which resets it to
/// null.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param value The bytes of one cell.
/// @param size The number of bytes.
/// @param validity 0 to make such cells null, else 1.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_fill_value_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: Bytes,
    size: u64,
    validity: u8,
) -> i32 {
    call(ctx, |_| {
        let value = value.opt("value", size)?;
        attr.get()?.change(|attribute| attribute.set_fill_nullable(value, validity != 0))
    })
}

/// Sets the filter pipeline of the values of an attribute: compression, checksums and others.
///
/// Set the number of values per cell first, since it decides which filters are accepted.
///
/// @param ctx The TileDB context.
/// @param attr The attribute. If it has been added to a schema, the schema changes with it.
/// @param filter_list The filters, which are copied: later changes to the list have no effect.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if a filter does not accept the datatype, or the output of the filter before
///     it.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_filter_list(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    filter_list: In<tiledb_filter_list_t>,
) -> i32 {
    call(ctx, |_| {
        let attribute = attr.get()?;
        let filters = filter_list.get()?.snapshot();
        attribute.change(|attribute| attribute.set_filters((*filters).clone()))
    })
}

/// Sets whether the cells of an attribute may be null.
///
/// Queries then need a validity buffer for the attribute, one byte per cell (`tiledb_query_set_validity_buffer`). It cannot be
/// changed once the array exists.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param nullable 0 if each cell must have a value, otherwise 1.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    nullable: u8,
) -> i32 {
    call(ctx, |_| {
        attr.get()?.change(|attribute| {
            attribute.set_nullable(nullable != 0);
            Ok(())
        })
    })
}
