// Any bytes as a trace file, and a good file with any edits, both without the checksums that would
// refuse them: a file that is still accepted can be read and summarised.
//
// The first byte of an input chooses. 0: the rest is the file. Else the rest is edits of seven
// bytes each: where (2), how many bytes (1), what (4).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace_builder.h"
#include "strobe/trace/trace_file.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using namespace strobe;

// Something in every column.
Trace some_trace() {
  TraceBuilder builder;
  Track track;
  track.kind = TrackKind::kHostThread;
  track.process = track.thread = builder.intern("1");
  track.process_number = track.thread_number = 1;
  const TrackId host = builder.add_track(track);
  track.kind = TrackKind::kDeviceStream;
  track.device = 0;
  track.thread_name = builder.intern("stream 7");
  const TrackId stream = builder.add_track(track);
  ArgsWriter args;
  const auto add = [&](const char* name, SliceKind kind, TrackId on, std::int64_t start_ns,
                       std::int64_t duration_ns, std::uint32_t correlation, SliceId owner) {
    TraceBuilder::SliceRow row;
    row.start_ns = start_ns;
    row.duration_ns = duration_ns;
    row.name = builder.intern(name);
    row.track = on;
    row.category = builder.category("cat");
    row.kind = kind;
    row.correlation = correlation;
    row.args = args.add(R"({"Input Dims": [[3, 4], [4, 5]], "Concrete Inputs": ["", ""]})");
    builder.nesting_hints().ends_ns.push_back(start_ns + duration_ns);
    builder.nesting_hints().owners.push_back(owner);
    return builder.add_slice(row);
  };
  for (int step = 0; step < 2; ++step) {
    const std::int64_t at = step * 100;
    add("ProfilerStep#1", SliceKind::kStep, host, at, 90, kNoLaunchId, {});
    const SliceId op = add("aten::mm", SliceKind::kOperator, host, at + 5, 30, kNoLaunchId, {});
    const auto id = static_cast<std::uint32_t>(step);
    const SliceId call = add("launch", SliceKind::kRuntimeCall, host, at + 6, 4, id, op);
    add("gemm", SliceKind::kKernel, stream, at + 20, 50, id, call);
    builder.sequences().slices.push_back(op);
    builder.sequences().sequence_numbers.push_back(step);
    builder.sequences().forward_threads.push_back(step);
    builder.instants().times_ns.push_back(at);
    builder.instants().names.push_back(builder.intern("[memory]"));
    builder.instants().tracks.push_back(host);
    builder.instants().categories.push_back(builder.category("instant"));
    builder.instants().args.push_back(args.add("{}"));
    builder.flows().times_ns.push_back(at);
    builder.flows().ids.push_back(7);
    builder.flows().tracks.push_back(host);
    builder.flows().categories.push_back(builder.category("flow"));
    builder.flows().phases.push_back(FlowPhase::kStart);
    builder.counters().times_ns.push_back(at);
    builder.counters().tracks.push_back(host);
    builder.counters().names.push_back(builder.intern("counter"));
    builder.counters().series.push_back(builder.intern("series"));
    builder.counters().values.push_back(0.5);
    MemoryVectors& memory = builder.memory();
    memory.times_ns.push_back(at);
    memory.tracks.push_back(host);
    memory.actions.push_back(MemoryAction::kAllocate);
    memory.places.push_back(builder.intern("Place(gpu:0)"));
    memory.bytes.push_back(512);
    memory.addresses.push_back(4096);
    memory.allocated_bytes.push_back(512);
    memory.reserved_bytes.push_back(1024);
    memory.peak_allocated_bytes.push_back(512);
    memory.peak_reserved_bytes.push_back(1024);
    memory.owners.push_back(op);
  }
  builder.memory().owners_are_known = true;
  builder.metadata().devices.push_back({.id = 0, .name = "device"});
  builder.args() = args.finish();
  return std::move(builder).build();
}

std::string bytes_of_some_file() {
  std::string name = (std::filesystem::temp_directory_path() / "strobe-fuzz-XXXXXX").string();
  FUZZ_CHECK(mkdtemp(name.data()) != nullptr, "there is a folder for temporary files");
  const std::filesystem::path path = std::filesystem::path(name) / "file";
  FUZZ_CHECK(write_trace_file(path, some_trace(), {}, {}), "a small file can be written");
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::filesystem::remove_all(name);
  return bytes;
}

std::string edited(const std::string& file, const std::uint8_t* data, std::size_t size) {
  std::string bytes = file;
  for (; size >= 7; data += 7, size -= 7) {
    std::uint16_t where = 0;
    std::int32_t what = 0;
    std::memcpy(&where, data, 2);
    std::memcpy(&what, data + 3, 4);
    const std::int64_t value = what;
    const std::size_t width = std::size_t{1} << (data[2] & 3);
    const std::size_t offset = where % bytes.size();
    std::memcpy(bytes.data() + offset, &value, std::min(width, bytes.size() - offset));
  }
  return bytes;
}

void use(const TraceFile& file) {
  ArgsReader args(file.trace.args());
  for (std::size_t row = 0; row < file.trace.slice_count(); ++row) {
    FUZZ_CHECK(file.trace.end_ns(SliceId(row)) >= file.trace.start_ns(SliceId(row)),
               "no time overflows");
    (void)file.trace.name(SliceId(row)).size();
    (void)args.text(file.trace.slices().args[row]);
  }
  const auto summary = analysis::summarize(file.trace);
  (void)analysis::find_in(file.trace, summary);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = bytes_of_some_file();
  if (size == 0) return 0;
  const auto bytes = std::make_shared<const std::string>(
      data[0] == 0 ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                   : edited(file, data + 1, size - 1));
  const auto unchecked = read_trace_file(bytes, *bytes, Checksums::kIgnored);
  if (unchecked) use(*unchecked);
  const auto checked = read_trace_file(bytes, *bytes);
  FUZZ_CHECK(!checked || *bytes == file, "a checksum sees every change");
  return 0;
}
