//! The commands, one file each.

mod advise;
mod append;
mod browser_access;
mod cat;
mod copy;
mod count;
mod create;
mod delete;
mod diff;
mod dry_run;
mod evolve;
pub(crate) mod import;
mod info;
mod landing_page;
mod ls;
mod maintain;
mod maintenance_state;
mod maintenance_targets;
mod meta;
mod metrics_server;
mod objects;
mod picture;
mod policy_maintenance;
mod publish;
mod rewrite;
mod serve_files;
mod sql;
mod stats;
mod tree;
mod verify;
mod view;
mod viewer_files;
mod watch;

use clap::CommandFactory;

use crate::args::{Arguments, Command};
use crate::completion;
use crate::manual::write_pages;
use crate::model::Result;
use crate::output;

/// Runs a command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let common = &arguments.common;
    common.apply();
    common.warn_of_visible_secrets();
    match &arguments.command {
        Command::Ls(place) => ls::run(common, &place.uri),
        Command::Tree(place) => tree::run(common, &place.uri),
        Command::Info(info) => info::run(common, info),
        Command::Head(head) => cat::run(common, &head.select, Some(10)),
        Command::Cat(select) => cat::run(common, select, None),
        Command::Picture(picture) => picture::run(common, picture),
        Command::Advise(advise) => advise::run(common, advise),
        Command::Verify(place) => verify::run(common, place),
        Command::Import(import) => import::run(common, import),
        Command::Schema(schema) => create::print_schema(common, &schema.at),
        Command::Create(create) => create::run(common, create),
        Command::Count(count) => count::run(common, count),
        Command::Stats(stats) => stats::run(common, stats),
        Command::Diff(diff) => diff::run(common, diff),
        Command::Append(append) => append::run(common, append),
        Command::Delete(delete) => delete::run(common, delete),
        Command::Evolve(evolve) => evolve::run(common, evolve),
        Command::Sql { arguments } => sql::run(common, arguments),
        Command::Watch(watch) => watch::run(common, watch),
        Command::Meta(meta) => meta::run(common, &meta.action),
        Command::Rm(rm) => objects::remove(common, rm),
        Command::Mv(mv) => objects::rename(common, mv),
        Command::Copy(copy) => copy::run(common, copy),
        Command::Publish(publish) => publish::run(common, publish),
        Command::ServeFiles(serve) => serve_files::run(common, serve),
        Command::View(view) => view::run(common, view),
        Command::Maintain(policy) => policy_maintenance::run(common, policy),
        Command::Consolidate(consolidate) => maintain::consolidate(common, consolidate),
        Command::Vacuum(vacuum) => maintain::vacuum(common, vacuum),
        Command::Sweep(sweep) => maintain::sweep(common, sweep),
        Command::Upgrade(upgrade) => maintain::upgrade(common, upgrade),
        Command::Downgrade(downgrade) => maintain::downgrade(common, downgrade),
        Command::Rewrite(rewrite) => rewrite::run(common, rewrite),
        Command::Completion { shell } => output::whole(completion::script(*shell).as_bytes()),
        Command::Man { folder } => {
            std::fs::create_dir_all(folder)?;
            write_pages(Arguments::command(), folder)
        }
    }
}
