/**
 * Members of `tiledb::Query` that libtiledb removed in 2.26. `query.h` includes this file inside of the class where
 * `TILEDB_RS_REMOVED_API` is defined.
 */
// The members are deprecated themselves; a program is warned where it calls them.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

/**
 * Submits the query on a thread of the library.
 *
 * @param callback Called without arguments when the query is completed; not after an error or an incomplete read.
 */
template <typename Fn>
TILEDB_DEPRECATED void submit_async(const Fn& callback) {
  if (buffers_ == nullptr)
    throw TileDBError("[TileDB::C++API] Error: The query was moved to another object");
  // The function lives as long as the query of the C interface; a refused submit leaves the one before in its place.
  auto function = std::make_shared<std::function<void()>>(callback);
  const auto previous = std::exchange(buffers_->callback, function);
  const auto call = [](void* data) { (*static_cast<std::function<void()>*>(data))(); };
  const auto rc = tiledb_query_submit_async(ctx().ptr().get(), handle_.ptr().get(), call, function.get());
  if (rc != TILEDB_OK)
    buffers_->callback = previous;
  ctx().handle_error(rc);
}

/** Submits the query on a thread of the library; `query_status` tells when it is completed. */
TILEDB_DEPRECATED void submit_async() {
  handle_.call(tiledb_query_submit_async, static_cast<void (*)(void*)>(nullptr), static_cast<void*>(nullptr));
}

/** Adds a range of a dimension by its index to the subarray of the query; replaced by `Subarray::add_range`. */
template <class T>
TILEDB_DEPRECATED Query& add_range(uint32_t dim_idx, T start, T end, T stride = 0) {
  impl::type_check<T>(dimension(dim_idx).type());
  handle_.call(tiledb_query_add_range, dim_idx, static_cast<const void*>(&start), static_cast<const void*>(&end),
               stride == 0 ? nullptr : static_cast<const void*>(&stride));
  return *this;
}

/** The same by the name of the dimension. */
template <class T>
TILEDB_DEPRECATED Query& add_range(const std::string& dim_name, T start, T end, T stride = 0) {
  impl::type_check<T>(dimension(dim_name).type());
  handle_.call(tiledb_query_add_range_by_name, dim_name.c_str(), static_cast<const void*>(&start),
               static_cast<const void*>(&end), stride == 0 ? nullptr : static_cast<const void*>(&stride));
  return *this;
}

/** Adds a range of a dimension of strings by its index. */
TILEDB_DEPRECATED Query& add_range(uint32_t dim_idx, const std::string& start, const std::string& end) {
  impl::type_check<char>(dimension(dim_idx).type());
  handle_.call(tiledb_query_add_range_var, dim_idx, static_cast<const void*>(start.data()),
               static_cast<uint64_t>(start.size()), static_cast<const void*>(end.data()),
               static_cast<uint64_t>(end.size()));
  return *this;
}

/** The same by the name of the dimension. */
TILEDB_DEPRECATED Query& add_range(const std::string& dim_name, const std::string& start, const std::string& end) {
  impl::type_check<char>(dimension(dim_name).type());
  handle_.call(tiledb_query_add_range_var_by_name, dim_name.c_str(), static_cast<const void*>(start.data()),
               static_cast<uint64_t>(start.size()), static_cast<const void*>(end.data()),
               static_cast<uint64_t>(end.size()));
  return *this;
}

/** Number of ranges of a dimension by its index; replaced by `Subarray::range_num`. */
TILEDB_DEPRECATED uint64_t range_num(unsigned dim_idx) const {
  return handle_.get<uint64_t>(tiledb_query_get_range_num, static_cast<uint32_t>(dim_idx));
}

/** The same by the name of the dimension. */
TILEDB_DEPRECATED uint64_t range_num(const std::string& dim_name) const {
  return handle_.get<uint64_t>(tiledb_query_get_range_num_from_name, dim_name.c_str());
}

/** Start, end and stride (0 if there is none) of a range; replaced by `Subarray::range`. */
template <class T>
TILEDB_DEPRECATED std::array<T, 3> range(unsigned dim_idx, uint64_t range_idx) {
  impl::type_check<T>(dimension(dim_idx).type());
  std::array<const void*, 3> ends{};
  handle_.call(tiledb_query_get_range, static_cast<uint32_t>(dim_idx), range_idx, &ends[0], &ends[1], &ends[2]);
  return range_of<T>(ends);
}

/** The same by the name of the dimension. */
template <class T>
TILEDB_DEPRECATED std::array<T, 3> range(const std::string& dim_name, uint64_t range_idx) {
  impl::type_check<T>(dimension(dim_name).type());
  std::array<const void*, 3> ends{};
  handle_.call(tiledb_query_get_range_from_name, dim_name.c_str(), range_idx, &ends[0], &ends[1], &ends[2]);
  return range_of<T>(ends);
}

/** Start and end of a range of a dimension of strings by its index. */
TILEDB_DEPRECATED std::array<std::string, 2> range(unsigned dim_idx, uint64_t range_idx) {
  impl::type_check<char>(dimension(dim_idx).type());
  auto ends = handle_.range(tiledb_query_get_range_var_size, tiledb_query_get_range_var,
                            static_cast<uint32_t>(dim_idx), range_idx);
  return {std::move(ends.first), std::move(ends.second)};
}

/** The same by the name of the dimension. */
TILEDB_DEPRECATED std::array<std::string, 2> range(const std::string& dim_name, uint64_t range_idx) {
  impl::type_check<char>(dimension(dim_name).type());
  auto ends = handle_.range(tiledb_query_get_range_var_size_from_name, tiledb_query_get_range_var_from_name,
                            dim_name.c_str(), range_idx);
  return {std::move(ends.first), std::move(ends.second)};
}

/**
 * Sets the subarray of the query: the lowest and highest coordinate of each dimension.
 *
 * @param pairs The coordinates.
 * @param size Number of coordinates, twice the number of dimensions.
 * @throws SchemaMismatch if there are more or fewer.
 */
template <typename T = uint64_t>
TILEDB_DEPRECATED Query& set_subarray(const T* pairs, uint64_t size) {
  const auto domain = array().schema().domain();
  impl::type_check<T>(domain.type());
  if (size != static_cast<uint64_t>(domain.ndim()) * 2)
    throw SchemaMismatch("Cannot set a subarray of " + std::to_string(size) + " values: the lowest and highest coordinate of " +
                         std::to_string(domain.ndim()) + " dimensions are needed");
  handle_.call(tiledb_query_set_subarray, static_cast<const void*>(pairs));
  return *this;
}

/** The same with a vector or an array. */
template <typename Vec, typename = decltype(std::declval<const Vec&>().data())>
TILEDB_DEPRECATED Query& set_subarray(const Vec& pairs) {
  return set_subarray(pairs.data(), static_cast<uint64_t>(pairs.size()));
}

/** The same with a list. */
template <typename T = uint64_t>
TILEDB_DEPRECATED Query& set_subarray(const std::initializer_list<T>& l) {
  return set_subarray(l.begin(), static_cast<uint64_t>(l.size()));
}

/** The same with a pair for each dimension. */
template <typename T = uint64_t>
TILEDB_DEPRECATED Query& set_subarray(const std::vector<std::array<T, 2>>& pairs) {
  std::vector<T> flat;
  flat.reserve(pairs.size() * 2);
  for (const auto& pair : pairs)
    flat.insert(flat.end(), pair.begin(), pair.end());
  return set_subarray(flat.data(), static_cast<uint64_t>(flat.size()));
}

/** Sets the buffer for the coordinates of all dimensions, cell by cell; replaced by a buffer for each dimension. */
template <typename T>
TILEDB_DEPRECATED Query& set_coordinates(T* buf, uint64_t size) {
  impl::type_check<std::remove_cv_t<T>>(array().schema().domain().type());
  return set_data_buffer("__coords", buf, size);
}

/** The same with a vector. */
template <typename Vec>
TILEDB_DEPRECATED Query& set_coordinates(Vec& buf) {
  return set_coordinates(buf.data(), static_cast<uint64_t>(buf.size()));
}

/** Sets the buffer for a field of fixed size; replaced by `set_data_buffer`. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, T* buff, uint64_t nelements) {
  return set_data_buffer(name, buff, nelements);
}

/** The same with a vector, without a check of types. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, std::vector<T>& buf) {
  return set_values(name, buf.data(), static_cast<uint64_t>(buf.size()), sizeof(T));
}

/** The same without a check of types; the elements are values of the field's datatype. */
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, void* buff, uint64_t nelements) {
  return set_data_buffer(name, buff, nelements);
}

/** Sets the buffers for a field of variable size; replaced by `set_data_buffer` and `set_offsets_buffer`. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, uint64_t* offsets, uint64_t offset_nelements, T* data,
                                    uint64_t data_nelements) {
  return set_data_buffer(name, data, data_nelements).set_offsets_buffer(name, offsets, offset_nelements);
}

/** The same without a check of types. */
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, uint64_t* offsets, uint64_t offset_nelements, void* data,
                                    uint64_t data_nelements) {
  return set_data_buffer(name, data, data_nelements).set_offsets_buffer(name, offsets, offset_nelements);
}

/** The same with vectors. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, std::vector<uint64_t>& offsets, std::vector<T>& data) {
  return set_data_buffer(name, data).set_offsets_buffer(name, offsets);
}

/** The same with offsets and values in a pair. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer(const std::string& name,
                                    std::pair<std::vector<uint64_t>, std::vector<T>>& buf) {
  return set_data_buffer(name, buf.second).set_offsets_buffer(name, buf.first);
}

/** The same with a string. */
TILEDB_DEPRECATED Query& set_buffer(const std::string& name, std::vector<uint64_t>& offsets, std::string& data) {
  return set_data_buffer(name, data).set_offsets_buffer(name, offsets);
}

/** Sets the buffers for a nullable attribute of fixed size; replaced by `set_data_buffer` and `set_validity_buffer`. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer_nullable(const std::string& name, T* data, uint64_t data_nelements,
                                             uint8_t* validity_bytemap, uint64_t validity_bytemap_nelements) {
  return set_data_buffer(name, data, data_nelements)
      .set_validity_buffer(name, validity_bytemap, validity_bytemap_nelements);
}

/** The same with vectors, without a check of types. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer_nullable(const std::string& name, std::vector<T>& buf,
                                             std::vector<uint8_t>& validity_bytemap) {
  return set_values(name, buf.data(), static_cast<uint64_t>(buf.size()), sizeof(T))
      .set_validity_buffer(name, validity_bytemap);
}

/** The same without a check of types; the elements are values of the attribute's datatype. */
TILEDB_DEPRECATED Query& set_buffer_nullable(const std::string& name, void* data, uint64_t data_nelements,
                                             uint8_t* validity_bytemap, uint64_t validity_bytemap_nelements) {
  return set_data_buffer(name, data, data_nelements)
      .set_validity_buffer(name, validity_bytemap, validity_bytemap_nelements);
}

/** Sets the buffers for a nullable attribute of variable size. */
TILEDB_DEPRECATED Query& set_buffer_nullable(const std::string& name, uint64_t* offsets, uint64_t offset_nelements,
                                             void* data, uint64_t data_nelements, uint8_t* validity_bytemap,
                                             uint64_t validity_bytemap_nelements) {
  return set_data_buffer(name, data, data_nelements)
      .set_offsets_buffer(name, offsets, offset_nelements)
      .set_validity_buffer(name, validity_bytemap, validity_bytemap_nelements);
}

/** The same with vectors. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer_nullable(const std::string& name, std::vector<uint64_t>& offsets,
                                             std::vector<T>& data, std::vector<uint8_t>& validity_bytemap) {
  return set_data_buffer(name, data).set_offsets_buffer(name, offsets).set_validity_buffer(name, validity_bytemap);
}

/** The same with offsets, values and validity in a tuple. */
template <typename T>
TILEDB_DEPRECATED Query& set_buffer_nullable(
    const std::string& name, std::tuple<std::vector<uint64_t>, std::vector<T>, std::vector<uint8_t>>& buf) {
  return set_data_buffer(name, std::get<1>(buf))
      .set_offsets_buffer(name, std::get<0>(buf))
      .set_validity_buffer(name, std::get<2>(buf));
}

/** The same with a string. */
TILEDB_DEPRECATED Query& set_buffer_nullable(const std::string& name, std::vector<uint64_t>& offsets,
                                             std::string& data, std::vector<uint8_t>& validity_bytemap) {
  return set_data_buffer(name, data).set_offsets_buffer(name, offsets).set_validity_buffer(name, validity_bytemap);
}

/** The buffer of a field of fixed size; replaced by `get_data_buffer`. */
TILEDB_DEPRECATED Query& get_buffer(const std::string& name, void** data, uint64_t* data_nelements,
                                    uint64_t* element_size) {
  return get_data_buffer(name, data, data_nelements, element_size);
}

/** The buffers of a field of variable size; replaced by `get_data_buffer` and `get_offsets_buffer`. */
TILEDB_DEPRECATED Query& get_buffer(const std::string& name, uint64_t** offsets, uint64_t* offsets_nelements,
                                    void** data, uint64_t* data_nelements, uint64_t* element_size) {
  return get_data_buffer(name, data, data_nelements, element_size)
      .get_offsets_buffer(name, offsets, offsets_nelements);
}

/** The buffers of a nullable attribute of fixed size; replaced by `get_data_buffer` and `get_validity_buffer`. */
TILEDB_DEPRECATED Query& get_buffer_nullable(const std::string& name, void** data, uint64_t* data_nelements,
                                             uint64_t* data_element_size, uint8_t** validity_bytemap,
                                             uint64_t* validity_bytemap_nelements) {
  return get_data_buffer(name, data, data_nelements, data_element_size)
      .get_validity_buffer(name, validity_bytemap, validity_bytemap_nelements);
}

/** The buffers of a nullable attribute of variable size. */
TILEDB_DEPRECATED Query& get_buffer_nullable(const std::string& name, uint64_t** offsets, uint64_t* offsets_nelements,
                                             void** data, uint64_t* data_nelements, uint64_t* element_size,
                                             uint8_t** validity_bytemap, uint64_t* validity_bytemap_nelements) {
  return get_data_buffer(name, data, data_nelements, element_size)
      .get_offsets_buffer(name, offsets, offsets_nelements)
      .get_validity_buffer(name, validity_bytemap, validity_bytemap_nelements);
}

private:
/** A dimension by its index or its name. */
template <typename D>
Dimension dimension(const D& which) const {
  return array().schema().domain().dimension(which);
}

/** Start, end and stride as values. */
template <typename T>
static std::array<T, 3> range_of(const std::array<const void*, 3>& ends) {
  std::array<T, 3> range{};
  for (size_t i = 0; i < range.size(); i++) {
    if (ends[i] != nullptr)
      range[i] = *static_cast<const T*>(ends[i]);
  }
  return range;
}

public:

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
