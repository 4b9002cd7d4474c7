//! One golden case: the array, and its expected results.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::golden::query::{self, Outcome};
use crate::{Api, Array, Ctx};

/// A case as it lies unpacked.
pub struct Case {
    document: Value,
    data: Vec<u8>,
    /// The folder of the array or group.
    root: PathBuf,
    /// What it is packed in.
    archive: PathBuf,
}

impl Case {
    /// Reads the record of a case and unpacks its array beside it.
    pub fn load(folder: &Path) -> Case {
        let document: Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
        let place = match document["unpack_at"].as_str() {
            Some(place) => PathBuf::from(place),
            None => folder.join("unpacked"),
        };
        let archive = document["archive"].as_str().unwrap().trim_end_matches(".gz");
        let archive = folder.join(archive);
        let data = std::fs::read(folder.join("data.bin")).unwrap_or_default();
        let root = place.join(document["root"].as_str().unwrap());
        let case = Case { document, data, root, archive };
        if case.document["unpack_at"].is_null() && !place.exists() {
            case.unpack(&place);
        }
        case
    }

    /// Unpacks the array or group; one that must lie at a certain place is not unpacked when it is loaded.
    pub fn unpack(&self, place: &Path) {
        tar::Archive::new(std::fs::File::open(&self.archive).unwrap()).unpack(place).unwrap();
    }

    /// The record of the case.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Where the array or group lies.
    pub fn uri(&self) -> &str {
        self.root.to_str().unwrap()
    }

    /// The case with another array in place of its own.
    pub fn at(self, root: PathBuf) -> Case {
        Case { root, ..self }
    }

    /// The case with means of no cells as the reference returns them on aarch64, where 0 / 0 is a NaN without a sign.
    pub fn with_means_of_aarch64(mut self) -> Case {
        for query in list(&self.document["queries"]) {
            for aggregate in list(&query["aggregates"]).iter().filter(|aggregate| aggregate["op"] == "MEAN") {
                let name = aggregate["name"].as_str().unwrap();
                let Some(at) = query["expect"]["fields"][name]["data"][0].as_u64() else { continue };
                let mean = &mut self.data[at as usize..at as usize + size_of::<f64>()];
                if mean == (-f64::NAN).to_le_bytes() {
                    mean.copy_from_slice(&f64::NAN.to_le_bytes());
                }
            }
        }
        self
    }

    /// The recorded values that queries refer to.
    #[allow(dead_code, reason = "the golden arrays use it")]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The names of what is checked, with the query where it is one.
    pub fn queries(&self) -> Vec<(String, Option<&Value>)> {
        match self.document["kind"].as_str() {
            Some("array") => {
                let id = |query: &Value| match &query["id"] {
                    Value::String(id) => id.replace(' ', "_"),
                    other => other.to_string(),
                };
                list(&self.document["queries"]).iter().map(|query| (id(query), Some(query))).collect()
            }
            Some(kind) => vec![(kind.to_owned(), None)],
            None => Vec::new(),
        }
    }

    /// Checks everything; groups by `check_group`.
    pub fn check(&self, api: &Api, check_group: fn(&Case, &Api) -> Outcome) -> Vec<(String, Outcome)> {
        let ctx = self.context(api);
        self.queries()
            .into_iter()
            .map(|(name, query)| {
                let outcome = match (query, name.as_str()) {
                    (Some(query), _) => self.check_query(&ctx, query),
                    (None, "open_error") => self.check_refusal(&ctx),
                    (None, "group") => check_group(self, api),
                    (None, other) => Err(format!("the runner does not drive a {other} yet")),
                };
                (name, outcome)
            })
            .collect()
    }

    /// A context with the parameters of the case.
    pub fn context<'a>(&self, api: &'a Api) -> Ctx<'a> {
        self.context_with(api, &[])
    }

    /// A context with these parameters and those of the case.
    pub fn context_with<'a>(&self, api: &'a Api, more: &[(&str, &str)]) -> Ctx<'a> {
        let mut config: Vec<(&str, &str)> = more.to_vec();
        if let Some(recorded) = self.document["config"].as_object() {
            config.extend(recorded.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))));
        }
        if let Some(encryption) = self.document["encryption"].as_object() {
            config.push(("sm.encryption_type", encryption["type"].as_str().unwrap()));
            config.push(("sm.encryption_key", encryption["key"].as_str().unwrap()));
        }
        api.context(&config)
    }

    fn check_refusal(&self, ctx: &Ctx<'_>) -> Outcome {
        match Array::open(ctx, self.uri(), 0, None, None) {
            Ok(_) => Err("the array was opened, but must be refused".to_owned()),
            Err(_) => Ok(()),
        }
    }

    /// The schema as a query sees it.
    pub fn schema(&self, query: &Value) -> &Value {
        let schemas = list(&self.document["schemas"]);
        let window = |value: &Value| (value["start"].as_u64(), value["end"].as_u64());
        let same = schemas.iter().find(|schema| window(&schema["open"]) == window(&query["open"]));
        &same.unwrap_or(&schemas[0])["schema"]
    }

    fn check_query(&self, ctx: &Ctx<'_>, query: &Value) -> Outcome {
        let schema = self.schema(query);
        let expect = &query["expect"];
        let result = query::read(ctx, self.uri(), schema, query);
        match (expect["status"].as_str(), result) {
            (Some("ERROR"), Err(_)) => Ok(()),
            (Some("COMPLETED"), Ok(result)) => query::compare(expect, &self.data, &result, schema, query),
            (Some(status), Ok(_)) => Err(format!("{status} expected, but the query completed")),
            (_, Err(failure)) => Err(failure),
            (None, Ok(_)) => Err("no status in the record".to_owned()),
        }
    }
}

/// The elements of a JSON list; none for null.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
