//! Verification of a fragment: its metadata file, the files of its fields, and their tiles.

use super::array_listing::ListedFile;
use super::context::VerifyContext;
use super::coordinates::{self, TileSummary};
use super::dense::written_cells;
use super::finding::{Code, Finding, Severity};
use super::report::Report;
use super::tile::{TileAccess, TileCheck};
use super::totals::FragmentTotals;
use tiledb_array::fragment::{DELETE_CONDITIONS, FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_cells::keys::plan::{CellOrder, KeyPlan};
use tiledb_cells::space::grid::Grid;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::limits::verify::{MAX_BATCH_BYTES, MAX_BATCH_TILES};

/// Part of a tile that a task verifies.
#[derive(Clone, Copy)]
enum Column<'a> {
    Field(&'a Field),
    Coordinates,
}

/// A tile of a column.
#[derive(Clone, Copy)]
struct Job<'a> {
    column: Column<'a>,
    tile: u64,
    need: u64,
    stored: u64,
}

/// Result of a task.
struct JobResult {
    found: Vec<Finding>,
    looked: TileSummary,
}

/// Verifies a fragment whose footer was read.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn check(
    work: &VerifyContext<'_>,
    fragment: &Fragment,
    files: &[ListedFile],
    report: &mut Report<'_>,
) -> Result<()> {
    let metadata = super::metadata_file::check(work, fragment, report)?;
    report.report_all(&metadata)?;
    let fields = super::fields::check(fragment, files, report)?;
    let access = TileAccess { fragment, key: &work.key, budget: &work.budget };
    let schema = fragment.schema();
    let plan = KeyPlan::new(schema, CellOrder::Global, false)?;
    report.report_all(&super::bounds::check(fragment, &plan)?)?;
    let grid = if fragment.is_dense() { Grid::new(schema).ok() } else { None };
    let mut columns: Vec<Column<'_>> = Vec::new();
    if !fragment.is_dense() {
        let whole = coordinates::dimensions(fragment).iter().all(|field| fields.contains(&field.index));
        columns.extend(whole.then_some(Column::Coordinates));
        if !whole {
            let alone = coordinates::dimensions(fragment).into_iter().filter(|field| fields.contains(&field.index));
            columns.extend(alone.map(Column::Field));
        }
    }
    let others = schema.fields().iter().filter(|field| !field.is_dimension).chain(fragment.special_fields());
    columns.extend(others.filter(|field| fields.contains(&field.index)).map(Column::Field));
    let mut totals = FragmentTotals::new(fragment);
    for column in columns {
        let mut last: Option<(u64, Vec<Vec<u8>>)> = None;
        let mut next = 0;
        while next < fragment.tile_count() {
            work.resources.cancel().check()?;
            let jobs = batch(work, access, column, next, report)?;
            next = jobs.1;
            let jobs = jobs.0;
            let bytes: u64 = jobs.iter().map(|job| job.stored).sum();
            let size = usize::try_from(jobs.iter().map(|job| job.need).sum::<u64>()).unwrap_or(usize::MAX);
            let pools = work.resources.pools();
            let done = pools.map(jobs.len(), size, work.resources.cancel(), |index| {
                check_tile(access, &plan, grid.as_ref(), jobs[index])
            })?;
            for (job, done) in jobs.iter().zip(done) {
                report.report_all(&done.found)?;
                totals.add(&done.looked.stats);
                if let Some([first, end]) = done.looked.ends {
                    if let Some((tile, before)) = &last
                        && tile.wrapping_add(1) == job.tile
                        && let Some(finding) = coordinates::follow(access, &plan, before, &first, job.tile)?
                    {
                        report.report(&finding)?;
                    }
                    last = Some((job.tile, end));
                }
            }
            report.tiles(jobs.len() as u64, bytes)?;
        }
    }
    report.report_all(&totals.compare(fragment))
}

/// The next tiles of a column that fit into memory together, and the first tile after them.
fn batch<'a>(
    work: &VerifyContext<'_>,
    access: TileAccess<'a>,
    column: Column<'a>,
    first: u64,
    report: &mut Report<'_>,
) -> Result<(Vec<Job<'a>>, u64)> {
    let mut jobs = Vec::new();
    let mut tile = first;
    let mut sum = 0u64;
    let most_tiles = MAX_BATCH_TILES.count();
    let most = work.budget.limit().min(MAX_BATCH_BYTES.bytes());
    while tile < access.fragment.tile_count() && jobs.len() < most_tiles {
        let job = job(access, column, tile);
        if job.need > work.budget.limit() {
            report.report(&too_large(access, column, tile, work.budget.limit()))?;
            tile += 1;
            continue;
        }
        if !jobs.is_empty() && sum.saturating_add(job.need) > most {
            break;
        }
        sum = sum.saturating_add(job.need);
        jobs.push(job);
        tile += 1;
    }
    Ok((jobs, tile))
}

fn job<'a>(access: TileAccess<'a>, column: Column<'a>, tile: u64) -> Job<'a> {
    let stored = |field: &Field| -> u64 {
        let place = |part| access.fragment.tile(field, part, tile).map_or(0, |place| place.end - place.start);
        FieldPart::of(field).map(place).fold(0, u64::saturating_add)
    };
    let (need, stored) = match column {
        Column::Field(field) => (TileCheck::new(access, field, tile).need(), stored(field)),
        Column::Coordinates => {
            let fields = coordinates::dimensions(access.fragment);
            (coordinates::need(access, tile), fields.into_iter().map(stored).fold(0, u64::saturating_add))
        }
    };
    // Cells that were picked, and what filters make on the way.
    Job { column, tile, need: need.saturating_mul(2), stored }
}

/// Reports a tile that exceeds the memory budget: either it is large or its size is wrong.
fn too_large(access: TileAccess<'_>, column: Column<'_>, tile: u64, limit: u64) -> Finding {
    let fields = match column {
        Column::Field(field) => vec![field],
        Column::Coordinates => coordinates::dimensions(access.fragment),
    };
    for &field in &fields {
        let check = TileCheck::new(access, field, tile);
        if let Some((part, error)) = check.wrong_size() {
            return check.finding(Code::Tile.or_of(&error), part, error.text().to_owned());
        }
    }
    let field = fields.first().copied().unwrap_or(&access.fragment.schema().fields()[0]);
    let check = TileCheck::new(access, field, tile);
    let text = format!("The tile was not looked at: it takes more than the memory budget of {limit} bytes");
    check.finding(Code::Unchecked, FieldPart::Data, text)
}

/// Verifies a tile of a column.
fn check_tile(access: TileAccess<'_>, plan: &KeyPlan, grid: Option<&Grid>, job: Job<'_>) -> Result<JobResult> {
    let mut found = Vec::new();
    let mut looked = TileSummary::default();
    match job.column {
        Column::Coordinates => looked = coordinates::check(access, plan, job.tile, &mut found)?,
        Column::Field(field) => {
            let mut check = TileCheck::new(access, field, job.tile);
            if let Some(cells) = check.decode()? {
                let written = grid.and_then(|grid| written_cells(access.fragment, grid, job.tile));
                if let Some(stats) = check.statistics(&cells, written.as_deref())? {
                    looked.stats.push((field.index, stats));
                }
                if field.name.as_str() == DELETE_CONDITIONS {
                    numbers_of_conditions(&mut check, &cells.data)?;
                }
            }
            found.append(&mut check.found);
        }
    }
    Ok(JobResult { found, looked })
}

/// Cells that were deleted name a condition that the fragment lists.
fn numbers_of_conditions(check: &mut TileCheck<'_>, data: &[u8]) -> Result<()> {
    let conditions = match check.access.fragment.processed_conditions() {
        Ok(conditions) => conditions.len() as u64,
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        // The table is reported separately.
        Err(_) => return Ok(()),
    };
    let mut numbers = data.chunks_exact(8).map(bytemuck::pod_read_unaligned::<u64>);
    if let Some(number) = numbers.find(|&number| number != u64::MAX && number >= conditions) {
        let text = format!("A cell was deleted by condition {number} of {conditions}");
        let finding = check.finding(Code::Time, FieldPart::Data, text).with_severity(Severity::Warning);
        check.found.push(finding);
    }
    Ok(())
}
