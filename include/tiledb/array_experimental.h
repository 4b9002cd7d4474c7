/**
 * Arrays: their enumerations, their verification, and upkeep that is watched.
 */
#ifndef TILEDB_CPP_ARRAY_EXPERIMENTAL_H
#define TILEDB_CPP_ARRAY_EXPERIMENTAL_H

#include <functional>
#include <string>
#include <vector>

#include "array.h"
#include "context.h"
#include "enumeration_experimental.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs.h"

namespace tiledb {

/** What arrays can do that is not yet stable in the C interface. */
class ArrayExperimental {
 public:
  /** The enumeration of an attribute; it is loaded if it was not. */
  static Enumeration get_enumeration(const Context& ctx, const Array& array, const std::string& attr_name) {
    return {ctx, detail::raw<tiledb_enumeration_t>(ctx, tiledb_array_get_enumeration, array.ptr().get(),
                                                  attr_name.c_str())};
  }

  /** Loads the enumerations of the array's schema, so that schemas taken of it have them. */
  static void load_all_enumerations(const Context& ctx, const Array& array) {
    detail::call(ctx, tiledb_array_load_all_enumerations, array.ptr().get());
  }

  /** Loads the enumerations of all schemas that the array has had. */
  static void load_enumerations_all_schemas(const Context& ctx, const Array& array) {
    detail::call(ctx, tiledb_array_load_enumerations_all_schemas, array.ptr().get());
  }

  /**
   * Looks at every byte of an array, and tells what is wrong with it. `on_finding` returns true to go on; the finding is
   * valid during the call.
   */
  static tiledb_rs_verified_t verify(const Context& ctx, const std::string& uri,
                                     std::function<bool(const tiledb_rs_finding_t&)> on_finding) {
    using Told = std::function<bool(const tiledb_rs_finding_t&)>;
    auto tell = [](const tiledb_rs_finding_t* finding, void* data) -> int32_t {
      return (*static_cast<Told*>(data))(*finding) ? 1 : 0;
    };
    tiledb_rs_verified_t verified{};
    detail::call(ctx, tiledb_rs_array_verify, uri.c_str(), nullptr, tell, nullptr, &on_finding, &verified);
    return verified;
  }

  /**
   * Vacuums an array, and tells how many files were removed of those that have to be. `on_removed` returns true to go on; where
   * it stops the vacuum, the array reads as before, and a second one removes what was left.
   */
  static void vacuum(const Context& ctx, const std::string& uri, std::function<bool(uint64_t, uint64_t)> on_removed,
                     Config* const config = nullptr) {
    detail::call(ctx, tiledb_rs_array_vacuum, uri.c_str(), detail::handle_of(config), tell, &on_removed);
  }

  /** The files, and folders with all that is in them, that a vacuum would remove. */
  static std::vector<std::string> vacuum_files(const Context& ctx, const std::string& uri,
                                               Config* const config = nullptr) {
    std::vector<std::string> files;
    detail::call(ctx, tiledb_rs_array_vacuum_files, uri.c_str(), detail::handle_of(config), note, &files);
    return files;
  }

  /**
   * Consolidates an array, and tells how many cells are merged of those that are to be. `on_merged` returns true to go on; where it
   * stops the consolidation, the array stays as it is.
   */
  static void consolidate(const Context& ctx, const std::string& uri, std::function<bool(uint64_t, uint64_t)> on_merged,
                          Config* const config = nullptr) {
    detail::call(ctx, tiledb_rs_array_consolidate, uri.c_str(), detail::handle_of(config), tell, &on_merged);
  }

  /** What a step of a consolidation would merge. */
  struct ConsolidationStep {
    struct Source {
      /** Empty where an earlier step makes it. */
      std::string uri;
      /** The number of that step, from 1 on; otherwise 0. */
      uint64_t made_by;
      uint64_t cells;
      uint64_t bytes;
    };
    std::vector<Source> sources;
    /** The most cells that are there then, and the bytes of all that is merged. */
    uint64_t cells;
    uint64_t bytes;
  };

  /** What a consolidation would merge, step by step; later steps are what is expected of them. */
  static std::vector<ConsolidationStep> consolidate_steps(const Context& ctx, const std::string& uri,
                                                          Config* const config = nullptr) {
    std::vector<ConsolidationStep> steps;
    auto tell = [](uint64_t step, const char* place, uint64_t made_by, uint64_t cells, uint64_t bytes,
                   void* data) -> int32_t {
      auto& all = *static_cast<std::vector<ConsolidationStep>*>(data);
      if (all.size() < step)
        all.push_back({{}, 0, 0});
      // A step ends with its own number.
      if (place == nullptr && made_by == step) {
        all.back().cells = cells;
        all.back().bytes = bytes;
      } else {
        all.back().sources.push_back({place == nullptr ? "" : place, made_by, cells, bytes});
      }
      return 1;
    };
    detail::call(ctx, tiledb_rs_array_consolidate_steps, uri.c_str(), detail::handle_of(config), tell, &steps);
    return steps;
  }

  /** Folders of fragments that killed writers left, and those of writers at work. */
  static std::vector<std::string> orphans(const Context& ctx, const std::string& uri) {
    std::vector<std::string> folders;
    detail::call(ctx, tiledb_rs_array_orphans, uri.c_str(), note, &folders);
    return folders;
  }

  /**
   * Removes these folders, and tells how many are removed of all. `on_removed` returns true to go on. No writer may be at work.
   */
  static void sweep(const Context& ctx, const std::string& uri,
                    std::function<bool(uint64_t, uint64_t)> on_removed = [](uint64_t, uint64_t) { return true; }) {
    detail::call(ctx, tiledb_rs_array_sweep_watched, uri.c_str(), tell, &on_removed);
  }

 private:
  /** Hands on how much is done of how much. */
  static int32_t tell(uint64_t done, uint64_t total, void* data) {
    return (*static_cast<std::function<bool(uint64_t, uint64_t)>*>(data))(done, total) ? 1 : 0;
  }

  /** Adds a URI to a list. */
  static int32_t note(const char* uri, void* data) {
    static_cast<std::vector<std::string>*>(data)->emplace_back(uri);
    return 1;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ARRAY_EXPERIMENTAL_H
