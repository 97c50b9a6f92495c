#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strobe/readers/xplane/plane_names.h"
#include "strobe/trace/slice_kind.h"

namespace strobe::readers::xplane {

// What an event says about an allocator. -1 if it does not.
struct Allocation {
  std::string_view allocator;
  std::int64_t allocated_bytes = -1;
  std::int64_t reserved_bytes = -1;
  std::int64_t peak_bytes = -1;
  std::int64_t block_bytes = -1;
  std::uint64_t address = 0;
};

struct Event {
  std::uint64_t metadata_id = 0;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool has_more = false;  // than these: without, all that follows is as in a new event
  bool has_no_time = false;
  bool has_args = false;
  std::uint64_t args_hash = 0;  // of the statistics that become arguments, as in the file
  std::uint64_t correlation = 0;
  bool has_correlation = false;
  SliceKind work = SliceKind::kKernel;
  bool is_operator = false;
  bool has_allocation = false;  // allocation() of the reader
  std::optional<std::int64_t> step;
  std::uint64_t producer_type = 0, consumer_type = 0;
  std::optional<std::uint64_t> producer, consumer;

  // As if it were new. PERF: for `event = {}`, a compiler takes an instruction that needs as long
  // to begin as all of this.
  void clear() {
    metadata_id = 0;
    offset_ps = 0;
    duration_ps = 0;
    if (!has_more) return;
    has_more = false;
    has_no_time = false;
    has_args = false;
    args_hash = 0;
    correlation = 0;
    has_correlation = false;
    work = SliceKind::kKernel;
    is_operator = false;
    has_allocation = false;
    step.reset();
    producer_type = 0;
    consumer_type = 0;
    producer.reset();
    consumer.reset();
  }
};

// Takes from the bytes of an event what the columns need, in one pass. Of a statistic that is only
// an argument nothing but its metadata id is read.
class EventReader {
 public:
  // Without `keeps_args`, arguments have no hash.
  explicit EventReader(bool keeps_args) : keeps_args_(keeps_args) {}

  void begin_plane(const PlaneNames& names) { names_ = &names; }

  // False if the fields of the event do not fit. kProtobufSlack bytes lie behind the message.
  bool read(std::string_view message, Event& event);
  // Of the event that was read last, if it has one.
  const Allocation& allocation() const { return allocation_; }

 private:
  // What stands behind the numbers that an event mostly begins with.
  bool read_rest(const char* p, const char* end, Event& event);
  // What the statistic is for; whether it becomes an argument.
  bool take_stat(std::string_view message, Event& event);
  // `value` is the part of the message behind the id, if that comes first.
  bool take_known_stat(const StatName& name, std::string_view value, std::string_view message,
                       Event& event);
  std::uint64_t number_of(std::string_view value, std::string_view message) const;
  std::string_view text_of(std::string_view value, std::string_view message) const;
  Allocation& allocation_of(Event& event);

  bool keeps_args_;
  const PlaneNames* names_ = nullptr;
  Allocation allocation_;
};

}  // namespace strobe::readers::xplane
