// strobe's own loader as a contestant.
//
//   load_strobe TRACE [--core | --args] [--threads N] [--loops NAME] [--summary]
//               [--store DIR | --cached DIR]
//   load_strobe --list-loops
//
// --loops: one of those that --list-loops prints, else the fastest that this processor can run.
// --core loads the core columns only, --args (the default) keeps every argument. --summary also
// times summarize() on the loaded trace. --store puts the trace into a cache, after the time was
// taken; --cached opens it from there and fails if it is not there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>

#include "perf/contest.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/base/memory.h"
#include "strobe/readers/layout_loops.h"
#include "strobe/readers/trace_cache.h"

namespace strobe::perf {
namespace {

struct Flags {
  std::string path;
  bool keep_args = true;
  unsigned threads = 1;
  const readers::LayoutLoops* loops = nullptr;
  bool summary = false;
  bool must_be_cached = false;
  readers::CacheOptions cache;
};

const readers::LayoutLoops* loops_named(std::string_view name) {
  for (const readers::LayoutLoops& loops : readers::layout_loops()) {
    if (loops.name == name) return &loops;
  }
  return nullptr;
}

std::optional<Flags> flags_of(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--core") {
      flags.keep_args = false;
    } else if (flag == "--args") {
      flags.keep_args = true;
    } else if (flag == "--summary") {
      flags.summary = true;
    } else if (flag == "--threads" && i + 1 < argc) {
      flags.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (flag == "--loops" && i + 1 < argc) {
      flags.loops = loops_named(argv[++i]);
      if (flags.loops == nullptr) return std::nullopt;
    } else if ((flag == "--store" || flag == "--cached") && i + 1 < argc) {
      flags.must_be_cached = flag == "--cached";
      flags.cache.folder = argv[++i];
    } else if (!flag.starts_with("--") && flags.path.empty()) {
      flags.path = flag;
    } else {
      return std::nullopt;
    }
  }
  if (flags.path.empty()) return std::nullopt;
  return flags;
}

Checksum checksum_of(const Trace& trace) {
  std::vector<std::uint64_t> hashes(trace.strings().size());
  for (std::size_t id = 0; id < hashes.size(); ++id) {
    hashes[id] = Checksum::hash_of(trace.strings()[StringId(id)]);
  }
  const SliceColumns& slices = trace.slices();
  Checksum checksum;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    checksum.add(hashes[slices.names[row].index()], slices.starts_ns[row],
                 slices.durations_ns[row]);
    if (slices.correlations[row] != kNoLaunchId) checksum.add_correlation(slices.correlations[row]);
    if (slices.externals[row] != kNoLaunchId) checksum.add_external(slices.externals[row]);
  }
  return checksum;
}

template <class Table>
std::size_t bytes_of(const Table& table) {
  return std::apply([](const auto&... columns) { return (columns.bytes() + ... + std::size_t{0}); },
                    columns_of(table));
}

// What the trace itself needs: the rest of the memory is that of reading.
std::size_t bytes_of_trace(const Trace& trace) {
  return bytes_of(trace.slices()) + bytes_of(trace.sequences()) + bytes_of(trace.instants()) +
         bytes_of(trace.flows()) + bytes_of(trace.counters()) + bytes_of(trace.memory()) +
         trace.args().bytes() + trace.strings().bytes();
}

int run(const Flags& flags) {
  readers::LoadOptions options;
  options.threads = flags.threads;
  options.keep_args = flags.keep_args;
  options.layout_loops = flags.loops;
  const Stopwatch load_watch;
  auto loaded = readers::read_trace_cached(flags.path, options, flags.cache);
  Outcome outcome;
  outcome.seconds = load_watch.seconds();
  outcome.cpu_seconds = load_watch.cpu_seconds();
  if (!loaded) {
    std::fprintf(stderr, "load_strobe: %s: %s\n", loaded.error().where.c_str(),
                 loaded.error().what.c_str());
    return 3;
  }
  const auto stored = readers::store_trace(*loaded, flags.cache);
  if (!stored || (flags.must_be_cached && !loaded->is_from_cache)) {
    std::fprintf(stderr, "load_strobe: %s\n", stored ? "not cached" : stored.error().what.c_str());
    return 3;
  }
  const double load_peak = static_cast<double>(peak_memory_bytes());
  outcome.contestant = flags.keep_args ? "strobe, args" : "strobe, core";
  outcome.contestant +=
      ", " + std::to_string(flags.threads) + (flags.threads == 1 ? " thread" : " threads");
  outcome.json_bytes = loaded->report.text_bytes;
  outcome.events = loaded->report.event_count;
  outcome.checksum = checksum_of(loaded->trace);
  outcome.extra.emplace_back("load_peak_ratio",
                             load_peak / static_cast<double>(outcome.json_bytes));
  outcome.extra.emplace_back("load_peak_bytes", load_peak);
  outcome.extra.emplace_back("trace_bytes", static_cast<double>(bytes_of_trace(loaded->trace)));
  for (const readers::LoadStage& stage : loaded->stages) {
    std::string key = "stage_" + stage.name;
    std::replace(key.begin(), key.end(), ' ', '_');
    outcome.extra.emplace_back(key, stage.seconds);
  }
  if (flags.summary) {
    const Stopwatch summary_watch;
    keep_freed_memory(analysis::bytes_to_summarize(loaded->trace));  // as the command does
    const analysis::Summary summary = analysis::summarize(loaded->trace);
    outcome.extra.emplace_back("summary_seconds", summary_watch.seconds());
    outcome.extra.emplace_back("summary_total_ns", static_cast<double>(summary.total_ns));
  }
  print(outcome);
  return 0;
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list-loops") {
    for (const auto& loops : strobe::readers::layout_loops()) {
      std::printf("%.*s\n", static_cast<int>(loops.name.size()), loops.name.data());
    }
    return 0;
  }
  const auto flags = strobe::perf::flags_of(argc, argv);
  if (!flags) {
    std::fprintf(stderr,
                 "usage: load_strobe TRACE [--core | --args] [--threads N] [--loops NAME] "
                 "[--summary] [--store DIR | --cached DIR]\n"
                 "       load_strobe --list-loops\n");
    return 2;
  }
  return strobe::perf::run(*flags);
}
