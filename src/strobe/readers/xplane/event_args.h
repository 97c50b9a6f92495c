#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/readers/xplane/plane_names.h"
#include "strobe/trace/ids.h"

namespace strobe::readers::xplane {

// The arguments that were written last, so that events which repeat them share them.
class RecentArgs {
 public:
  ArgsId find(std::uint64_t hash) const {
    const Entry& entry = entries_[hash % kEntries];
    return entry.hash == hash ? entry.args : ArgsId();
  }
  void put(std::uint64_t hash, ArgsId args) { entries_[hash % kEntries] = {hash, args}; }

 private:
  static constexpr std::size_t kEntries = 1 << 15;
  struct Entry {
    std::uint64_t hash = 0;
    ArgsId args;
  };
  std::vector<Entry> entries_{kEntries};
};

// The value of "size:" in "kind_src:device kind_dst:host size:4096 dest:0 async:1"; 0 without one.
std::uint64_t detail_number(std::string_view details, std::string_view key);

// The arguments of an event as a JSON object: its statistics under their own names, those that
// other parts of strobe ask for (grid, block, bytes) as these know them. "" if there are none.
class EventArgs {
 public:
  // `message` is the event or the statistics that all events of its name share.
  void add_stats(std::string_view message, const PlaneNames& plane);
  // Valid until the next begin(). Nothing is added afterwards.
  std::string_view finish();
  void begin() { text_.clear(); }

 private:
  void add(const Stat& stat);
  void add_kernel(std::string_view details);
  void add_bytes(std::string_view details, std::string_view key);
  void key(std::string_view name);
  void key(const StatName& name) { text_ += name.json_key; }
  void member(std::string_view name, std::string_view json);

  std::string text_;  // each member begins with a comma
};

}  // namespace strobe::readers::xplane
