// Any bytes as a file of a recorded run, and a good file with any edits, whose checksums are made
// to fit: reading ends, and what is read can be summarised.
//
// The first byte of an input chooses. 0: the rest is the file. Else the rest is edits of six bytes
// each: which chunk (1), where in it (2), what (2), how (1).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/readers/metric_samples.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/wire/chunk_checksum.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/run_file_sketch.h"

namespace {

using namespace strobe;
using wire::ChunkKind;

// A chunk of every kind, in two segments.
std::string some_run_file() {
  return test::run_file_bytes([](test::RunFileSketch& run) {
    for (std::uint64_t window = 0; window < 2; ++window) {
      const std::uint64_t start = 1000 + 10'000 * window;
      run.process(17).fact("device.0.name", "device").fact("clock", "5000");
      const auto main = run.thread(21, "main");
      const auto copy = run.shape(wire::ShapeWhat::kCopy, "Memcpy HtoD", 0, 7);
      run.range(main, "aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]", start + 10, 50)
          .range(main, "ProfilerStep#1", start, 900)
          .range(main, "request", start, 500, wire::RangeWhat::kFree)
          .range(main, "here", start, 0, wire::RangeWhat::kMark)
          .call(main, "cudaLaunchKernel", start + 20, 10, 1)
          .call(main, "cudaMemcpyAsync", start + 70, 10, 2)
          .work(run.kernel_shape("gemm"), start + 50, 300, 1)
          .work(run.shape(wire::ShapeWhat::kGraph, "", 0, 7, 42), start + 400, 20, 2)
          .copy(copy, start + 500, 30, 2, 4096)
          .rows(ChunkKind::kSyncs, {{run.text("Stream Sync"), 1, 7, start + 600, 50, 3}})
          .rows(ChunkKind::kAllocations, {{start, 0, 0, run.text("device"), 4096, 512, 1}})
          .listed_process(17, 1, "python3")
          .wait(17, 21, start + 5, 5, 99, "cc1");
      const auto reasons = run.series(wire::SeriesOf::kDevice, 0, 0, "gpu_throttle_reasons");
      const auto memory = run.series(wire::SeriesOf::kProcess, 17, 0, "process_rss_bytes", "", -2);
      run.sample(reasons, start, 4).sample(reasons, start + 100, 0).sample(memory, start, 77);
      run.writer().note(wire::NoteWhat::kDropped, "no room", 5);
      run.segment();
    }
  });
}

std::vector<std::uint64_t> offsets_of_chunks(const std::string& file) {
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  std::vector<std::uint64_t> offsets;
  while (const auto chunk = cursor.next()) offsets.push_back(chunk->offset);
  return offsets;
}

// The checksum of a chunk as far as its header tells its length.
void seal(std::string& file, std::uint64_t offset) {
  wire::ChunkHeader header = {};
  std::memcpy(&header, file.data() + offset, sizeof header);
  const std::size_t payload = offset + sizeof header;
  if (header.payload_bytes > file.size() - payload) return;
  header.checksum = wire::chunk_checksum(
      header, {reinterpret_cast<const std::uint8_t*>(file.data()) + payload, header.payload_bytes});
  std::memcpy(file.data() + offset, &header, sizeof header);
}

std::string edited_run_file(const std::string& file, const std::vector<std::uint64_t>& offsets,
                            const std::uint8_t* data, std::size_t size) {
  std::string bytes = file;
  for (; size >= 6; data += 6, size -= 6) {
    const std::uint64_t chunk = offsets[data[0] % offsets.size()];
    std::uint16_t where = 0;
    std::uint16_t what = 0;
    std::memcpy(&where, data + 1, sizeof where);
    std::memcpy(&what, data + 3, sizeof what);
    const std::size_t at = chunk + where % 256;
    if (at + sizeof what > bytes.size()) continue;
    const std::int64_t value = static_cast<std::int16_t>(what);
    const std::size_t width = std::size_t{1} << (data[5] & 3);
    std::memcpy(bytes.data() + at, &value, std::min(width, bytes.size() - at));
  }
  for (const std::uint64_t offset : offsets) seal(bytes, offset);
  return bytes;
}

void use_run(const readers::LoadedTrace& loaded) {
  const Trace& trace = loaded.trace;
  ArgsReader args(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    FUZZ_CHECK(trace.end_ns(SliceId(row)) >= trace.start_ns(SliceId(row)), "no time overflows");
    FUZZ_CHECK(trace.slices().names[row].index() < trace.strings().size(), "names are there");
    FUZZ_CHECK(trace.slices().tracks[row].index() < trace.tracks().size(), "tracks are there");
    (void)args.text(trace.slices().args[row]);
  }
  (void)readers::counter_series(trace);
  const auto summary = analysis::summarize(trace);
  (void)analysis::find_in(trace, summary);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = some_run_file();
  static const std::vector<std::uint64_t> offsets = offsets_of_chunks(good);
  if (size == 0 || size > kMostBytes) return 0;
  const std::string bytes = data[0] == 0
                                ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                                : edited_run_file(good, offsets, data + 1, size - 1);
  if (!wire::begins_like_run_file(bytes)) return 0;
  const auto loaded = readers::read_trace_bytes(bytes, "run");
  if (loaded) use_run(*loaded);
  return 0;
}
