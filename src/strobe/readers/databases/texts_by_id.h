#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/readers/databases/event_tables.h"

namespace strobe::readers {

inline constexpr std::string_view kUnknownText = "(lost name)";

// The texts of a database, to which other tables refer by ids: a copy of its table. They become
// names of the trace only when an event has them, for the table also holds what a program printed.
class TextsById {
 public:
  static constexpr std::uint32_t kUnknown = 0;

  // The table has the columns `id` and `text`.
  TextsById(EventTables& tables, std::string_view table, std::string_view id,
            std::string_view text);

  // The number of a text, by which its facts can be listed; kUnknown if there is none.
  std::uint32_t number_of(std::int64_t id) const {
    if (!by_id_.empty()) {
      return id >= 0 && static_cast<std::uint64_t>(id) < by_id_.size()
                 ? by_id_[static_cast<std::size_t>(id)]
                 : kUnknown;
    }
    const auto found = scattered_.find(id);
    return found == scattered_.end() ? kUnknown : found->second;
  }
  std::string_view text(std::uint32_t number) const {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(all_).substr(begin, ends_[number] - begin);
  }
  std::string_view text_of(std::int64_t id) const { return text(number_of(id)); }
  std::size_t size() const { return ends_.size(); }

 private:
  void number(const std::vector<std::int64_t>& ids);

  std::string all_;
  std::vector<std::size_t> ends_;  // in all_, by number
  // One of them: ids are dense, except in parts of a database that somebody has cut out.
  std::vector<std::uint32_t> by_id_;
  std::unordered_map<std::int64_t, std::uint32_t> scattered_;
};

// A value for each text, made when it is first asked for: what a name says about an event.
template <class Value>
class PerText {
 public:
  explicit PerText(const TextsById& texts) : texts_(texts), values_(texts.size()) {}

  template <class Make>
  const Value& find(std::int64_t id, ImportReport& report, Make make) {
    const std::uint32_t number = texts_.number_of(id);
    Entry& entry = values_[number];
    if (!entry.is_made) [[unlikely]] {
      if (number == TextsById::kUnknown) report.add(ImportIssue::kLostName, 0);
      entry = {make(texts_.text(number)), true};
    }
    return entry.value;
  }

 private:
  struct Entry {
    Value value = {};
    bool is_made = false;
  };
  const TextsById& texts_;
  std::vector<Entry> values_;
};

}  // namespace strobe::readers
