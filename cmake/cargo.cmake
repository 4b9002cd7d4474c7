# Builds the library with cargo: the custom target `tiledb_rs` and TILEDB_RS_LIBRARY, where it lies.

find_program(CARGO cargo REQUIRED)

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(TILEDB_RS_PROFILE dev)
  set(profile_folder debug)
else()
  set(TILEDB_RS_PROFILE release)
  set(profile_folder release)
endif()

if(DEFINED ENV{CARGO_TARGET_DIR})
  set(TILEDB_RS_TARGET_DIR "$ENV{CARGO_TARGET_DIR}")
else()
  set(TILEDB_RS_TARGET_DIR "${CMAKE_CURRENT_SOURCE_DIR}/target")
endif()
set(TILEDB_RS_LIBRARY "${TILEDB_RS_TARGET_DIR}/${profile_folder}/libtiledb_rs.so")
set(TILEDB_RS_ARCHIVE "${TILEDB_RS_TARGET_DIR}/${profile_folder}/libtiledb_rs.a")

set(cargo_build ${CMAKE_COMMAND} -E env CARGO_TARGET_DIR=${TILEDB_RS_TARGET_DIR} ${CARGO})
add_custom_target(tiledb_rs ALL
  COMMAND ${cargo_build} build --locked --profile ${TILEDB_RS_PROFILE}
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  BYPRODUCTS ${TILEDB_RS_LIBRARY}
  USES_TERMINAL)

if(TILEDB_RS_STATIC)
  add_custom_target(tiledb_rs_static ALL
    COMMAND ${cargo_build} rustc --locked --profile ${TILEDB_RS_PROFILE} --crate-type staticlib
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    BYPRODUCTS ${TILEDB_RS_ARCHIVE}
    DEPENDS tiledb_rs
    USES_TERMINAL)
endif()
