#include "strobe/query/flat_tables.h"

#include <algorithm>

namespace strobe::query {
namespace {

constexpr std::size_t kTableAlignment = 8;

// Appends zeros until `more` bytes further is a multiple of `to`.
void align(std::string& out, std::size_t to = kTableAlignment, std::size_t more = 0) {
  while ((out.size() + more) % to != 0) out.push_back('\0');
}

template <class Number>
void append(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// An offset counts from its own place.
void point(std::string& out, std::size_t from, std::size_t to) {
  const auto offset = static_cast<std::uint32_t>(to - from);
  out.replace(from, sizeof offset, reinterpret_cast<const char*>(&offset), sizeof offset);
}

}  // namespace

FlatNode FlatNode::text(std::string_view text) {
  FlatNode node;
  node.kind_ = Kind::kBytes;
  node.count_ = static_cast<std::uint32_t>(text.size());
  node.content_ = std::string(text) + '\0';
  return node;
}

FlatNode FlatNode::tables(std::vector<FlatNode> elements) {
  FlatNode node;
  node.kind_ = Kind::kVector;
  node.elements_ = std::move(elements);
  return node;
}

FlatNode FlatNode::structs(std::size_t count, std::string_view bytes) {
  FlatNode node;
  node.kind_ = Kind::kBytes;
  node.count_ = static_cast<std::uint32_t>(count);
  node.content_ = bytes;
  return node;
}

std::string FlatNode::bytes() const {
  std::string out(sizeof(std::uint32_t), '\0');
  point(out, 0, write(out));
  align(out);
  return out;
}

std::size_t FlatNode::write(std::string& out) const {
  if (kind_ == Kind::kTable) return write_table(out);
  // The number of elements lies before them.
  align(out, kTableAlignment, sizeof(std::uint32_t));
  const std::size_t place = out.size();
  if (kind_ == Kind::kBytes) {
    append(out, count_);
    out += content_;
    return place;
  }
  append(out, static_cast<std::uint32_t>(elements_.size()));
  const std::size_t first = out.size();
  out.resize(first + elements_.size() * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const std::size_t element = elements_[i].write(out);
    point(out, first + i * sizeof(std::uint32_t), element);
  }
  return place;
}

// Where its fields lie comes first, then how far back that is, then the fields, each aligned to its
// size.
std::size_t FlatNode::write_table(std::string& out) const {
  std::size_t positions = 0;
  for (const Field& field : fields_) positions = std::max(positions, field.position + 1);
  std::vector<std::uint16_t> offsets(positions);
  std::string body(sizeof(std::int32_t), '\0');
  for (const Field& field : fields_) {
    align(body, field.bytes.size());
    offsets[field.position] = static_cast<std::uint16_t>(body.size());
    body += field.bytes;
  }
  const std::size_t header_bytes = (2 + positions) * sizeof(std::uint16_t);
  align(out, kTableAlignment, header_bytes);
  const std::size_t place = out.size() + header_bytes;
  append(out, static_cast<std::uint16_t>(header_bytes));
  append(out, static_cast<std::uint16_t>(body.size()));
  for (const std::uint16_t offset : offsets) append(out, offset);
  const auto back = static_cast<std::int32_t>(header_bytes);
  body.replace(0, sizeof back, reinterpret_cast<const char*>(&back), sizeof back);
  out += body;
  for (const Field& field : fields_) {
    if (field.child == nullptr) continue;
    const std::size_t child = field.child->write(out);
    point(out, place + offsets[field.position], child);
  }
  return place;
}

}  // namespace strobe::query
