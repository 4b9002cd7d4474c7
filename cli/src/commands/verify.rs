//! `verify`: finds corruption in arrays, with remedies.

use std::collections::HashSet;
use std::ops::ControlFlow;

use serde_json::{Value as Json, json};
use tiledb::maintenance::{self, Severity, Verification};
use tiledb::{Context, Progress};

use super::maintain::readers;
use crate::args::{CommonOptions, Verify};
use crate::model::{Error, Expected, Member, ObjectType, Result, absent, members, object_type};
use crate::output;
use crate::progress::Progress as ProgressBar;

/// Maximum number of findings of an array that a table lists.
const LISTED: usize = 1000;
/// Code of findings about missing files.
const FILE_MISSING: u32 = 2;
/// Code of findings about data that exceeds the memory budget.
const NOT_VERIFIED: u32 = 24;
/// Maximum depth of nested groups, which may be cyclic.
const DEEPEST: usize = 64;

/// A finding of a verification, or about a member of a group.
struct Finding {
    severity: Severity,
    code: u32,
    file: String,
    field: Option<String>,
    fragment: Option<String>,
    tile: Option<u64>,
    offset: Option<u64>,
    text: String,
    remedy: &'static str,
}

impl Finding {
    fn of(finding: &maintenance::Finding) -> Self {
        Self {
            severity: finding.severity,
            code: finding.kind.code(),
            file: finding.file.clone(),
            field: finding.field.clone(),
            fragment: finding.fragment.clone(),
            tile: finding.tile,
            offset: finding.offset,
            text: finding.message.clone(),
            remedy: finding.remedy,
        }
    }
}

/// Totals of a verification.
struct Totals {
    files: u64,
    tiles: u64,
    bytes: u64,
    notes: u64,
    warnings: u64,
    errors: u64,
}

impl Totals {
    fn of(verified: &Verification) -> Self {
        let count = |severity| verified.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
        Self {
            files: verified.files,
            tiles: verified.tiles,
            bytes: verified.bytes,
            notes: count(Severity::Note),
            warnings: count(Severity::Warning),
            errors: count(Severity::Error),
        }
    }
}

/// Findings of an array.
struct VerifyReport {
    uri: String,
    findings: Vec<Finding>,
    verified: Totals,
    /// The libtiledb releases that read the array, then the reasons; nothing if they cannot be determined.
    readers: Vec<String>,
}

/// Verifies arrays, and groups with all that is below them.
pub(super) fn run(common: &CommonOptions, arguments: &Verify) -> Result<()> {
    let ctx = common.context()?;
    let (mut arrays, mut missing, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for uri in &arguments.uris {
        match object_type(&ctx, uri)? {
            ObjectType::Array => {
                seen.insert(uri.clone());
                arrays.push(uri.clone());
            }
            ObjectType::Group => below(&ctx, uri, &mut arrays, &mut missing, &mut Vec::new(), &mut seen)?,
            ObjectType::Other => return Err(absent(&ctx, uri, Expected::ArrayOrGroup)),
        }
    }
    let progress = ProgressBar::of_look(&ctx, "verifying")?;
    let mut all = Vec::new();
    for report in missing {
        if !common.json {
            report.print()?;
        }
        all.push(report);
    }
    for uri in arrays {
        if progress.is_stopped() {
            return Err(Error::Stopped);
        }
        progress.about(&format!("verifying {uri}"));
        let report = |verified: Progress| match progress.update(verified.done, verified.total) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let verified = maintenance::Verify::new().on_progress(report).run(&ctx, &uri);
        let verified = progress.end(verified.map_err(Error::from))?;
        let (totals, findings) = (Totals::of(&verified), verified.findings.iter().map(Finding::of).collect());
        // Of a corrupt array the findings say what is wrong.
        let readers = readers(&ctx, &uri).unwrap_or_default();
        let report = VerifyReport { uri, findings, verified: totals, readers };
        if !common.json {
            report.print()?;
        }
        all.push(report);
    }
    if common.json {
        output::json(&all.iter().map(VerifyReport::json).collect())?;
    }
    let is_sound = all.iter().all(|report| report.verified.warnings + report.verified.errors == 0);
    if is_sound { Ok(()) } else { Err(Error::Findings) }
}

/// The arrays of a group and of its subgroups, recursively; separately, the members that are missing or cannot be opened.
fn below(
    ctx: &Context,
    uri: &str,
    found: &mut Vec<String>,
    missing: &mut Vec<VerifyReport>,
    above: &mut Vec<String>,
    seen: &mut HashSet<String>,
) -> Result<()> {
    above.push(uri.to_owned());
    for member in members(ctx, uri)? {
        if seen.contains(&member.uri) || above.contains(&member.uri) {
            continue;
        }
        if member.is_outside {
            missing.push(VerifyReport::outside(uri, &member));
            continue;
        }
        match object_type(ctx, &member.uri)? {
            ObjectType::Array => {
                seen.insert(member.uri.clone());
                found.push(member.uri);
            }
            ObjectType::Group if above.len() < DEEPEST => below(ctx, &member.uri, found, missing, above, seen)?,
            ObjectType::Group => {}
            ObjectType::Other => missing.push(VerifyReport::absent(uri, member.uri)),
        }
    }
    above.pop();
    Ok(())
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        _ => "error",
    }
}

/// Kind of a finding, by its code.
fn kind(code: u32) -> &'static str {
    const KINDS: [&str; 25] = [
        "",
        "storage",
        "file missing",
        "file nobody names",
        "schema",
        "enumeration",
        "metadata",
        "deletion",
        "commit",
        "never committed",
        "consolidated metadata",
        "footer",
        "table of metadata",
        "size of file",
        "place of tile",
        "tile",
        "offsets",
        "validity",
        "statistics",
        "bounding box",
        "domain",
        "global order",
        "duplicate",
        "time",
        "not verified",
    ];
    KINDS.get(code as usize).copied().unwrap_or("other")
}

impl VerifyReport {
    /// A missing member of a group.
    fn absent(group: &str, uri: String) -> Self {
        let text = format!("It is a member of the group {group}, and nothing is there");
        Self::of_member(uri, FILE_MISSING, text, "Bring it back from a copy, or remove it from the group.")
    }

    /// A member of a group whose relative URI leads out of it.
    fn outside(group: &str, member: &Member) -> Self {
        let text = format!(
            "It is the member '{}' of the group {group}, and its relative URI leads out of the group's folder: it is not opened",
            member.label()
        );
        Self::of_member(
            member.uri.clone(),
            NOT_VERIFIED,
            text,
            "Remove it from the group, and add it by its whole URI.",
        )
    }

    fn of_member(uri: String, code: u32, text: String, remedy: &'static str) -> Self {
        let finding = Finding {
            severity: Severity::Error,
            code,
            file: uri.clone(),
            field: None,
            fragment: None,
            tile: None,
            offset: None,
            text,
            remedy,
        };
        let verified = Totals { files: 0, tiles: 0, bytes: 0, notes: 0, warnings: 0, errors: 1 };
        Self { uri, findings: vec![finding], verified, readers: Vec::new() }
    }

    fn print(&self) -> Result<()> {
        if !self.findings.is_empty() {
            let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
            let rows: Vec<_> = self
                .findings
                .iter()
                .take(LISTED)
                .map(|one| {
                    vec![
                        severity(one.severity).to_owned(),
                        kind(one.code).to_owned(),
                        self.inside(&one.file).to_owned(),
                        one.field.clone().unwrap_or_default(),
                        number(one.tile),
                        number(one.offset),
                        one.text.replace(&one.file, self.inside(&one.file)),
                    ]
                })
                .collect();
            output::table(&["SEVERITY", "KIND", "FILE", "FIELD", ">TILE", ">OFFSET", "WHAT IS WRONG"], &rows)?;
            if self.findings.len() > LISTED {
                output::line(&format!("... and {} more; --json lists all", self.findings.len() - LISTED))?;
            }
            output::line("")?;
            let mut remedies = HashSet::new();
            let all = self.findings.iter().map(|one| (kind(one.code), one.remedy));
            let rows: Vec<Vec<String>> = all
                .filter(|remedy| remedies.insert(*remedy))
                .map(|(kind, remedy)| vec![kind.to_owned(), remedy.to_owned()])
                .collect();
            output::table(&["KIND", "WHAT TO DO"], &rows)?;
            output::line("")?;
        }
        let Totals { files, tiles, bytes, notes, warnings, errors } = self.verified;
        let sizes = format!("files: {files}, tiles: {tiles}, {}", output::bytes(bytes));
        let (tiles_left, files_left) = self.not_verified();
        let verdict = match (errors, warnings, notes) {
            (0, 0, 0) => "sound".to_owned(),
            (0, 0, notes) if tiles_left + files_left == 0 => format!("sound, notes: {notes}"),
            (0, 0, notes) if tiles_left + files_left == notes => "no findings".to_owned(),
            _ => format!("errors: {errors}, warnings: {warnings}, notes: {notes}"),
        };
        let left = [(tiles_left, "tile"), (files_left, "file")].into_iter().filter(|(count, _)| *count > 0);
        let left =
            left.map(|(count, what)| format!(", not verified: {count} {what}{}", if count == 1 { "" } else { "s" }));
        let verdict = verdict + &left.collect::<String>();
        output::line(&format!("{}: {verdict} ({sizes})", self.uri))?;
        match self.readers.is_empty() {
            true => Ok(()),
            false => output::line(&format!("readable by {}", self.readers.join("; "))),
        }
    }

    /// How many tiles, and other parts of files, were not verified.
    fn not_verified(&self) -> (u64, u64) {
        self.findings.iter().filter(|one| one.code == NOT_VERIFIED).fold((0, 0), |(tiles, files), one| match one.tile {
            Some(_) => (tiles + 1, files),
            None => (tiles, files + 1),
        })
    }

    fn inside<'a>(&self, file: &'a str) -> &'a str {
        output::inside(&self.uri, file)
    }

    fn json(&self) -> Json {
        let findings = self.findings.iter().map(|one| {
            json!({
                "severity": severity(one.severity), "kind": kind(one.code), "code": one.code, "file": one.file,
                "field": one.field, "fragment": one.fragment, "tile": one.tile, "offset": one.offset,
                "text": one.text, "remedy": one.remedy,
            })
        });
        let Totals { files, tiles, bytes, notes, warnings, errors } = self.verified;
        json!({
            "uri": self.uri, "files": files, "tiles": tiles, "bytes": bytes, "notes": notes, "warnings": warnings,
            "errors": errors, "readers": self.readers, "findings": findings.collect::<Json>(),
        })
    }
}
