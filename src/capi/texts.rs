//! C functions of texts, declared in `tiledb/tiledb_rs.h`: query conditions, dates and times, and schemas as JSON.

use super::boundary::{CEnum, In, InConst, Out, OutHandle, Str, capi_return_t};
use super::call::{call_plain, make};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t, tiledb_query_condition_t, tiledb_string_t};
use super::schema_object::SchemaObject;
use super::string::Text;
use super::value::Value;
use tiledb::interop;
use tiledb_core::calendar;
use tiledb_core::error::{Error, bail};
use tiledb_core::types::Datatype;

/// Creates a query condition from a text, such as `delay between 5 and 9 and (origin == 'JFK' or carrier is null)`.
///
/// Comparisons are `field op value`, with `==` or `=`, `!=` or `<>`, `<`, `<=`, `>`, `>=`; `field in (v1, v2)`, `field not in (v1, v2)`,
/// `field between v1 and v2`, `field is null` and `field is not null`. They are joined by `and`, `or`, `not` and parentheses. A name
/// or a value is a word, or any text in single or double quotes. Values are read by the datatype of the field, or of its enumeration:
/// numbers, texts, `true` and `false`, dates and times in ISO 8601, bytes as `0x1f`.
///
/// ```c
/// tiledb_query_condition_t *late = NULL;
/// tiledb_array_get_schema(ctx, array, &schema);
/// if (tiledb_rs_query_condition_from_text(ctx, schema, "delay > 60 and origin in (JFK, LGA)", &late) == TILEDB_OK)
///   tiledb_query_set_condition(ctx, query, late);
/// tiledb_query_condition_free(&late);
/// tiledb_array_schema_free(&schema);
/// ```
///
/// @param ctx The TileDB context.
/// @param array_schema The schema of the array, for the types of its fields. Enumerations of compared attributes are loaded.
/// @param text The condition in UTF-8.
/// @param condition Receives the condition; free it with `tiledb_query_condition_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the text is not a condition, or names a field that does not exist, or a value that
///     the type of the field does not represent. The error ends with the position in the text, in bytes: `(at byte 12)`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_query_condition_from_text(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    text: Str,
    condition: OutHandle<tiledb_query_condition_t>,
) -> capi_return_t {
    make(ctx, condition, |_| {
        let schema = array_schema.get()?.snapshot();
        let parsed = interop::condition_from_text(text.get("text")?, &schema).map_err(with_position)?;
        Ok(Value::new(Some(parsed)))
    })
}

/// Reads a date or a time of day as the number of units that a datatype of dates stores.
///
/// ```c
/// int64_t day = 0;
/// tiledb_rs_datetime_from_text(TILEDB_DATETIME_DAY, "2024-02-29", &day); // 19782
/// ```
///
/// @param datatype A datatype of dates, `TILEDB_DATETIME_YEAR` to `TILEDB_DATETIME_AS`.
/// @param text A date in ISO 8601: `2024`, `2024-02`, `2024-02-29`, `2024-02-29T12:30`, `2024-02-29 12:30:15.25Z`; or a number of units,
///     except of years; or `NaT`, which is the smallest number.
/// @param units Receives the number of units since 1970-01-01 UTC.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such date, or it is not a whole number of units.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_datetime_from_text(
    datatype: CEnum<tiledb_datatype_t>,
    text: Str,
    units: Out<i64>,
) -> capi_return_t {
    call_plain(|| {
        units.check()?;
        let datatype = Datatype::from_number(datatype.number())?;
        let text = text.get("text")?;
        match calendar::parse_datetime(datatype, text) {
            Some(number) => units.set(number),
            None => bail!("'{text}' is not a date in whole units of {}", datatype.name()),
        }
    })
}

/// Describes a schema in JSON, from which `tiledb_rs_schema_from_json` makes the same one.
///
/// Everything is included but dimension labels and sizes of chunks: enumerations with their values, which are loaded, and fill values
/// unless they are the default. Values are numbers, texts, dates in ISO 8601, or lists of several values; bytes that no text spells
/// are `{"hex": "0x..."}`.
///
/// ```c
/// tiledb_string_t *json = NULL;
/// tiledb_array_schema_t *same = NULL;
/// const char *text = NULL;
/// size_t length = 0;
/// tiledb_array_schema_load(ctx, "my_array", &schema);
/// tiledb_rs_schema_to_json(ctx, schema, &json);
/// tiledb_string_view(json, &text, &length);
/// printf("%s\n", text);
/// tiledb_rs_schema_from_json(ctx, text, &same);
/// tiledb_array_create(ctx, "my_other_array", same);
/// ```
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param json Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_schema_to_json(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    json: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, json, |_| {
        let schema = array_schema.get()?.snapshot();
        Ok(Text::new(interop::schema_to_json(schema).map_err(tiledb::Error::into_engine)?))
    })
}

/// Creates the schema that JSON describes, as `tiledb_rs_schema_to_json` writes it.
///
/// Everything but `array_type` and the dimensions may be missing; unknown keys are errors.
///
/// ```c
/// tiledb_rs_schema_from_json(ctx,
///                            "{\"array_type\": \"dense\","
///                            " \"dimensions\": [{\"name\": \"x\", \"type\": \"INT32\", \"domain\": [0, 99], \"tile\": 10}],"
///                            " \"attributes\": [{\"name\": \"a\", \"type\": \"FLOAT64\"}]}",
///                            &schema);
/// ```
///
/// @param ctx The TileDB context.
/// @param json The description in UTF-8.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the text is not JSON, or does not describe a valid schema: the error names the
///     place, such as `schema.attributes[0].type`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_schema_from_json(
    ctx: In<tiledb_ctx_t>,
    json: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |_| {
        let schema = interop::schema_from_json(json.get("json")?).map_err(tiledb::Error::into_engine)?;
        Ok(SchemaObject::owning(schema))
    })
}

/// The engine's error, whose text ends with the position in the text that was parsed.
fn with_position(error: tiledb::Error) -> Error {
    let position = error.position();
    let error = error.into_engine();
    match position {
        Some(position) => Error::new(error.kind(), format!("{} (at byte {position})", error.text())),
        None => error,
    }
}
