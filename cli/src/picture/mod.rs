//! Visualization of an array as one self-contained HTML file. [`data`] collects the data, a script in the page draws it.

mod axis;
mod data;
mod density;
mod grid;
mod query;
mod tiles;
mod values;

use serde_json::Value as Json;
use tiledb::Context;

use crate::model::Result;

pub(crate) use data::PictureRequest;
pub(crate) use query::QueryArguments;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 6] = [
    include_str!("script/data.js"),
    include_str!("script/space.js"),
    include_str!("script/time.js"),
    include_str!("script/areas.js"),
    include_str!("script/values.js"),
    include_str!("script/main.js"),
];

const COASTS: &str = include_str!("script/coasts.js");

/// The picture of an array.
pub(crate) fn draw(ctx: &Context, request: &PictureRequest<'_>) -> Result<String> {
    Ok(page(&data::collect(ctx, request)?))
}

/// The page that shows these data; coasts only beneath a map.
fn page(data: &Json) -> String {
    let coasts = if data["values"]["map"] == true { COASTS } else { "const COASTS = [];\n" };
    // Within a script no text ends it, and nothing begins another element.
    let text = data.to_string().replace('<', "\\u003c");
    // Data are inserted last, so that placeholders in them are not replaced.
    let page = PAGE.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", &(coasts.to_owned() + &SCRIPTS.concat()));
    let title = data["name"].as_str().unwrap_or_default();
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let (before, after) = page.split_once("/*DATA*/").unwrap_or((&page, ""));
    format!("{}{text}{after}", before.replace("/*TITLE*/", &title))
}
