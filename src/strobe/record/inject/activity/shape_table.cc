#include "strobe/record/inject/activity/shape_table.h"

#include <cstdio>

#include "strobe/base/hash.h"

namespace strobe::record {

std::size_t ShapeTable::Hash::operator()(const Shape& shape) const noexcept {
  std::uint64_t hash = kFnvStart;
  for (const std::uint64_t value : shape) hash = fnv1a(hash, value);
  return hash ^ (hash >> 32);
}

std::uint64_t ShapeTable::number_of(const Shape& shape) noexcept {
  if (const auto found = numbers_.find(shape); found != numbers_.end()) return found->second;
  if (numbers_.size() == kMostShapes) numbers_.clear();
  new_shapes_.add(shape);
  numbers_.emplace(shape, next_);
  return next_++;
}

void ShapeTable::restart() noexcept {
  next_ = 0;
  numbers_.clear();
  new_shapes_.clear();
}

std::uint64_t NameTexts::text_of(const char* name) noexcept {
  if (name == nullptr) return file_->text("(unnamed)");
  const auto found = known_.find(name);
  if (found != known_.end() && found->second.name == name) return found->second.text;
  if (known_.size() == kMostNames) known_.clear();
  const std::uint64_t text = file_->text(is_redacting_ ? redacted_name(name) : name);
  known_.insert_or_assign(name, Known{name, text});
  return text;
}

std::string redacted_name(std::string_view name) noexcept {
  char text[32];
  std::snprintf(text, sizeof text, "name-%016llx", static_cast<unsigned long long>(fnv1a(name)));
  return text;
}

}  // namespace strobe::record
