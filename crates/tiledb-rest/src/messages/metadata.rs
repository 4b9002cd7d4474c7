//! Metadata of arrays and groups.

use crate::encoding::{Data, List, TextField, messages};

messages! {
    /// A key with its value, or a key that is deleted.
    MetadataEntry "ArrayMetadata.MetadataEntry": 1 word, 3 pointers {
        KEY "key" at pointer 0: TextField,
        TYPE "type" at pointer 1: TextField,
        VALUE_NUM "valueNum" at 0: u32,
        VALUE "value" at pointer 2: Data,
        DEL "del" at 32: bool,
    }

    ArrayMetadata: 0 words, 1 pointer {
        ENTRIES "entries" at pointer 0: List<MetadataEntry>,
    }
}
