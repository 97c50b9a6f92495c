#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "strobe/wire/run_file_writer.h"
#include "tests/support/temporary_folder.h"

namespace strobe::test {

// A file of a recorded run, row by row. Every call writes one chunk; rows of one kind that belong
// into one chunk are written with rows().
//
//   RunFileSketch run(folder / "process-17.strobe");
//   const auto gemm = run.kernel_shape("gemm", 0, 7);
//   run.work(gemm, 1000, 50, 1);
class RunFileSketch {
 public:
  using Row = std::initializer_list<std::uint64_t>;

  explicit RunFileSketch(const std::filesystem::path& path) {
    std::filesystem::create_directories(path.parent_path());
    if (!writer_.open(path.string())) std::abort();
  }

  wire::RunFileWriter& writer() { return writer_; }
  std::uint64_t text(std::string_view text) { return writer_.text(text); }

  RunFileSketch& fact(std::string_view key, std::string_view value) {
    writer_.fact(key, value);
    return *this;
  }
  // The facts of a process that has ended.
  RunFileSketch& process(std::int64_t id, std::string_view program = "python3") {
    fact(wire::kFactProcess, std::to_string(id)).fact(wire::kFactProgram, program);
    return fact(wire::kFactFinished, "1");
  }
  RunFileSketch& rows(wire::ChunkKind kind, std::initializer_list<Row> all) {
    wire::ChunkRows rows(kind);
    for (const Row& row : all) rows.add(row);
    writer_.write(rows);
    return *this;
  }
  // Whatever follows is numbered from 0 again.
  RunFileSketch& segment() {
    writer_.next_segment();
    threads_ = shapes_ = series_ = 0;
    return *this;
  }

  std::uint64_t thread(std::uint64_t id, std::string_view name = "") {
    rows(wire::ChunkKind::kThreads, {{id, text(name)}});
    return threads_++;
  }
  std::uint64_t shape(wire::ShapeWhat what, std::string_view name, std::uint64_t device,
                      std::uint64_t stream, std::uint64_t graph = 0) {
    rows(wire::ChunkKind::kShapes, {{static_cast<std::uint64_t>(what), text(name), device, 1,
                                     stream, graph, 0, 4, 2, 1, 128, 1, 1, 32, 1024, 512}});
    return shapes_++;
  }
  std::uint64_t kernel_shape(std::string_view name, std::uint64_t device = 0,
                             std::uint64_t stream = 7) {
    return shape(wire::ShapeWhat::kKernel, name, device, stream);
  }
  std::uint64_t series(wire::SeriesOf of, std::uint64_t number, std::uint64_t thread,
                       std::string_view metric, std::string_view key = "", std::int64_t scale = 0) {
    rows(wire::ChunkKind::kSeries, {{static_cast<std::uint64_t>(of), number, thread, text(metric),
                                     text(key), static_cast<std::uint64_t>(scale)}});
    return series_++;
  }

  RunFileSketch& work(std::uint64_t shape, std::uint64_t start_ns, std::uint64_t duration_ns,
                      std::uint64_t correlation = 0) {
    return rows(wire::ChunkKind::kWork, {{shape, start_ns, duration_ns, correlation}});
  }
  RunFileSketch& copy(std::uint64_t shape, std::uint64_t start_ns, std::uint64_t duration_ns,
                      std::uint64_t correlation, std::uint64_t bytes) {
    return rows(wire::ChunkKind::kCopies, {{shape, start_ns, duration_ns, correlation, bytes}});
  }
  RunFileSketch& call(std::uint64_t thread, std::string_view name, std::uint64_t start_ns,
                      std::uint64_t duration_ns, std::uint64_t correlation,
                      std::uint64_t result = 0) {
    return rows(wire::ChunkKind::kCalls,
                {{thread, text(name), start_ns, duration_ns, correlation, result}});
  }
  RunFileSketch& range(std::uint64_t thread, std::string_view name, std::uint64_t start_ns,
                       std::uint64_t duration_ns, wire::RangeWhat what = wire::RangeWhat::kNested) {
    return rows(wire::ChunkKind::kRanges, {{thread, text(name), 0, static_cast<std::uint64_t>(what),
                                            0, start_ns, duration_ns, 0, 0}});
  }
  RunFileSketch& sample(std::uint64_t series, std::uint64_t time_ns, std::int64_t value) {
    return rows(wire::ChunkKind::kSamples, {{series, time_ns, static_cast<std::uint64_t>(value)}});
  }
  RunFileSketch& listed_process(std::uint64_t id, std::uint64_t parent, std::string_view name) {
    return rows(wire::ChunkKind::kProcesses, {{id, parent, text(name), 0}});
  }
  RunFileSketch& wait(std::uint64_t process, std::uint64_t thread, std::uint64_t start_ns,
                      std::uint64_t duration_ns, std::uint64_t other, std::string_view name) {
    return rows(wire::ChunkKind::kWaits,
                {{process, thread, start_ns, duration_ns, other, text(name)}});
  }

  void close() { writer_.close(); }

 private:
  wire::RunFileWriter writer_;
  std::uint64_t threads_ = 0;
  std::uint64_t shapes_ = 0;
  std::uint64_t series_ = 0;
};

// The bytes of a file that `draw` sketches.
template <class Draw>
std::string run_file_bytes(Draw draw) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder / "process-17.strobe";
  {
    RunFileSketch run(path);
    draw(run);
  }
  return testing::bytes_of(path);
}

}  // namespace strobe::test
