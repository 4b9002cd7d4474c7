//! The cells that libtiledb 2.30 read of a golden array, recorded next to the array in `tests/golden/VERSION.tar.gz`.
#![allow(unreachable_pub, reason = "a module of test programs")]

use std::path::Path;

use serde_json::Value as Json;

/// The cells of a field as they were delivered.
pub struct Field {
    pub name: String,
    pub datatype: String,
    /// Values of a cell; none where cells differ.
    pub values: Option<usize>,
    cells: Vec<Option<Vec<u8>>>,
    /// What the cells' numbers stand for, and of which datatype that is.
    pub enumeration: Option<Enumeration>,
}

/// Values that numbers stand for.
pub struct Enumeration {
    pub datatype: String,
    pub values: Option<usize>,
    cells: Vec<Vec<u8>>,
}

/// What was read of all cells.
pub struct Recorded {
    pub fields: Vec<Field>,
    /// The ranges that were asked for, as the tool takes them.
    pub ranges: Vec<String>,
    /// Whether the tool prints the cells in this order.
    pub is_in_order: bool,
    pub key: Option<String>,
    /// Its folder.
    pub array: String,
}

/// Bytes of one value of a datatype.
pub fn size_of(datatype: &str) -> usize {
    match datatype {
        "INT8" | "UINT8" | "CHAR" | "BOOL" | "BLOB" | "ANY" | "STRING_ASCII" | "STRING_UTF8" | "GEOM_WKB"
        | "GEOM_WKT" => 1,
        "INT16" | "UINT16" | "STRING_UCS2" | "STRING_UTF16" => 2,
        "INT32" | "UINT32" | "FLOAT32" | "STRING_UCS4" | "STRING_UTF32" => 4,
        _ => 8,
    }
}

impl Recorded {
    /// Of a case that was unpacked; none where no array was read as a whole.
    pub fn load(folder: &Path) -> Option<Self> {
        let document: Json = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
        if document["kind"] != "array" {
            return None;
        }
        let data = std::fs::read(folder.join("data.bin")).unwrap_or_default();
        let schema = &document["schemas"][0]["schema"];
        let is_dense = schema["array_type"] == "dense";
        let find = |id: &str| document["queries"].as_array().unwrap().iter().find(|query| query["id"] == id);
        let ordered = find(if is_dense { "full_row" } else { "full_global" });
        let query = ordered.or_else(|| find("full_row"))?;
        let mut ranges = Vec::new();
        for (dimension, bounds) in query["ranges"].as_object().into_iter().flatten() {
            let bounds = bounds.as_array().unwrap().iter();
            // The tool calls a year by its number.
            let dimensions = schema["dims"].as_array().unwrap();
            let column = dimensions.iter().find(|column| column["name"] == dimension.as_str()).unwrap();
            let first = if column["type"] == "DATETIME_YEAR" { 1970 } else { 0 };
            let shown = |bound: &Json| bound.as_i64().map_or(bound.to_string(), |bound| (bound + first).to_string());
            ranges.extend(bounds.map(|bound| format!("{dimension}={}:{}", shown(&bound[0]), shown(&bound[1]))));
        }
        let names = query["fields"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        let fields = names.map(|name| Field::load(name, &query["expect"]["fields"][name], schema, &data));
        Some(Self {
            fields: fields.collect(),
            ranges,
            is_in_order: ordered.is_some() && query["order"] == "exact",
            key: document["encryption"]["key"].as_str().map(str::to_owned),
            array: document["root"].as_str().unwrap().to_owned(),
        })
    }
}

fn part<'a>(place: &Json, data: &'a [u8]) -> Option<&'a [u8]> {
    let (start, size) = (place[0].as_u64()? as usize, place[1].as_u64()? as usize);
    Some(&data[start..start + size])
}

/// Cuts data into cells.
fn cut(data: &[u8], values: Option<usize>, size: usize, starts: &[usize]) -> Vec<Vec<u8>> {
    if let Some(values) = values {
        return data.chunks_exact(values * size).map(<[u8]>::to_vec).collect();
    }
    let ends = starts.iter().skip(1).copied().chain([data.len()]);
    starts.iter().zip(ends).map(|(&start, end)| data[start..end].to_vec()).collect()
}

impl Field {
    fn load(name: &str, column: &Json, schema: &Json, data: &[u8]) -> Self {
        let datatype = column["type"].as_str().unwrap().to_owned();
        let values = column["cell_val_num"].as_u64().map(|values| values as usize);
        let offsets = part(&column["offsets"], data).unwrap_or_default();
        let starts: Vec<usize> =
            offsets.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()) as usize).collect();
        let cells = cut(part(&column["data"], data).unwrap(), values, size_of(&datatype), &starts);
        let validity = part(&column["validity"], data);
        let is_valid = |at: usize| validity.is_none_or(|flags| flags[at] != 0);
        let cells = cells.into_iter().enumerate().map(|(at, cell)| is_valid(at).then_some(cell)).collect();
        let mut attributes = schema["attrs"].as_array().unwrap().iter();
        let named = attributes.find(|one| one["name"] == name).and_then(|one| one["enumeration"].as_str());
        let enumeration = named.map(|named| {
            let all = schema["enumerations"].as_array().unwrap();
            Enumeration::load(all.iter().find(|one| one["name"] == named).unwrap())
        });
        Self { name: name.to_owned(), datatype, values, cells, enumeration }
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The bytes as they are stored; none of null.
    pub fn stored(&self, at: usize) -> Option<&[u8]> {
        self.cells[at].as_deref()
    }

    /// The value of the enumeration that a cell's number stands for.
    fn meant(&self, at: usize) -> Option<&[u8]> {
        let enumeration = self.enumeration.as_ref()?;
        let (stored, mut word) = (self.stored(at)?, [0; 8]);
        word[..stored.len()].copy_from_slice(stored);
        let number = usize::try_from(u64::from_le_bytes(word)).ok()?;
        enumeration.cells.get(number).map(Vec::as_slice)
    }

    /// Whether a cell's number stands for no value of the enumeration.
    pub fn stands_for_nothing(&self, at: usize) -> bool {
        self.enumeration.is_some() && self.meant(at).is_none()
    }

    /// What is shown of a cell: datatype, values of a cell, bytes. A number that stands for nothing is shown itself.
    pub fn shown(&self, at: usize) -> Option<(&str, Option<usize>, &[u8])> {
        let stored = self.stored(at)?;
        Some(match (&self.enumeration, self.meant(at)) {
            (Some(enumeration), Some(value)) => (enumeration.datatype.as_str(), enumeration.values, value),
            _ => (self.datatype.as_str(), self.values, stored),
        })
    }
}

impl Enumeration {
    fn load(enumeration: &Json) -> Self {
        let datatype = enumeration["type"].as_str().unwrap().to_owned();
        let values = enumeration["cell_val_num"].as_u64().map(|values| values as usize);
        let hex = enumeration["data_hex"].as_str().unwrap();
        let data: Vec<u8> =
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        let starts: Vec<usize> = enumeration["offsets"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|start| start.as_u64().unwrap() as usize)
            .collect();
        let cells = cut(&data, values, size_of(&datatype), &starts);
        Self { datatype, values, cells }
    }
}
