# Builds the libraries with cargo into TILEDB_RS_BUILT: the custom target `tiledb_rs`.

find_program(CARGO cargo REQUIRED)

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(profile dev)
else()
  set(profile release)
endif()

set(TILEDB_RS_BUILT ${CMAKE_CURRENT_BINARY_DIR}/lib)
# CC and the like stay as they are in the environment: cargo builds anew what depends on them.
set(environment PROFILE=${profile} CARGO=${CARGO})
if(TILEDB_RS_TARGET)
  list(APPEND environment CARGO_BUILD_TARGET=${TILEDB_RS_TARGET})
endif()
if(TILEDB_RS_COMPAT)
  list(APPEND environment COMPAT=1)
endif()
add_custom_target(tiledb_rs ALL
  COMMAND ${CMAKE_COMMAND} -E env ${environment} ${CMAKE_CURRENT_SOURCE_DIR}/tools/build_library.sh ${TILEDB_RS_BUILT}
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  USES_TERMINAL)
