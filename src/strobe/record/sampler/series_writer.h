#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/record/sampler/sample_log.h"

namespace strobe::record {

// A series of the sampler: defined in the log when its first value is written.
struct Series {
  const char* metric = "";
  int scale = 0;  // -1: values are tenths
  std::string key = {};

  SeriesId id = {};
  unsigned part = 0;  // of the log in which the id holds
  std::int64_t last_value = 0;
};

// Whose series: a thread, a process, the machine.
struct SeriesOwner {
  wire::SeriesOf of = wire::SeriesOf::kMachine;
  pid_t process = 0;
  pid_t thread = 0;
};

// Writes samples of the machine, of processes and threads, and the names of the latter two.
class SeriesWriter {
 public:
  explicit SeriesWriter(SampleLog& log) : log_(log) {}

  void put(const SeriesOwner& owner, Series& series, std::int64_t time_ns, std::int64_t value);
  // Nothing if the value is as before.
  void put_change(const SeriesOwner& owner, Series& series, std::int64_t time_ns,
                  std::int64_t value);
  // Nothing if the value is 0 and was 0: whatever follows a 0 is 0 until the next sample.
  void put_activity(const SeriesOwner& owner, Series& series, std::int64_t time_ns,
                    std::int64_t value);
  // The owner has ended: nothing more is put into its series.
  void forget(const SeriesOwner& owner);

  void process(pid_t id, pid_t parent, std::string_view name, bool is_foreign);
  void thread(pid_t id, std::string_view name);
  void note(wire::NoteWhat what, std::string_view text) { log_.file().note(what, text); }
  // Writes the names that were given since the last time.
  void flush_names();

  // The file has started again (SampleLog::restart): series and names must be written again.
  void restart() { ++part_; }
  // Counts the restarts, from 1.
  unsigned part() const { return part_; }

 private:
  bool is_new(const Series& series) const { return series.part != part_; }

  SampleLog& log_;
  unsigned part_ = 1;
  wire::ChunkRows processes_{wire::ChunkKind::kProcesses};
  wire::ChunkRows threads_{wire::ChunkKind::kThreads};
};

// Part of a whole in tenths of a percent, rounded.
std::int64_t tenths_of_percent(std::int64_t part, std::int64_t whole);

}  // namespace strobe::record
