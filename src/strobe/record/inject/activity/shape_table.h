#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// What device work has in common whenever it runs, as wire::ShapeColumn lists it.
using Shape = std::array<std::uint64_t, wire::kShapeColumns>;

// The shapes of a file, numbered. Its memory is bounded: with too many shapes all are forgotten,
// and those that come again are defined again.
class ShapeTable {
 public:
  static constexpr std::size_t kMostShapes = 1 << 16;

  explicit ShapeTable(wire::RunFileWriter& file) noexcept : file_(&file) {}

  std::uint64_t number_of(const Shape& shape) noexcept;
  // Writes the definitions of new shapes; to be called before the rows that use them are written.
  void write_new() noexcept { file_->write(new_shapes_); }
  // The file has started again from 0.
  void restart() noexcept;

 private:
  struct Hash {
    std::size_t operator()(const Shape& shape) const noexcept;
  };

  wire::RunFileWriter* file_;
  std::uint64_t next_ = 0;
  std::unordered_map<Shape, std::uint64_t, Hash> numbers_;
  wire::ChunkRows new_shapes_{wire::ChunkKind::kShapes};
};

// Names given by address: a name is looked at once, and again only if its place holds another one.
class NameTexts {
 public:
  static constexpr std::size_t kMostNames = 1 << 16;

  NameTexts(wire::RunFileWriter& file, bool is_redacting) noexcept
      : file_(&file), is_redacting_(is_redacting) {}

  std::uint64_t text_of(const char* name) noexcept;
  void restart() noexcept { known_.clear(); }

 private:
  struct Known {
    std::string name;
    std::uint64_t text;
  };

  wire::RunFileWriter* file_;
  bool is_redacting_;
  std::unordered_map<const char*, Known> known_;
};

// A name that tells nothing but whether two are equal: "name-1f0c…".
std::string redacted_name(std::string_view name) noexcept;

}  // namespace strobe::record
