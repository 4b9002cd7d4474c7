//! Verification of an array: schemas, enumerations, metadata, commits, fragments, dimension labels.

use std::collections::HashSet;

use super::array_listing::{ArrayListing, ListedFile};
use super::commits::{Commits, covers};
use super::context::{VerifyContext, unless_stopped};
use super::finding::{Code, Finding, Severity};
use super::fragment;
use super::report::Report;
use crate::maintain::late_writes::{DenseFragment, late_writes};
use tiledb_array::array::{ArrayDirectory, DirectoryParts, Metadata, SchemaStore, commits};
use tiledb_array::fragment::{Fragment, LEGACY_SCHEMA, MetadataCaching, times_of};
use tiledb_array::schema::{ArraySchema, Enumeration};
use tiledb_cells::space::grid::Grid;
use tiledb_core::error::{Result, bail};
use tiledb_core::sort;
use tiledb_filters::tile::generic::{Check, StructurePayload};
use tiledb_storage::vfs::Uri;

/// Verifies an array.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn check(
    work: &VerifyContext<'_>,
    uri: &Uri,
    listing: &ArrayListing,
    report: &mut Report<'_>,
) -> Result<()> {
    report.expect(listing.bytes);
    let store = schemas(work, uri, listing, report)?;
    for file in &listing.enumerations {
        whole_file(work, report, Code::Enumeration, file, &Enumeration::check_prefix, |payload| {
            Enumeration::decode(payload.bytes, payload.memory).map(drop)
        })?;
    }
    metadata(work, listing, report)?;
    let committed = Commits::read(work, listing, report)?;
    committed.check(listing, report)?;
    let schema_of = |name: &str| store.get(name);
    let grid = store.newest().ok().filter(|schema| schema.is_dense()).and_then(|schema| Grid::new(&schema).ok());
    let mut visible = Vec::new();
    for folder in listing.fragments.values() {
        work.resources.cancel().check()?;
        if !committed.has(folder) {
            for file in &folder.files {
                report.file(file.size)?;
            }
            continue;
        }
        let name = folder.name.clone();
        let key = &work.key;
        match unless_stopped(Fragment::load(work.resources, uri, name, key, None, MetadataCaching::None, &schema_of))? {
            Ok(loaded) => {
                fragment::check(work, &loaded, &folder.files, report)?;
                committed.compare_footer(&loaded, report)?;
                if let Some(grid) = grid.as_ref().filter(|_| !committed.is_replaced(&folder.name)) {
                    visible.push(DenseFragment::new(grid, &loaded));
                }
            }
            Err(error) => {
                let file = folder.name.folder(uri).join(tiledb_array::fragment::METADATA_FILE);
                let finding = Finding::of(Code::Footer, &file, &error);
                report.report(&Finding { fragment: Some(folder.name.as_str().to_owned()), ..finding })?;
            }
        }
    }
    for (late, merged) in late_writes(&visible) {
        let file = late.name.folder(uri).join(tiledb_array::fragment::METADATA_FILE);
        let text = format!(
            "It was committed after fragments around it were merged into '{}', and may hide newer cells",
            merged.name
        );
        let finding = Finding::new(Code::LateWrite, &file, text);
        report.report(&Finding { fragment: Some(late.name.as_str().to_owned()), ..finding })?;
    }
    for file in &listing.others {
        report.file(file.size)?;
    }
    labels(work, uri, listing, &store, report)
}

/// Loads all schemas.
fn schemas(
    work: &VerifyContext<'_>,
    uri: &Uri,
    listing: &ArrayListing,
    report: &mut Report<'_>,
) -> Result<SchemaStore> {
    let is_one = |file: &&ListedFile| file.name == LEGACY_SCHEMA || times_of(&file.name).is_some();
    let mut names: Vec<String> = listing.schemas.iter().filter(is_one).map(|file| file.name.clone()).collect();
    // The one of old arrays counts as the oldest.
    sort::by(&mut names, |a, b| (a != LEGACY_SCHEMA, a).cmp(&(b != LEGACY_SCHEMA, b)));
    let directory = ArrayDirectory::from_parts(uri, DirectoryParts { schemas: names, ..DirectoryParts::default() });
    let store = SchemaStore::new(work.resources, &directory, &work.key);
    let files: HashSet<&str> = listing.enumerations.iter().map(|file| file.name.as_str()).collect();
    for file in &listing.schemas {
        if !is_one(&file) {
            report.file(file.size)?;
            report.report(&Finding::new(Code::Stray, &file.uri, "This is no schema: its name has no times"))?;
            continue;
        }
        let before = report.errors();
        whole_file(
            work,
            report,
            Code::Schema,
            file,
            &|r, memory| ArraySchema::parse(r, memory).map(drop),
            |payload| ArraySchema::decode(&payload.bytes, payload.memory).map(drop),
        )?;
        match unless_stopped(store.get(&file.name))? {
            Err(error) if report.errors() == before => report.report(&Finding::of(Code::Schema, &file.uri, &error))?,
            Err(_) => (),
            Ok(schema) => enumerations(&files, file, &schema, report)?,
        }
    }
    Ok(store)
}

/// The files of a schema's enumerations are among these.
fn enumerations(files: &HashSet<&str>, file: &ListedFile, schema: &ArraySchema, report: &mut Report<'_>) -> Result<()> {
    for known in schema.enumerations() {
        if !files.contains(known.path.as_str()) {
            let text = format!("The file '{}' of enumeration '{}' is missing", known.path, known.name);
            let finding = Finding::new(Code::Missing, &file.uri, text);
            report.report(&finding)?;
        }
    }
    Ok(())
}

/// Verifies the metadata of the array and its vacuum files.
fn metadata(work: &VerifyContext<'_>, listing: &ArrayListing, report: &mut Report<'_>) -> Result<()> {
    let names: HashSet<&str> = listing.metadata.iter().map(|file| file.name.as_str()).collect();
    for file in &listing.metadata {
        if !file.name.ends_with(".vac") {
            whole_file(work, report, Code::Metadata, file, &Metadata::check_prefix, |payload| {
                Metadata::decode(payload).map(drop)
            })?;
            continue;
        }
        report.file(file.size)?;
        match unless_stopped(work.resources.vfs().read(&file.uri))? {
            Err(error) => report.report(&Finding::of(Code::Commit, &file.uri, &error))?,
            Ok(bytes) => {
                // A vacuum that was stopped leaves the list of what it has removed, beside the merged file. If no value remained there
                // is none: then nothing says whether it is missing.
                let result = file.name.strip_suffix(".vac").filter(|result| names.contains(result));
                let is_source = |name: &str| {
                    let times = result.and_then(times_of).zip(times_of(name));
                    times.is_some_and(|(merged, source)| covers(merged, source))
                };
                for name in commits::vacuumed(&bytes).filter(|name| !names.contains(name.as_str())) {
                    let text = format!("It says that '{name}' was replaced, which is not there");
                    let severity = if is_source(&name) { Severity::Note } else { Severity::Warning };
                    report.report(&Finding::new(Code::Commit, &file.uri, text).with_severity(severity))?;
                }
            }
        }
    }
    Ok(())
}

/// Verifies a file that is one generic tile.
fn whole_file(
    work: &VerifyContext<'_>,
    report: &mut Report<'_>,
    code: Code,
    file: &ListedFile,
    check: Check<'_>,
    parse: impl FnOnce(StructurePayload) -> Result<()>,
) -> Result<()> {
    let look = || {
        let bytes = work.resources.vfs().read(&file.uri)?;
        let payload = work.decode(&bytes, check)?;
        let taken = payload.tile_size;
        parse(payload)?;
        if taken < bytes.len() {
            bail!(Corrupt, "{} bytes follow the tile", bytes.len() - taken);
        }
        Ok(())
    };
    let looked = unless_stopped(look())?;
    report.file(file.size)?;
    match looked {
        Ok(()) => Ok(()),
        Err(error) => report.report(&Finding::of(code, &file.uri, &error)),
    }
}

/// Verifies the arrays of dimension labels.
fn labels(
    work: &VerifyContext<'_>,
    uri: &Uri,
    listing: &ArrayListing,
    store: &SchemaStore,
    report: &mut Report<'_>,
) -> Result<()> {
    let mut arrays: Vec<Uri> = listing.labels.iter().map(|name| uri.join("__labels").join(name)).collect();
    let mut known: HashSet<Uri> = arrays.iter().cloned().collect();
    for schema in store.names().iter().filter_map(|name| store.get(name).ok()) {
        for label in schema.labels() {
            if let Ok(array) = label.array_uri(uri)
                && known.insert(array.clone())
            {
                arrays.push(array);
            }
        }
    }
    for array in arrays {
        match unless_stopped(ArrayListing::of(work.resources.vfs(), &array))? {
            Ok(listing) if listing.schemas.is_empty() => {
                report.report(&Finding::new(Code::Missing, &array, "The array of a dimension label has no schema"))?;
            }
            Ok(listing) => check(work, &array, &listing, report)?,
            Err(error) => report.report(&Finding::of(Code::Missing, &array, &error))?,
        }
    }
    Ok(())
}
