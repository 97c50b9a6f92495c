// Code that protoc generates, opening an XPlane profile and adding up its events: less than what a
// reader must do. It cannot open files of over 2 GiB.
//
//   rival_xplane FILE.xplane.pb
#include <fcntl.h>
#include <unistd.h>

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <cstdint>
#include <cstdio>
#include <limits>

#include "perf/contest.h"
#include "xplane.pb.h"

namespace strobe::perf {
namespace {

int run(const char* path) {
  const Stopwatch watch;
  const int file = open(path, O_RDONLY);
  if (file < 0) return 3;
  Outcome outcome;
  google::protobuf::Arena arena;  // faster than without, and smaller
  auto& space = *google::protobuf::Arena::CreateMessage<strobe_perf::Space>(&arena);
  bool is_read = false;
  {
    google::protobuf::io::FileInputStream stream(file, 1 << 20);
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
    is_read = space.ParseFromCodedStream(&coded);
    outcome.json_bytes = static_cast<std::uint64_t>(stream.ByteCount());
  }
  close(file);
  std::int64_t total_ps = 0;
  for (const auto& plane : space.planes()) {
    for (const auto& line : plane.lines()) {
      for (const auto& event : line.events()) {
        ++outcome.events;
        total_ps += event.duration_ps();
      }
    }
  }
  outcome.seconds = watch.seconds();
  outcome.cpu_seconds = watch.cpu_seconds();
  if (!is_read) {
    std::fprintf(stderr, "rival_xplane: cannot parse %s\n", path);
    return 3;
  }
  outcome.contestant = "protoc";
  outcome.extra.emplace_back("total_ms", static_cast<double>(total_ps) / 1e9);
  outcome.extra.emplace_back("load_peak_ratio", static_cast<double>(peak_memory_bytes()) /
                                                    static_cast<double>(outcome.json_bytes));
  print(outcome);
  return 0;
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: rival_xplane FILE.xplane.pb\n");
    return 2;
  }
  return strobe::perf::run(argv[1]);
}
