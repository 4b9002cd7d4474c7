# Installs library, headers, CMake package and pkg-config file; nothing installed names a build path.

set(soname "libtiledb_rs.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(real_name "libtiledb_rs.so.${PROJECT_VERSION}")

install(FILES ${TILEDB_RS_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME ${real_name}
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(CODE "
  set(lib \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  file(CREATE_LINK ${real_name} \"\${lib}/${soname}\" SYMBOLIC)
  file(CREATE_LINK ${soname} \"\${lib}/libtiledb_rs.so\" SYMBOLIC)")
if(TILEDB_RS_STATIC)
  install(FILES ${TILEDB_RS_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/tiledb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/TileDB-rs)
configure_package_config_file(cmake/TileDB-rsConfig.cmake.in TileDB-rsConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(TileDB-rsConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TileDB-rsConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/TileDB-rsConfigVersion.cmake
  DESTINATION ${package_dir})

configure_file(cmake/tiledb_rs.pc.in tiledb_rs.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tiledb_rs.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
