//! Azure Blob Storage.
//!
//! Uses the REST API (version 2021-12-02): List Blobs, Get Blob and its properties, Put Blob, Put Block and Put Block
//! List, Copy Blob, Delete Blob (single or in batches of 256), and container operations.

mod credentials;
mod options;
mod requests;
mod responses;
mod sign;

pub(in crate::vfs::cloud) use requests::Azure;
