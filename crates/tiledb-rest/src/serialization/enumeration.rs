//! Serialization of enumerations.

use std::sync::Arc;

use super::format::{in_field, required};
use crate::encoding::{Builder, ListView, View};
use crate::messages;
use tiledb_array::schema::Enumeration;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Datatype;

/// Puts an enumeration with its values into a message.
///
/// # Errors
/// If memory does not suffice.
pub(crate) fn fill(out: &mut Builder<'_, messages::Enumeration>, enumeration: &Enumeration) -> Result<()> {
    out.set_text(messages::Enumeration::NAME, enumeration.name())?;
    out.set_text(messages::Enumeration::PATH_NAME, enumeration.path())?;
    out.set_text(messages::Enumeration::TYPE, enumeration.datatype().name())?;
    out.set(messages::Enumeration::CELL_VAL_NUM, enumeration.cell_val_num().number());
    out.set(messages::Enumeration::ORDERED, enumeration.ordered());
    if !enumeration.data().is_empty() {
        out.set_data(messages::Enumeration::DATA, enumeration.data())?;
    }
    if !enumeration.offsets().is_empty() {
        out.set_data(messages::Enumeration::OFFSETS, bytemuck::cast_slice(enumeration.offsets()))?;
    }
    Ok(())
}

/// The enumeration of a message.
///
/// # Errors
/// If its data and offsets do not fit together.
pub(crate) fn of(view: View<'_, messages::Enumeration>) -> Result<Enumeration> {
    let name = required("Enumeration.name", view.text(messages::Enumeration::NAME)?)?;
    let path = required("Enumeration.pathName", view.text(messages::Enumeration::PATH_NAME)?)?;
    check_path(path)?;
    let datatype = required("Enumeration.type", view.text(messages::Enumeration::TYPE)?)?;
    let datatype = Datatype::from_name(datatype).map_err(in_field("Enumeration.type"))?;
    let data = view.data(messages::Enumeration::DATA)?.unwrap_or_default();
    let offsets = view.data(messages::Enumeration::OFFSETS)?.unwrap_or_default();
    if !offsets.len().is_multiple_of(8) {
        bail!(Corrupt, "Enumeration.offsets: {} bytes are no whole offsets", offsets.len());
    }
    let mut words = memory::with_capacity("offsets of an enumeration", offsets.len() / 8)?;
    words.extend(offsets.chunks_exact(8).map(bytemuck::pod_read_unaligned::<u64>));
    let values = Enumeration::new(
        name,
        datatype,
        view.get(messages::Enumeration::CELL_VAL_NUM),
        view.get(messages::Enumeration::ORDERED),
        data,
        (!words.is_empty()).then_some(&words),
    );
    Ok(values.map_err(in_field("Enumeration"))?.in_file(path))
}

/// Checks that an enumeration file is in the folder of its array.
pub(super) fn check_path(path: &str) -> Result<()> {
    if path.is_empty() || path.contains('/') || path == ".." {
        bail!(Corrupt, "Enumeration.pathName: '{path}' is no name of a file");
    }
    Ok(())
}

/// The enumerations of a list.
///
/// # Errors
/// As [`of`].
pub(crate) fn of_list(list: ListView<'_, messages::Enumeration>) -> Result<Vec<Arc<Enumeration>>> {
    let mut all = Vec::new();
    for view in list.iter() {
        memory::push("enumerations", &mut all, Arc::new(of(view)?))?;
    }
    Ok(all)
}
