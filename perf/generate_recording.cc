// Makes a large recording from a real trace: its kernels, calls into the runtime and operators (as
// ranges), repeated with later times and ids of their own.
//
//   strobe_generate_recording TRACE OUT.strobe --times N [--ranges]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "strobe/readers/trace_reader.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::perf {
namespace {

using wire::ChunkKind;

constexpr std::uint32_t kChunkRows = 16'384;
constexpr std::int64_t kFirstStart_ns = 1'000'000'000;

class Recording {
 public:
  Recording(const Trace& trace, wire::RunFileWriter& writer) : trace_(trace), writer_(writer) {}

  void write(int times, bool with_ranges) {
    writer_.fact(wire::kFactProcess, "17");
    writer_.fact(wire::kFactProgram, "python3");
    const Interval extent = trace_.extent();
    for (int time = 0; time < times; ++time) {
      shift_ns_ = kFirstStart_ns - extent.start_ns + time * extent.length_ns();
      first_correlation_ = static_cast<std::uint64_t>(time) * ids_of_one();
      for (std::size_t row = 0; row < trace_.slice_count(); ++row) add(row, with_ranges);
    }
    for (wire::ChunkRows* rows : {&work_, &calls_, &ranges_}) writer_.write(*rows);
    writer_.fact(wire::kFactFinished, "1");
    writer_.close();
  }

 private:
  std::uint64_t ids_of_one() const {
    std::uint64_t highest = 0;
    for (const std::uint32_t id : trace_.slices().correlations) {
      if (id != kNoLaunchId) highest = std::max<std::uint64_t>(highest, id);
    }
    return highest + 1;
  }

  void add(std::size_t row, bool with_ranges) {
    const SliceColumns& slices = trace_.slices();
    const std::string_view name = trace_.strings()[slices.names[row]];
    const auto start = static_cast<std::uint64_t>(slices.starts_ns[row] + shift_ns_);
    const auto duration = static_cast<std::uint64_t>(slices.durations_ns[row]);
    const std::uint64_t correlation =
        slices.correlations[row] == kNoLaunchId ? 0 : first_correlation_ + slices.correlations[row];
    if (slices.kinds[row] == SliceKind::kKernel) {
      put(work_, {shape(name, slices.tracks[row]), start, duration, correlation});
    } else if (slices.kinds[row] == SliceKind::kRuntimeCall) {
      put(calls_,
          {thread(slices.tracks[row]), writer_.text(name), start, duration, correlation, 0});
    } else if (with_ranges && slices.kinds[row] == SliceKind::kOperator) {
      const auto nested = static_cast<std::uint64_t>(wire::RangeWhat::kNested);
      put(ranges_,
          {thread(slices.tracks[row]), writer_.text(name), 0, nested, 0, start, duration, 0, 0});
    }
  }

  void put(wire::ChunkRows& rows, std::initializer_list<std::uint64_t> values) {
    rows.add(values);
    if (rows.rows() == kChunkRows) writer_.write(rows);
  }

  std::uint64_t shape(std::string_view name, TrackId track) {
    const auto [entry, is_new] =
        shapes_.try_emplace({writer_.text(name), track.index()}, shapes_.size());
    if (is_new) {
      wire::ChunkRows rows(ChunkKind::kShapes);
      rows.add({static_cast<std::uint64_t>(wire::ShapeWhat::kKernel), entry->first.first, 0, 1,
                track.index(), 0, 0, 4, 2, 1, 128, 1, 1, 32, 1024, 512});
      writer_.write(rows);
    }
    return entry->second;
  }

  std::uint64_t thread(TrackId track) {
    const auto [entry, is_new] = threads_.try_emplace(track.index(), threads_.size());
    if (is_new) {
      wire::ChunkRows rows(ChunkKind::kThreads);
      rows.add({track.index() + 100, writer_.text("")});
      writer_.write(rows);
    }
    return entry->second;
  }

  const Trace& trace_;
  wire::RunFileWriter& writer_;
  std::int64_t shift_ns_ = 0;
  std::uint64_t first_correlation_ = 0;
  std::map<std::pair<std::uint64_t, std::size_t>, std::uint64_t> shapes_;  // by name and stream
  std::map<std::size_t, std::uint64_t> threads_;
  wire::ChunkRows work_{ChunkKind::kWork};
  wire::ChunkRows calls_{ChunkKind::kCalls};
  wire::ChunkRows ranges_{ChunkKind::kRanges};
};

int run(const std::string& from, const std::string& to, int times, bool with_ranges) {
  const auto loaded = readers::read_trace(from, {});
  wire::RunFileWriter writer;
  if (!loaded || !writer.open(to)) {
    std::fprintf(stderr, "strobe_generate_recording: %s cannot be read, or %s exists\n",
                 from.c_str(), to.c_str());
    return 3;
  }
  Recording(loaded->trace, writer).write(times, with_ranges);
  return 0;
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  if (argc < 5 || std::string_view(argv[3]) != "--times") {
    std::fprintf(stderr,
                 "usage: strobe_generate_recording TRACE OUT.strobe --times N [--ranges]\n");
    return 2;
  }
  return strobe::perf::run(argv[1], argv[2], std::atoi(argv[4]), argc > 5);
}
