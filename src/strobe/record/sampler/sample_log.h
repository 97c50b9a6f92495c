#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/base/id.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// A place in the log: once a series is forgotten, another one may get it.
struct SeriesTag;
using SeriesId = Id<SeriesTag>;

// What is sampled: "gpu_power_mw" of device 0, "on_cpu_pct" of a thread.
struct SeriesName {
  wire::SeriesOf of = wire::SeriesOf::kMachine;
  std::uint64_t number = 0;  // the device's index, or the process's id
  std::uint64_t thread = 0;
  std::string metric;
  std::string key = {};  // "" unless several things have this metric: "python3 (4711)"
  int scale = 0;         // a sample counts 10 to the power of this

  auto operator<=>(const SeriesName&) const = default;
};

// Samples on their way into the file of a run.
class SampleLog {
 public:
  explicit SampleLog(wire::RunFileWriter& file) : file_(file) {}

  SeriesId series(const SeriesName& name);  // finds or defines
  void add(SeriesId series, std::int64_t time_ns, std::int64_t value);
  void add(const SeriesName& name, std::int64_t time_ns, std::int64_t value) {
    add(series(name), time_ns, value);
  }
  // What had these series has ended. Who gets its number later has series of its own; the ids of
  // the old ones must not be used any more.
  void forget(wire::SeriesOf of, std::uint64_t number, std::uint64_t thread);

  wire::RunFileWriter& file() { return file_; }
  // Writes what was added since the last time: about once a second keeps chunks small in number.
  void flush();
  // The file has started again from 0 (RunFileWriter::next_file): series are defined again.
  void restart();

 private:
  struct Sample {
    std::int64_t time_ns;
    std::int64_t value;
  };
  struct Place {
    std::uint64_t number = 0;  // of the series in the file
    std::vector<Sample> samples;
  };

  SeriesId take_place();

  wire::RunFileWriter& file_;
  std::map<SeriesName, SeriesId> ids_;
  std::vector<Place> places_;
  std::vector<SeriesId> with_samples_;  // those that have new ones
  std::vector<SeriesId> forgotten_;     // free once their last samples are written
  std::vector<SeriesId> free_;
  std::uint64_t next_number_ = 0;
  wire::ChunkRows new_series_{wire::ChunkKind::kSeries};
};

}  // namespace strobe::record
