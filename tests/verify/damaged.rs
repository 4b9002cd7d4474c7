//! Corrupts copies of arrays, verifies and reads them in a child process, and counts findings.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "forks, as a test of deaths must")]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;

use support::Api;
use support::corruption::mutate::damage;
use support::corruption::probe;
use support::corruption::report::verify;
use support::corruption::worker::{array_names, is_protected, pick_file};
use support::golden::case::Case;
use support::random::Random;

/// Cases by what became of them: without checksums over the damaged bytes, and with.
#[derive(Default)]
pub struct Counts {
    detected: [u64; 2],
    harmless: [u64; 2],
    missed: [u64; 2],
    unreported: Vec<String>,
    /// Deaths, and what checksums or errors of reads tell but verification did not.
    pub failures: Vec<String>,
}

impl Counts {
    pub fn detected(&self) -> u64 {
        self.detected.iter().sum()
    }

    pub fn text(&self) -> String {
        let line = |at: usize| {
            format!("{} found, {} harmless, {} missed", self.detected[at], self.harmless[at], self.missed[at])
        };
        let examples = self.unreported[..self.unreported.len().min(25)].join("\n  ");
        format!("without checksums: {}; with checksums: {}\n  {examples}", line(0), line(1))
    }
}

/// Damages, verifies and reads the arrays below a folder.
pub fn count(root: &Path, cases: Range<u64>) -> Counts {
    let (api, names) = (Api::ours(), array_names(root));
    let (mut counts, mut intact) = (Counts::default(), HashMap::new());
    for number in cases {
        let mut random = Random::new(number);
        let name = random.pick(&names);
        let case = Case::load(&root.join(name));
        let before = intact.entry(name.clone()).or_insert_with(|| look(&api, &case).unwrap()).clone();
        let Some(file) = pick_file(&mut random, Path::new(case.uri())) else { continue };
        let bytes = std::fs::read(&file).unwrap();
        let mut damaged = bytes.clone();
        let how = damage(&mut random, &mut damaged);
        std::fs::write(&file, &damaged).unwrap();
        let after = look(&api, &case);
        std::fs::write(&file, &bytes).unwrap();
        let place = file.strip_prefix(case.uri()).unwrap().to_str().unwrap();
        let head = format!("{number} {name} {place} {how}");
        let Some((findings, steps)) = after else {
            counts.failures.push(format!("died: {head}"));
            continue;
        };
        let sealed = usize::from(is_protected(&case, place, &bytes, &damaged));
        if findings != before.0 {
            counts.detected[sealed] += 1;
        } else if steps == before.1 || bytes == damaged {
            counts.harmless[sealed] += 1;
        } else {
            counts.missed[sealed] += 1;
            counts.unreported.push(head.clone());
            // Cells of which nothing tells may differ; an error has a cause that is to be found.
            if sealed == 1 || steps.contains("error") && !before.1.contains("error") {
                counts.failures.push(format!("not found: {head}"));
            }
        }
    }
    counts
}

/// Verifies and reads an array in a child: how many findings there are, and what was read; nothing if it died.
fn look(api: &Api, case: &Case) -> Option<(u64, String)> {
    let (mut answers, mut writer) = std::io::pipe().unwrap();
    match unsafe { libc::fork() } {
        0 => {
            drop(answers);
            unsafe { libc::alarm(60) };
            let ctx = case.context_with(api, &[("sm.compute_concurrency_level", "2")]);
            let verified = verify(&ctx, case.uri());
            let findings = verified.findings.len() as u64 + u64::from(verified.failure.is_some());
            let mut text = format!("{findings}\n");
            for (name, outcome) in probe::read_all(&ctx, case) {
                text.push_str(&match outcome {
                    Ok(digest) => format!("{name} {digest}\n"),
                    Err(_) => format!("{name} error\n"),
                });
            }
            let _ = writer.write_all(format!("{text}end\n").as_bytes());
            unsafe { libc::_exit(0) }
        }
        child => {
            drop(writer);
            let mut text = String::new();
            let _ = answers.read_to_string(&mut text);
            let mut status = 0;
            unsafe { libc::waitpid(child, &mut status, 0) };
            let (findings, steps) = text.split_once('\n')?;
            (status == 0 && steps.ends_with("end\n")).then(|| (findings.parse().unwrap(), steps.to_owned()))
        }
    }
}
