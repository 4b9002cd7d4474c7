//! Azure Blob Storage.
//!
//! The requests are those of its REST interface (version 2021-12-02): List Blobs, Get Blob and its properties, Put Blob, Put
//! Block and Put Block List, Copy Blob, Delete Blob, alone or 256 in a batch, and the containers.

mod credentials;
mod options;
mod requests;
mod responses;
mod sign;

pub(in crate::vfs::cloud) use requests::Azure;
