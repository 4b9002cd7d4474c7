# Installs by tools/install.sh what the target `tiledb_rs` built: libraries, headers, CMake packages, pkg-config files, licences.

foreach(folder ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_DOCDIR})
  if("/${folder}/" MATCHES "^//|/\\.\\.?/")
    message(FATAL_ERROR "'${folder}' is no plain folder below the prefix, so the prefix could not be moved")
  endif()
endforeach()

set(compat)
if(TILEDB_RS_COMPAT)
  string(REGEX REPLACE "^([Oo][Nn]|[Yy][Ee][Ss]|[Tt][Rr][Uu][Ee])$" "1" compat "${TILEDB_RS_COMPAT}")
  string(REPLACE ";" " " compat "${compat}")
endif()

# The script adds DESTDIR itself. CMake writes the paths into install_manifest.txt.
install(CODE "
  set(manifest \"${CMAKE_CURRENT_BINARY_DIR}/manifest.txt\")
  get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  execute_process(
    COMMAND \${CMAKE_COMMAND} -E env \"COMPAT=${compat}\" \"LIBDIR=${CMAKE_INSTALL_LIBDIR}\"
      \"INCLUDEDIR=${CMAKE_INSTALL_INCLUDEDIR}\" \"DOCDIR=${CMAKE_INSTALL_DOCDIR}\" \"CARGO_BUILD_TARGET=${TILEDB_RS_TARGET}\"
      \"MANIFEST=\${manifest}\" \"${CMAKE_CURRENT_SOURCE_DIR}/tools/install.sh\" \"${TILEDB_RS_BUILT}\" \"\${prefix}\"
    RESULT_VARIABLE failed ERROR_VARIABLE message)
  if(failed)
    message(FATAL_ERROR \"\${message}\")
  endif()
  file(STRINGS \"\${manifest}\" installed)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${installed})")
