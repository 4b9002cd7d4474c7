//! Manual pages.

use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use crate::examples;
use crate::model::Result;

/// Paragraphs of a section: a term, and what it means.
type Section = (&'static str, &'static [(&'static str, &'static str)]);

/// Sections of every page, behind those that clap knows and the examples.
const SECTIONS: [Section; 3] = [
    (
        "EXIT STATUS",
        &[
            ("0", "Success; also if the reader of the output goes away."),
            ("1", "Findings or differences."),
            ("2", "Invalid arguments; the message says what is accepted."),
            ("3", "The operation failed."),
            ("128+n", "Stopped by signal n: 129 SIGHUP, 130 SIGINT (Ctrl-C), 143 SIGTERM."),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            (
                "TILEDB_PARAMETER",
                "A configuration parameter in capital letters, with underscores for dots: TILEDB_VFS_S3_REGION is vfs.s3.region. \
                 --config and -c take precedence.",
            ),
            (
                "AWS_PROFILE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN",
                "Credentials and the region of Amazon S3.",
            ),
            ("AZURE_STORAGE_ACCOUNT, AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN", "Credentials of Azure Blob Storage."),
            ("GOOGLE_APPLICATION_CREDENTIALS", "File with the credentials of Google Cloud Storage."),
            ("TILEDB_RS_KEY_FILE", "File with the key of encrypted arrays, as --key-file."),
            ("NO_COLOR", "Print no colors, if set."),
        ],
    ),
    (
        "FILES",
        &[
            ("~/.aws/config, ~/.aws/credentials", "Profiles of Amazon S3."),
            (
                "ARRAY/__commits/NAME.lease",
                "Lease of a running tiledb-rs maintain. One that a killed process left expires by itself.",
            ),
            ("FILE.partial-PID", "Output file that is not complete yet; left only by a killed process."),
        ],
    ),
];

/// Writes the manual pages of a command and of those below it.
pub(crate) fn write_pages(command: Command, folder: &Path) -> Result<()> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    for (title, page) in pages("", &command)? {
        std::fs::write(folder.join(format!("{title}.1")), page)?;
    }
    Ok(())
}

/// The commands of a command that have pages.
fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help")
}

/// The title of the page of a command.
fn title_of(name: &str) -> String {
    format!("tiledb-rs {}", name.trim()).trim().replace(' ', "-")
}

/// The titles and texts of the pages of a command and of those below it.
fn pages(name: &str, command: &Command) -> Result<Vec<(String, String)>> {
    let mut pages = vec![(title_of(name), page(name, command)?)];
    for inner in subcommands(command) {
        pages.extend(self::pages(format!("{name} {}", inner.get_name()).trim(), inner)?);
    }
    Ok(pages)
}

fn page(name: &str, command: &Command) -> Result<String> {
    let mut page = Vec::new();
    // The examples have a section of their own.
    let man = Man::new(command.clone()).title(title_of(name));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if subcommands(command).next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut text = String::from_utf8_lossy(&page).into_owned();
    text += ".SH EXAMPLES\n";
    for (line, about) in examples::of(name) {
        text += &format!(".TP\n{}\n.B {}\n", escaped(about), escaped(line));
    }
    for (section, paragraphs) in SECTIONS {
        text += &format!(".SH {section}\n");
        for (term, meaning) in paragraphs {
            text += &format!(".TP\n.B {}\n{}\n", escaped(term), escaped(meaning));
        }
    }
    text += ".SH SEE ALSO\n";
    let related: Vec<String> = related(name, command).iter().map(|page| format!("{}(1)", escaped(page))).collect();
    text += &format!("{}\n", related.join(", "));
    if name.is_empty() {
        text += &format!(".SH VERSION\nv{}\n", command.get_version().unwrap_or_default());
    }
    Ok(text)
}

/// The pages of the commands below a command, and of that above it.
fn related(name: &str, command: &Command) -> Vec<String> {
    let above = name.rsplit_once(' ').map_or("", |(above, _)| above);
    let above = Some(title_of(above)).filter(|_| !name.is_empty());
    above.into_iter().chain(subcommands(command).map(|one| title_of(&format!("{name} {}", one.get_name())))).collect()
}

/// A line of a manual page: a dash is no hyphen, and a line does not begin with a request.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::CommandFactory;
    use std::collections::HashSet;

    #[test]
    fn pages_have_the_usual_sections_and_name_pages_that_exist() {
        let mut command = Arguments::command().disable_help_subcommand(true);
        command.build();
        let pages = pages("", &command).unwrap_or_default();
        let titles: HashSet<&str> = pages.iter().map(|(title, _)| title.as_str()).collect();
        assert!(titles.len() > 25);
        for (title, text) in &pages {
            for section in ["NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"] {
                assert!(text.contains(&format!(".SH {section}\n")), "{title}: {section}");
            }
            let related = text.split(".SH SEE ALSO\n").nth(1).and_then(|text| text.lines().next()).unwrap_or_default();
            assert!(!related.is_empty(), "{title}");
            for page in related.replace("\\-", "-").split(", ") {
                assert!(titles.contains(page.trim_end_matches("(1)")), "{title} names {page}");
            }
        }
    }
}
