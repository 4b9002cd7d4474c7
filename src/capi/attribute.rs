//! Attributes: what each cell of an array holds.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutPtr, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_attribute_t, tiledb_ctx_t, tiledb_filter_list_t, tiledb_string_t};
use super::string::Text;
use super::value::{Value, internal, size_of};
use tiledb_array::schema::Attribute;
use tiledb_core::error::bail;
use tiledb_core::types::Datatype;

/// Creates an attribute of one value per cell, without filters, that is not nullable.
///
/// @param ctx The TileDB context.
/// @param name The name; empty for an anonymous attribute.
/// @param type The type of the values.
/// @param attr The attribute, to be freed with `tiledb_attribute_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives an attribute as text.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param out The text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_dump_str(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, out, |_| Ok(Text::new(attr.get()?.snapshot().dump())))
}

/// Frees an attribute and sets the pointer to null.
///
/// @param attr The attribute.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_free(attr: OutHandle<tiledb_attribute_t>) {
    free(attr)
}

/// Gives the bytes of one cell; `UINT64_MAX` where cells have any number of values.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param cell_size The bytes.
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

/// Gives the number of values per cell; `TILEDB_VAR_NUM` for any number.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param cell_val_num The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    cell_val_num: Out<u32>,
) -> i32 {
    call(ctx, |_| cell_val_num.set(attr.get()?.snapshot().cell_val_num().number()))
}

/// Gives the name of the enumeration that the cells index.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param name The name, to be freed with `tiledb_string_free`; null if there is none.
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

/// Gives the value of cells that nobody wrote, for an attribute that is not nullable.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param value The bytes of the value, valid until the attribute is changed or freed.
/// @param size The number of bytes.
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

/// Gives the value of cells that nobody wrote, for a nullable attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param value The bytes of the value, valid until the attribute is changed or freed.
/// @param size The number of bytes.
/// @param valid 0 if such cells are null, else 1.
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

/// Gives the filters of an attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_filter_list(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> i32 {
    make(ctx, filter_list, |_| Ok(Value::new(attr.get()?.snapshot().filters().clone())))
}

/// Gives the name of an attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param name The name, valid until the attribute is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_name(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    name: OutStr,
) -> i32 {
    call(ctx, |_| name.set(attr.get()?.lend().name().as_c_str()))
}

/// Tells whether cells may be null.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param nullable 1 if they may, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_nullable(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    nullable: Out<u8>,
) -> i32 {
    call(ctx, |_| nullable.set(attr.get()?.snapshot().nullable().into()))
}

/// Gives the type of the values.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param type The type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_get_type(
    ctx: In<tiledb_ctx_t>,
    attr: InConst<tiledb_attribute_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    call(ctx, |_| r#type.set(value_of(attr.get()?.snapshot().datatype().number())?))
}

/// Sets the number of values per cell. The fill value becomes the default one.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param cell_val_num The number, or `TILEDB_VAR_NUM` for any number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    cell_val_num: u32,
) -> i32 {
    call(ctx, |_| attr.get()?.change(|attribute| attribute.set_cell_val_num(cell_val_num)))
}

/// Names the enumeration whose values the cells index.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param enumeration_name The name of the enumeration.
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

/// Sets the value of cells that nobody writes, for an attribute that is not nullable.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param value The bytes of one cell.
/// @param size The number of bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_set_fill_value(
    ctx: In<tiledb_ctx_t>,
    attr: In<tiledb_attribute_t>,
    value: Bytes,
    size: u64,
) -> i32 {
    call(ctx, |_| {
        let value = value.opt(size_of(size)?)?;
        attr.get()?.change(|attribute| attribute.set_fill(value))
    })
}

/// Sets the value of cells that nobody writes, for a nullable attribute.
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
        let value = value.opt(size_of(size)?)?;
        attr.get()?.change(|attribute| attribute.set_fill_nullable(value, validity != 0))
    })
}

/// Sets the filters of an attribute.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param filter_list The filters; the attribute keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Sets whether cells may be null.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param nullable 1 if they may, else 0.
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
