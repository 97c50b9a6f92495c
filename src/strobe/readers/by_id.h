#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strobe::readers {

// Values by the ids of a file, which are small numbers in most files and anything in others. Memory
// grows with the number of ids, never with their size.
template <class Value>
class ById {
 public:
  Value& at(std::uint64_t id) {
    if (id < dense_.size()) return dense_[static_cast<std::size_t>(id)];
    if (id > 4 * count_ + 1024) return sparse_[id];
    const std::size_t doubled = std::min(2 * dense_.size(), 4 * count_ + 1024);
    dense_.resize(std::max(static_cast<std::size_t>(id) + 1, doubled));
    // What came before the table had room for it.
    for (auto entry = sparse_.begin(); entry != sparse_.end();) {
      if (entry->first >= dense_.size()) {
        ++entry;
        continue;
      }
      dense_[static_cast<std::size_t>(entry->first)] = std::move(entry->second);
      entry = sparse_.erase(entry);
    }
    return dense_[static_cast<std::size_t>(id)];
  }
  Value& add(std::uint64_t id) {
    ++count_;
    return at(id);
  }
  const Value* find(std::uint64_t id) const {
    if (id < dense_.size()) return &dense_[static_cast<std::size_t>(id)];
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &found->second;
  }

 private:
  std::vector<Value> dense_;
  std::unordered_map<std::uint64_t, Value> sparse_;
  std::size_t count_ = 0;
};

}  // namespace strobe::readers
