#include "strobe/record/sampler/switch_ring.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <optional>

namespace strobe::record {
namespace {

// What the kernel appends to each record, in this order, for switch_event_attributes().
struct SampleIdentity {
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t time_ns;
  std::uint32_t core;
  std::uint32_t reserved;
};
static_assert(sizeof(SampleIdentity) == 24);

// PERF_RECORD_SWITCH_CPU_WIDE has these two before it.
struct OtherThread {
  std::uint32_t process;
  std::uint32_t thread;
};

struct LostRecords {
  std::uint64_t event;
  std::uint64_t count;
};

template <class T>
std::optional<T> read_as(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::optional<SwitchRecord> decode_switch(const perf_event_header& header,
                                          std::span<const std::byte> body) {
  const bool has_other = header.type == PERF_RECORD_SWITCH_CPU_WIDE;
  const std::size_t other_bytes = has_other ? sizeof(OtherThread) : 0;
  if (body.size() < other_bytes) return std::nullopt;
  const auto identity = read_as<SampleIdentity>(body.subspan(other_bytes));
  if (!identity) return std::nullopt;
  SwitchRecord record;
  record.time_ns = static_cast<std::int64_t>(identity->time_ns);
  record.core = identity->core;
  record.process = static_cast<pid_t>(identity->process);
  record.thread = static_cast<pid_t>(identity->thread);
  record.other_process =
      has_other ? static_cast<pid_t>(read_as<OtherThread>(body)->process) : pid_t{-1};
  record.is_out = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
  record.is_ready = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
  return record;
}

}  // namespace

perf_event_attr switch_event_attributes() {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.context_switch = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.exclude_kernel = 1;  // needs less permission, and switches are recorded all the same
  attributes.exclude_hv = 1;
  return attributes;
}

std::span<const std::byte> SwitchRing::bytes_at(std::uint64_t position, std::size_t size,
                                                std::vector<std::byte>& joined) const {
  const std::size_t at = position % data_.size();
  const std::size_t until_end = data_.size() - at;
  if (size <= until_end) return data_.subspan(at, size);
  joined.assign(data_.begin() + static_cast<std::ptrdiff_t>(at), data_.end());
  const std::span<const std::byte> rest = data_.first(std::min(size - until_end, at));
  joined.insert(joined.end(), rest.begin(), rest.end());
  return joined;
}

std::uint64_t SwitchRing::take(std::vector<SwitchRecord>& records) {
  const std::uint64_t head = std::atomic_ref(control_->data_head).load(std::memory_order_acquire);
  std::uint64_t tail = control_->data_tail;
  std::uint64_t lost = 0;
  std::vector<std::byte> joined;
  while (tail < head) {
    const auto header =
        read_as<perf_event_header>(bytes_at(tail, sizeof(perf_event_header), joined));
    if (!header || header->size < sizeof *header || header->size > head - tail) {
      tail = head;  // not a record: the rest cannot be told apart
      ++lost;
      break;
    }
    const auto body = bytes_at(tail, header->size, joined).subspan(sizeof *header);
    tail += header->size;
    if (header->type == PERF_RECORD_LOST) {
      const auto losses = read_as<LostRecords>(body);
      lost += losses ? losses->count : 1;
    } else if (header->type == PERF_RECORD_SWITCH || header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
      if (const auto record = decode_switch(*header, body)) records.push_back(*record);
    }
  }
  std::atomic_ref(control_->data_tail).store(tail, std::memory_order_release);
  return lost;
}

}  // namespace strobe::record
