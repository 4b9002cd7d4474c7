//! The relocation table of this library.
#![expect(unsafe_code, reason = "the tables of the dynamic linker")]

use std::ffi::{c_int, c_void};
use std::ops::Range;

/// Tags of the dynamic section: address and size of the relocations with addends.
const DT_RELA: usize = 7;
const DT_RELASZ: usize = 8;

/// An entry of the dynamic section (`Elf64_Dyn`, `Elf32_Dyn`).
#[repr(C)]
struct DynamicEntry {
    tag: usize,
    value: usize,
}

/// Unmaps the pages of the relocation table, 650 KB that only the dynamic linker reads, when it loads the library: they count as
/// memory of the process otherwise. A later access would read them from the file again.
pub fn release_relocations() {
    // SAFETY: the callback is called with the structures that it expects, for as long as the call lasts.
    unsafe { libc::dl_iterate_phdr(Some(visit), std::ptr::null_mut()) };
}

/// Releases the table of the object that has this function, and stops there.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker lends the structure and the program headers to the callback.
    let (base, headers) = unsafe {
        let info = &*info;
        match info.dlpi_phdr.is_null() {
            true => return 0,
            false => {
                (info.dlpi_addr as usize, std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)))
            }
        }
    };
    let place = |header: &libc::Elf64_Phdr| -> Range<usize> {
        let start = base.wrapping_add(header.p_vaddr as usize);
        start..start.saturating_add(header.p_memsz as usize)
    };
    let here: fn() = release_relocations;
    let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    if !loaded().any(|header| place(header).contains(&(here as usize))) {
        return 0;
    }
    let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else { return 1 };
    let count = dynamic.p_memsz as usize / size_of::<DynamicEntry>();
    // SAFETY: the dynamic section of a loaded object is in memory, readable and aligned; nobody changes it after loading.
    let entries = unsafe { std::slice::from_raw_parts(place(dynamic).start as *const DynamicEntry, count) };
    let value = |tag: usize| entries.iter().find(|entry| entry.tag == tag).map(|entry| entry.value);
    let (Some(address), Some(size)) = (value(DT_RELA), value(DT_RELASZ)) else { return 1 };
    // Some dynamic linkers add the base to the address in the section.
    let start = if address < base { base.wrapping_add(address) } else { address };
    let end = start.saturating_add(size);
    // Pages that were written to would lose that: only a segment that is mapped without the permission to write has none.
    let is_read_only = |header: &&libc::Elf64_Phdr| header.p_flags & (libc::PF_W | libc::PF_X) == 0;
    let is_within =
        loaded().filter(is_read_only).any(|header| place(header).start <= start && end <= place(header).end);
    // SAFETY: it only asks for a number.
    let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) else { return 1 };
    let pages = start.next_multiple_of(page.max(1))..end - end % page.max(1);
    if is_within && pages.start < pages.end {
        // SAFETY: whole pages of a read-only mapping of the library's file, which are read from there when they are needed. If the
        // system refuses, they stay.
        unsafe { libc::madvise(pages.start as *mut c_void, pages.len(), libc::MADV_DONTNEED) };
    }
    1
}
