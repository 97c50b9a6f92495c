#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The layout of FlatBuffers, which Arrow's files describe their contents in: a tree of tables whose
// fields have positions. Texts and vectors are nodes of the tree as well.
namespace strobe::query {

class FlatNode {
 public:
  static FlatNode table() { return {}; }
  static FlatNode text(std::string_view text);
  static FlatNode tables(std::vector<FlatNode> elements);
  // `bytes`: the elements one after the other, as they lie in memory; aligned to 8 bytes there.
  static FlatNode structs(std::size_t count, std::string_view bytes);

  // A field of a table by its position in the schema. Each position is given once.
  template <class Number>
  FlatNode& number(std::size_t position, Number value) {
    std::string bytes(sizeof value, '\0');
    bytes.replace(0, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
    fields_.push_back({position, std::move(bytes), nullptr});
    return *this;
  }
  FlatNode& child(std::size_t position, FlatNode node) {
    fields_.push_back(
        {position, std::string(4, '\0'), std::make_shared<FlatNode>(std::move(node))});
    return *this;
  }

  // The tree as bytes, a multiple of 8.
  std::string bytes() const;

 private:
  struct Field {
    std::size_t position;
    std::string bytes;  // of the number; of the offset to the child
    std::shared_ptr<const FlatNode> child;
  };
  enum class Kind : std::uint8_t { kTable, kBytes, kVector };

  // Appends it, and returns where an offset to it points.
  std::size_t write(std::string& out) const;
  std::size_t write_table(std::string& out) const;

  Kind kind_ = Kind::kTable;
  std::vector<Field> fields_;
  std::vector<FlatNode> elements_;
  std::uint32_t count_ = 0;
  std::string content_;
};

}  // namespace strobe::query
