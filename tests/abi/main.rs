//! ABI test: every declaration in our headers has the same type as in libtiledb's headers, and the shared library
//! exports exactly the expected symbols.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind, elf};
use support::library::{self, root};
use support::tables::{self, parameters, table};

const INCLUDES: &str = "#define TILEDB_NO_API_DEPRECATION_WARNINGS
#define TILEDB_RS_REMOVED_API
#define TILEDB_RS_NEXT_API
#include <stdio.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <tiledb/tiledb_serialization.h>
";

const DF_TEXTREL: u32 = 0x4;
const DF_1_NODELETE: u32 = 0x8;
const PF_X: u32 = 0x1;
const SHF_WRITE: u64 = 0x1;

/// The functions and variables of libtiledb 2.30, of older releases and of the next one.
fn all_functions() -> Vec<tables::Row> {
    ["functions.tsv", "removed.tsv", "next.tsv"].into_iter().flat_map(table).collect()
}

/// `_Static_assert` lines for all tables.
fn assertions() -> String {
    let mut unit = INCLUDES.to_owned();
    let mut check = |condition: String, name: &str| writeln!(unit, "_Static_assert({condition}, \"{name}\");").unwrap();
    for row in all_functions() {
        let (name, result) = (&row["name"], &row["return_type"]);
        let expected = if row["kind"] == "data" {
            result.clone()
        } else {
            let types: Vec<String> = parameters(&row["params"]).into_iter().map(|parameter| parameter.kind).collect();
            let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
            format!("{result} ({types})")
        };
        check(format!("__builtin_types_compatible_p(__typeof__({name}), {expected})"), name);
    }
    for row in table("enums.tsv") {
        let (name, constant, value) = (&row["enum"], &row["constant"], &row["value"]);
        check(format!("{constant} == {value} && sizeof({name}) == 4 && ({name})-1 > 0"), constant);
    }
    for row in table("structs.tsv") {
        let (name, declared_as) = (&row["name"], &row["declared_as"]);
        match row["kind"].as_str() {
            "struct" => {
                check(format!("sizeof({name}) == {} && _Alignof({name}) == {}", row["size"], row["align"]), name);
                for field in row["layout_or_note"].split("; ") {
                    let mut words = field.trim_start_matches('+').split(' ');
                    let offset = words.next().expect("an offset");
                    let head = field.split(" (").next().expect("a field");
                    let field = head.rsplit(' ').next().expect("a name");
                    check(format!("offsetof({name}, {field}) == {offset}"), &format!("{name}.{field}"));
                }
            }
            "opaque" | "scalar-typedef" => {
                check(format!("__builtin_types_compatible_p({name} *, {declared_as} *)"), name);
            }
            "callback" if !name.starts_with('(') => {
                check(format!("__builtin_types_compatible_p({name}, {declared_as})"), name);
            }
            _ => {}
        }
    }
    for row in table("macros.tsv") {
        let (name, expansion) = (&row["macro"], &row["expansion"]);
        match row["category"].as_str() {
            "version" | "status-code" => check(format!("{name} == {expansion}"), name),
            "function-backed" => {
                let measured = &row["measured_value_or_note"];
                let kind = measured.split([' ', '*']).next().expect("a type");
                let kind = if kind == "const" { "const char *" } else { kind };
                check(format!("__builtin_types_compatible_p(__typeof__({name}), {kind})"), name);
            }
            _ => {}
        }
    }
    for row in table("macros.tsv").iter().filter(|row| row["category"] != "client-switch") {
        writeln!(unit, "#ifndef {0}\n#error \"{0} is not defined\"\n#endif", row["macro"]).unwrap();
    }
    unit
}

#[test]
fn the_headers_declare_the_original_interface() {
    let directory = tempfile::tempdir().unwrap();
    let unit = directory.path().join("abi.c");
    std::fs::write(&unit, assertions()).unwrap();
    for (compiler, _) in tables::compilers().into_iter().filter(|(_, plus)| !plus) {
        let mut command = Command::new(compiler);
        command.args(["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-I"]).arg(root().join("include")).arg(&unit);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{compiler}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn parameters_have_their_names() {
    let mut headers = String::new();
    let mut directories = vec![root().join("include/tiledb")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                directories.push(entry.path());
            } else {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                // The headers of the C++ interface lie beside those printed from the sources.
                if !text.contains("Printed from src/capi") {
                    continue;
                }
                let code = text.lines().filter(|line| !line.starts_with("#define") && !line.starts_with(" *"));
                headers.extend(code.map(|line| format!("{line}\n")));
            }
        }
    }
    let names = |params: &str| parameters(params).into_iter().map(|parameter| parameter.name).collect::<Vec<_>>();
    let mut differences = Vec::new();
    let rows = all_functions();
    for row in rows.iter().filter(|row| row["kind"] == "function") {
        let head = format!("{}(", row["name"]);
        let declaration = headers.split_once(&head).and_then(|(_, rest)| rest.split_once(") TILEDB_NOEXCEPT;"));
        let (declared, _) = declaration.unwrap_or_else(|| panic!("{} is not declared", row["name"]));
        if names(declared) != names(&row["params"]) {
            differences.push(format!("{}: {:?} for {:?}", row["name"], names(declared), names(&row["params"])));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_library_exports_exactly_the_interface() {
    let data = std::fs::read(library::ours()).unwrap();
    let file = ElfFile64::<Endianness>::parse(&*data).unwrap();
    let exported: BTreeSet<String> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| symbol.name().unwrap().to_owned())
        .collect();
    let own = std::fs::read_to_string(root().join("include/tiledb/tiledb_rs.h")).unwrap();
    let declared_there = |name: &str| name.starts_with("tiledb_rs_") && own.contains(&format!(" {name}("));
    let rows = all_functions();
    let expected: BTreeSet<String> = rows.iter().map(|row| row["name"].clone()).collect();
    let missing: Vec<_> = expected.difference(&exported).collect();
    let extra: Vec<_> = exported.difference(&expected).filter(|name| !declared_there(name)).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing: {missing:?}\nextra: {extra:?}");
    assert_eq!(expected.len(), 520 + 29 + 3);
}

#[test]
fn library_has_the_required_link_attributes() {
    let data = std::fs::read(library::ours()).unwrap();
    let header = elf::FileHeader64::<Endianness>::parse(&*data).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, &*data).unwrap();
    let (dynamic, _) = sections.dynamic(endian, &*data).unwrap().expect("a dynamic section");
    let mut tags = BTreeSet::new();
    let mut flags_1 = 0;
    for entry in dynamic {
        let tag = entry.tag(endian);
        tags.insert(tag.0);
        match tag {
            elf::DT_FLAGS_1 => flags_1 = entry.val32(endian).unwrap(),
            elf::DT_FLAGS => assert_eq!(entry.val32(endian).unwrap() & DF_TEXTREL, 0, "text relocations"),
            _ => {}
        }
    }
    let soname = soname_of(&library::ours());
    assert!(soname.ends_with(".so.2.30"), "the SONAME is {soname:?}");
    assert_ne!(flags_1 & DF_1_NODELETE, 0, "the library must stay mapped");
    for (tag, what) in [(elf::DT_RPATH, "RPATH"), (elf::DT_RUNPATH, "RUNPATH"), (elf::DT_TEXTREL, "TEXTREL")] {
        assert!(!tags.contains(&tag.0), "the library has {what}");
    }
    let stack = header.program_headers(endian, &*data).unwrap().iter().find(|p| p.p_type(endian) == elf::PT_GNU_STACK);
    assert_eq!(stack.expect("a stack header").p_flags(endian).0 & PF_X, 0, "an executable stack");
}

/// The exported variables of a library, as name, size, and whether the loader leaves them writable.
fn exported_variables(library: &Path) -> BTreeSet<(String, u64, bool)> {
    let data = std::fs::read(library).unwrap();
    let file = ElfFile64::<Endianness>::parse(&*data).unwrap();
    let endian = file.endian();
    let relro: Vec<_> = (file.elf_program_headers().iter())
        .filter(|header| header.p_type(endian) == elf::PT_GNU_RELRO)
        .map(|header| header.p_vaddr(endian)..header.p_vaddr(endian) + header.p_memsz(endian))
        .collect();
    let is_writable = |symbol: &object::read::elf::ElfSymbol64<'_, '_, Endianness>| {
        let section = file.section_by_index(symbol.section_index().unwrap()).unwrap();
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return false };
        sh_flags.0 & SHF_WRITE != 0 && !relro.iter().any(|range| range.contains(&symbol.address()))
    };
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global() && symbol.kind() == SymbolKind::Data)
        .filter(|symbol| symbol.name().unwrap().starts_with("tiledb_"))
        .map(|symbol| (symbol.name().unwrap().to_owned(), symbol.size(), is_writable(&symbol)))
        .collect()
}

#[test]
fn exported_variables_are_writable_pointers() {
    let rows = table("functions.tsv");
    let variables = rows.iter().filter(|row| row["kind"] == "data");
    let expected: BTreeSet<_> = variables.map(|row| (row["name"].clone(), 8, true)).collect();
    assert_eq!(expected.len(), 6);
    assert_eq!(exported_variables(&library::ours()), expected);
    if let Some(reference) = library::reference() {
        assert_eq!(exported_variables(&reference), expected);
    }
}

/// A program has copies of the variables that it names, in a section that its linker chooses by that of the library. libtiledb sets them
/// when it is loaded.
#[test]
fn a_program_linked_with_ours_finds_the_variables_of_either_library() {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("variables.c"), directory.path().join("variables"));
    let names: Vec<String> =
        table("functions.tsv").iter().filter(|row| row["kind"] == "data").map(|row| row["name"].clone()).collect();
    let checks: String = names.iter().map(|name| format!("  if ({name} == NULL) puts(\"{name}\");\n")).collect();
    std::fs::write(&source, format!("{INCLUDES}int main(void) {{\n{checks}  puts(\"done\");\n  return 0;\n}}\n"))
        .unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-fPIE", "-pie", "-I"]).arg(root().join("include")).arg(&source).arg("-o").arg(&program);
    let output = compiler.arg(library::ours()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let data = std::fs::read(&program).unwrap();
    let file = ElfFile64::<Endianness>::parse(&*data).unwrap();
    let copies = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Data);
    let copies: BTreeSet<String> = copies.map(|symbol| symbol.name().unwrap().to_owned()).collect();
    assert!(!cfg!(target_arch = "x86_64") || names.iter().all(|name| copies.contains(name)), "no copies: {copies:?}");
    for (folder, library) in [("ours", Some(library::ours())), ("reference", library::reference())] {
        let Some(library) = library else { continue };
        let folder = directory.path().join(folder);
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&library, folder.join(soname_of(&library::ours()))).unwrap();
        let output = Command::new(&program).env("LD_LIBRARY_PATH", &folder).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!((output.status.code(), printed.as_str()), (Some(0), "done\n"), "{}", library.display());
    }
}

/// The name that programs linked with a library ask the loader for.
fn soname_of(library: &Path) -> String {
    let data = std::fs::read(library).unwrap();
    let header = elf::FileHeader64::<Endianness>::parse(&*data).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, &*data).unwrap();
    let (dynamic, link) = sections.dynamic(endian, &*data).unwrap().expect("a dynamic section");
    let strings = sections.strings(endian, &*data, link).unwrap();
    let entry = dynamic.iter().find(|entry| entry.tag(endian) == elf::DT_SONAME).expect("a SONAME");
    String::from_utf8_lossy(entry.string(endian, strings).unwrap()).into_owned()
}
