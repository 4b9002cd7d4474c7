/* Enumerations and constants: numbers, texts, sizes. */
#include <tiledb/tiledb_serialization.h>

#include "common.h"

/* The MIME types of filestores are deprecated, and work all the same. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The value has this text, and the text this value. */
#define CHECK(name, type, value, text)                              \
  do {                                                              \
    const char* string = NULL;                                      \
    type back = (type)99;                                           \
    assert(tiledb_##name##_to_str(value, &string) == TILEDB_OK);    \
    assert(strcmp(string, text) == 0);                              \
    assert(tiledb_##name##_from_str(text, &back) == TILEDB_OK);     \
    assert(back == value);                                          \
  } while (0)

/* Other numbers and texts are refused and leave the value alone. */
#define CHECK_UNKNOWN(name, type, text)                             \
  do {                                                              \
    const char* string = NULL;                                      \
    type back = (type)1;                                            \
    assert(tiledb_##name##_to_str((type)99, &string) == TILEDB_ERR);\
    assert(tiledb_##name##_to_str((type)0, NULL) == TILEDB_ERR);    \
    assert(tiledb_##name##_from_str("?", &back) == TILEDB_ERR);     \
    assert(tiledb_##name##_from_str("", &back) == TILEDB_ERR);      \
    assert(tiledb_##name##_from_str(NULL, &back) == TILEDB_ERR);    \
    assert(tiledb_##name##_from_str(text " ", &back) == TILEDB_ERR);\
    assert(tiledb_##name##_from_str(text, NULL) == TILEDB_ERR);     \
    assert(back == (type)1);                                        \
  } while (0)

static void test_datatype(void) {
  CHECK(datatype, tiledb_datatype_t, TILEDB_INT32, "INT32");
  CHECK(datatype, tiledb_datatype_t, TILEDB_INT64, "INT64");
  CHECK(datatype, tiledb_datatype_t, TILEDB_FLOAT32, "FLOAT32");
  CHECK(datatype, tiledb_datatype_t, TILEDB_FLOAT64, "FLOAT64");
  CHECK(datatype, tiledb_datatype_t, TILEDB_CHAR, "CHAR");
  CHECK(datatype, tiledb_datatype_t, TILEDB_INT8, "INT8");
  CHECK(datatype, tiledb_datatype_t, TILEDB_UINT8, "UINT8");
  CHECK(datatype, tiledb_datatype_t, TILEDB_INT16, "INT16");
  CHECK(datatype, tiledb_datatype_t, TILEDB_UINT16, "UINT16");
  CHECK(datatype, tiledb_datatype_t, TILEDB_UINT32, "UINT32");
  CHECK(datatype, tiledb_datatype_t, TILEDB_UINT64, "UINT64");
  CHECK(datatype, tiledb_datatype_t, TILEDB_STRING_ASCII, "STRING_ASCII");
  CHECK(datatype, tiledb_datatype_t, TILEDB_STRING_UTF8, "STRING_UTF8");
  CHECK(datatype, tiledb_datatype_t, TILEDB_STRING_UTF16, "STRING_UTF16");
  CHECK(datatype, tiledb_datatype_t, TILEDB_STRING_UTF32, "STRING_UTF32");
  CHECK(datatype, tiledb_datatype_t, TILEDB_STRING_UCS2, "STRING_UCS2");
  CHECK(datatype, tiledb_datatype_t, TILEDB_STRING_UCS4, "STRING_UCS4");
  CHECK(datatype, tiledb_datatype_t, TILEDB_ANY, "ANY");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_YEAR, "DATETIME_YEAR");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_MONTH, "DATETIME_MONTH");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_WEEK, "DATETIME_WEEK");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_DAY, "DATETIME_DAY");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_HR, "DATETIME_HR");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_MIN, "DATETIME_MIN");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_SEC, "DATETIME_SEC");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_MS, "DATETIME_MS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_US, "DATETIME_US");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_NS, "DATETIME_NS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_PS, "DATETIME_PS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_FS, "DATETIME_FS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_DATETIME_AS, "DATETIME_AS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_HR, "TIME_HR");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_MIN, "TIME_MIN");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_SEC, "TIME_SEC");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_MS, "TIME_MS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_US, "TIME_US");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_NS, "TIME_NS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_PS, "TIME_PS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_FS, "TIME_FS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_TIME_AS, "TIME_AS");
  CHECK(datatype, tiledb_datatype_t, TILEDB_BLOB, "BLOB");
  CHECK(datatype, tiledb_datatype_t, TILEDB_BOOL, "BOOL");
  CHECK(datatype, tiledb_datatype_t, TILEDB_GEOM_WKB, "GEOM_WKB");
  CHECK(datatype, tiledb_datatype_t, TILEDB_GEOM_WKT, "GEOM_WKT");
  CHECK_UNKNOWN(datatype, tiledb_datatype_t, "INT32");
}

static void test_filesystem(void) {
  CHECK(filesystem, tiledb_filesystem_t, TILEDB_HDFS, "HDFS");
  CHECK(filesystem, tiledb_filesystem_t, TILEDB_S3, "S3");
  CHECK(filesystem, tiledb_filesystem_t, TILEDB_AZURE, "AZURE");
  CHECK(filesystem, tiledb_filesystem_t, TILEDB_GCS, "GCS");
  CHECK(filesystem, tiledb_filesystem_t, TILEDB_MEMFS, "MEM");
  CHECK_UNKNOWN(filesystem, tiledb_filesystem_t, "HDFS");
}

static void test_filter_type(void) {
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_NONE, "NONE");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_GZIP, "GZIP");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_ZSTD, "ZSTD");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_LZ4, "LZ4");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_RLE, "RLE");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_BZIP2, "BZIP2");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_DOUBLE_DELTA, "DOUBLE_DELTA");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_BIT_WIDTH_REDUCTION, "BIT_WIDTH_REDUCTION");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_BITSHUFFLE, "BITSHUFFLE");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_BYTESHUFFLE, "BYTESHUFFLE");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_POSITIVE_DELTA, "POSITIVE_DELTA");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_CHECKSUM_MD5, "CHECKSUM_MD5");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_CHECKSUM_SHA256, "CHECKSUM_SHA256");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_DICTIONARY, "DICTIONARY_ENCODING");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_SCALE_FLOAT, "SCALE_FLOAT");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_XOR, "XOR");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_WEBP, "WEBP");
  CHECK(filter_type, tiledb_filter_type_t, TILEDB_FILTER_DELTA, "DELTA");
  CHECK_UNKNOWN(filter_type, tiledb_filter_type_t, "NONE");
}

static void test_filter_option(void) {
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_COMPRESSION_LEVEL, "COMPRESSION_LEVEL");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_BIT_WIDTH_MAX_WINDOW, "BIT_WIDTH_MAX_WINDOW");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_POSITIVE_DELTA_MAX_WINDOW, "POSITIVE_DELTA_MAX_WINDOW");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_SCALE_FLOAT_BYTEWIDTH, "SCALE_FLOAT_BYTEWIDTH");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_SCALE_FLOAT_FACTOR, "SCALE_FLOAT_FACTOR");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_SCALE_FLOAT_OFFSET, "SCALE_FLOAT_OFFSET");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_WEBP_QUALITY, "WEBP_QUALITY");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_WEBP_INPUT_FORMAT, "WEBP_INPUT_FORMAT");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_WEBP_LOSSLESS, "WEBP_LOSSLESS");
  CHECK(filter_option, tiledb_filter_option_t, TILEDB_COMPRESSION_REINTERPRET_DATATYPE, "COMPRESSION_REINTERPRET_DATATYPE");
  CHECK_UNKNOWN(filter_option, tiledb_filter_option_t, "COMPRESSION_LEVEL");
}

static void test_array_type(void) {
  CHECK(array_type, tiledb_array_type_t, TILEDB_DENSE, "dense");
  CHECK(array_type, tiledb_array_type_t, TILEDB_SPARSE, "sparse");
  CHECK_UNKNOWN(array_type, tiledb_array_type_t, "dense");
}

static void test_layout(void) {
  CHECK(layout, tiledb_layout_t, TILEDB_ROW_MAJOR, "row-major");
  CHECK(layout, tiledb_layout_t, TILEDB_COL_MAJOR, "col-major");
  CHECK(layout, tiledb_layout_t, TILEDB_GLOBAL_ORDER, "global-order");
  CHECK(layout, tiledb_layout_t, TILEDB_UNORDERED, "unordered");
  CHECK(layout, tiledb_layout_t, TILEDB_HILBERT, "hilbert");
  CHECK_UNKNOWN(layout, tiledb_layout_t, "row-major");
}

static void test_query_type(void) {
  CHECK(query_type, tiledb_query_type_t, TILEDB_READ, "READ");
  CHECK(query_type, tiledb_query_type_t, TILEDB_WRITE, "WRITE");
  CHECK(query_type, tiledb_query_type_t, TILEDB_DELETE, "DELETE");
  CHECK(query_type, tiledb_query_type_t, TILEDB_UPDATE, "UPDATE");
  CHECK(query_type, tiledb_query_type_t, TILEDB_MODIFY_EXCLUSIVE, "MODIFY_EXCLUSIVE");
  CHECK_UNKNOWN(query_type, tiledb_query_type_t, "READ");
}

static void test_encryption_type(void) {
  CHECK(encryption_type, tiledb_encryption_type_t, TILEDB_NO_ENCRYPTION, "NO_ENCRYPTION");
  CHECK(encryption_type, tiledb_encryption_type_t, TILEDB_AES_256_GCM, "AES_256_GCM");
  CHECK_UNKNOWN(encryption_type, tiledb_encryption_type_t, "NO_ENCRYPTION");
}

static void test_data_order(void) {
  CHECK(data_order, tiledb_data_order_t, TILEDB_UNORDERED_DATA, "unordered");
  CHECK(data_order, tiledb_data_order_t, TILEDB_INCREASING_DATA, "increasing");
  CHECK(data_order, tiledb_data_order_t, TILEDB_DECREASING_DATA, "decreasing");
  CHECK_UNKNOWN(data_order, tiledb_data_order_t, "unordered");
}

static void test_object_type(void) {
  CHECK(object_type, tiledb_object_t, TILEDB_INVALID, "INVALID");
  CHECK(object_type, tiledb_object_t, TILEDB_GROUP, "GROUP");
  CHECK(object_type, tiledb_object_t, TILEDB_ARRAY, "ARRAY");
  CHECK_UNKNOWN(object_type, tiledb_object_t, "INVALID");
}

static void test_walk_order(void) {
  CHECK(walk_order, tiledb_walk_order_t, TILEDB_PREORDER, "PREORDER");
  CHECK(walk_order, tiledb_walk_order_t, TILEDB_POSTORDER, "POSTORDER");
  CHECK_UNKNOWN(walk_order, tiledb_walk_order_t, "PREORDER");
}

static void test_vfs_mode(void) {
  CHECK(vfs_mode, tiledb_vfs_mode_t, TILEDB_VFS_READ, "VFS_READ");
  CHECK(vfs_mode, tiledb_vfs_mode_t, TILEDB_VFS_WRITE, "VFS_WRITE");
  CHECK(vfs_mode, tiledb_vfs_mode_t, TILEDB_VFS_APPEND, "VFS_APPEND");
  CHECK_UNKNOWN(vfs_mode, tiledb_vfs_mode_t, "VFS_READ");
}

static void test_query_status(void) {
  CHECK(query_status, tiledb_query_status_t, TILEDB_FAILED, "FAILED");
  CHECK(query_status, tiledb_query_status_t, TILEDB_COMPLETED, "COMPLETED");
  CHECK(query_status, tiledb_query_status_t, TILEDB_INPROGRESS, "INPROGRESS");
  CHECK(query_status, tiledb_query_status_t, TILEDB_INCOMPLETE, "INCOMPLETE");
  CHECK(query_status, tiledb_query_status_t, TILEDB_UNINITIALIZED, "UNINITIALIZED");
  CHECK(query_status, tiledb_query_status_t, TILEDB_INITIALIZED, "INITIALIZED");
  CHECK_UNKNOWN(query_status, tiledb_query_status_t, "FAILED");
}

static void test_mime_type(void) {
  CHECK(mime_type, tiledb_mime_type_t, TILEDB_MIME_AUTODETECT, "AUTODETECT");
  CHECK(mime_type, tiledb_mime_type_t, TILEDB_MIME_TIFF, "image/tiff");
  CHECK(mime_type, tiledb_mime_type_t, TILEDB_MIME_PDF, "application/pdf");
  CHECK_UNKNOWN(mime_type, tiledb_mime_type_t, "AUTODETECT");
}

static void test_serialization_type(void) {
  CHECK(serialization_type, tiledb_serialization_type_t, TILEDB_JSON, "JSON");
  CHECK(serialization_type, tiledb_serialization_type_t, TILEDB_CAPNP, "CAPNP");
  CHECK_UNKNOWN(serialization_type, tiledb_serialization_type_t, "JSON");
}

static void test_datatype_size(void) {
  static const struct {
    tiledb_datatype_t datatype;
    uint64_t size;
  } cases[] = {
      {TILEDB_INT32, 4},
      {TILEDB_INT64, 8},
      {TILEDB_FLOAT32, 4},
      {TILEDB_FLOAT64, 8},
      {TILEDB_CHAR, 1},
      {TILEDB_INT8, 1},
      {TILEDB_UINT8, 1},
      {TILEDB_INT16, 2},
      {TILEDB_UINT16, 2},
      {TILEDB_UINT32, 4},
      {TILEDB_UINT64, 8},
      {TILEDB_STRING_ASCII, 1},
      {TILEDB_STRING_UTF8, 1},
      {TILEDB_STRING_UTF16, 2},
      {TILEDB_STRING_UTF32, 4},
      {TILEDB_STRING_UCS2, 2},
      {TILEDB_STRING_UCS4, 4},
      {TILEDB_ANY, 1},
      {TILEDB_DATETIME_YEAR, 8},
      {TILEDB_DATETIME_MONTH, 8},
      {TILEDB_DATETIME_WEEK, 8},
      {TILEDB_DATETIME_DAY, 8},
      {TILEDB_DATETIME_HR, 8},
      {TILEDB_DATETIME_MIN, 8},
      {TILEDB_DATETIME_SEC, 8},
      {TILEDB_DATETIME_MS, 8},
      {TILEDB_DATETIME_US, 8},
      {TILEDB_DATETIME_NS, 8},
      {TILEDB_DATETIME_PS, 8},
      {TILEDB_DATETIME_FS, 8},
      {TILEDB_DATETIME_AS, 8},
      {TILEDB_TIME_HR, 8},
      {TILEDB_TIME_MIN, 8},
      {TILEDB_TIME_SEC, 8},
      {TILEDB_TIME_MS, 8},
      {TILEDB_TIME_US, 8},
      {TILEDB_TIME_NS, 8},
      {TILEDB_TIME_PS, 8},
      {TILEDB_TIME_FS, 8},
      {TILEDB_TIME_AS, 8},
      {TILEDB_BLOB, 1},
      {TILEDB_BOOL, 1},
      {TILEDB_GEOM_WKB, 1},
      {TILEDB_GEOM_WKT, 1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    assert(tiledb_datatype_size(cases[i].datatype) == cases[i].size);
  tiledb_datatype_size((tiledb_datatype_t)99);
}

static void test_constants(void) {
  int32_t major = 0, minor = 0, rev = -1;
  tiledb_version(&major, &minor, &rev);
  assert(major == 2 && minor == 30 && rev == 0);
  assert(tiledb_var_num() == UINT32_MAX);
  assert(tiledb_max_path() == 4096);
  assert(tiledb_offset_size() == sizeof(uint64_t));
  assert(strcmp(tiledb_timestamps(), "__timestamps") == 0);
  uint64_t before = tiledb_timestamp_now_ms();
  assert(before > 1700000000000 && tiledb_timestamp_now_ms() >= before);
}

int main(void) {
  test_datatype();
  test_filesystem();
  test_filter_type();
  test_filter_option();
  test_array_type();
  test_layout();
  test_query_type();
  test_encryption_type();
  test_data_order();
  test_object_type();
  test_walk_order();
  test_vfs_mode();
  test_query_status();
  test_mime_type();
  test_serialization_type();
  test_datatype_size();
  test_constants();
  return 0;
}
