# A port for vcpkg; tools/hosting/fill.sh fills in what stands between @. Cargo and Rust are found on PATH.
vcpkg_download_distfile(ARCHIVE
    URLS "@SOURCE@"
    FILENAME "tiledb-rs-@VERSION@.tar.gz"
    SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES compat TILEDB_RS_COMPAT)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${FEATURE_OPTIONS})
vcpkg_cmake_install()

vcpkg_cmake_config_fixup(PACKAGE_NAME TileDB-rs CONFIG_PATH lib/cmake/TileDB-rs DO_NOT_DELETE_PARENT_CONFIG_PATH)
if("compat" IN_LIST FEATURES)
    vcpkg_cmake_config_fixup(PACKAGE_NAME TileDB CONFIG_PATH lib/cmake/TileDB)
endif()
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICES.txt")
