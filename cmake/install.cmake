# Installs libraries, headers, CMake packages, pkg-config files and licences: the same tree that tools/install.sh makes.

foreach(folder ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_DOCDIR})
  if("/${folder}/" MATCHES "^//|/\\.\\.?/")
    message(FATAL_ERROR "'${folder}' is no plain folder below the prefix, so the prefix could not be moved")
  endif()
endforeach()

# What the templates name.
set(LIBDIR ${CMAKE_INSTALL_LIBDIR})
set(INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
set(VERSION ${PROJECT_VERSION})
set(MAJOR ${PROJECT_VERSION_MAJOR})
set(MINOR ${PROJECT_VERSION_MINOR})
file(READ cmake/private_libs.txt PRIVATE_LIBS)
string(STRIP "${PRIVATE_LIBS}" PRIVATE_LIBS)
string(REGEX REPLACE "([^;]+);?" "-l\\1 " PRIVATE_FLAGS "${PRIVATE_LIBS}")
string(STRIP "${PRIVATE_FLAGS}" PRIVATE_FLAGS)
string(REGEX REPLACE "[^/]+" ".." CMAKE_UP "${LIBDIR}/cmake/TileDB")
string(REGEX REPLACE "[^/]+" ".." PC_UP "${LIBDIR}/pkgconfig")

# The shared library, its links, a CMake package and a pkg-config file.
function(tiledb_rs_package PACKAGE NAME FOUND)
  set(filled ${CMAKE_CURRENT_BINARY_DIR}/packages)
  configure_file(cmake/Config.cmake.in ${filled}/${PACKAGE}Config.cmake @ONLY)
  configure_file(cmake/ConfigVersion.cmake.in ${filled}/${PACKAGE}ConfigVersion.cmake @ONLY)
  configure_file(cmake/pkgconfig.pc.in ${filled}/${NAME}.pc @ONLY)
  install(FILES ${filled}/${PACKAGE}Config.cmake ${filled}/${PACKAGE}ConfigVersion.cmake DESTINATION ${LIBDIR}/cmake/${PACKAGE})
  install(FILES ${filled}/${NAME}.pc DESTINATION ${LIBDIR}/pkgconfig)

  install(PROGRAMS ${TILEDB_RS_BUILT}/lib${NAME}.so.${VERSION} DESTINATION ${LIBDIR})
  tiledb_rs_link(lib${NAME}.so.${VERSION} lib${NAME}.so.${MAJOR}.${MINOR})
  tiledb_rs_link(lib${NAME}.so.${MAJOR}.${MINOR} lib${NAME}.so)
endfunction()

# A symbolic link beside a library.
function(tiledb_rs_link TARGET LINK)
  install(CODE "file(CREATE_LINK ${TARGET} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${LIBDIR}/${LINK}\" SYMBOLIC)")
endfunction()

tiledb_rs_package(TileDB-rs tiledb_rs TILEDB_RS_FOUND)
install(FILES ${TILEDB_RS_BUILT}/libtiledb_rs.a DESTINATION ${LIBDIR})
if(TILEDB_RS_COMPAT)
  tiledb_rs_package(TileDB tiledb TILEDB_FOUND)
  tiledb_rs_link(libtiledb_rs.a libtiledb.a)
endif()
install(DIRECTORY include/tiledb DESTINATION ${INCLUDEDIR})
install(FILES LICENSE NOTICES.txt README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
