#include "tests/support/trace_text.h"

#include <fmt/format.h>

#include <iterator>

namespace strobe::testing {
namespace {

std::string_view text(const Trace& trace, StringId id) {
  return id.valid() ? trace.strings()[id] : "-";
}

}  // namespace

std::string describe(const Trace& trace) {
  std::string out;
  const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    out += '\n';
  };
  line("dialect {} runtime {} device {}", trace.traits().dialect, trace.traits().runtime_label,
       trace.traits().device_label);
  line("extent {} {}", trace.extent().start_ns, trace.extent().end_ns);
  for (std::size_t i = 0; i < trace.strings().size(); ++i)
    line("string {} {}", i, trace.strings()[StringId(i)]);
  for (const Category& category : trace.categories())
    line("category {}", text(trace, category.name));
  for (const Track& track : trace.tracks()) {
    line("track kind {} {}/{} device {} names {}/{} sort {}", static_cast<int>(track.kind),
         text(trace, track.process), text(trace, track.thread), track.device.value_or(-1),
         text(trace, track.process_name), text(trace, track.thread_name),
         track.sort_index.value_or(-1));
  }
  ArgsReader args(trace.args());
  const auto& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    line("slice {} +{} {} track {} cat {} kind {} flags {} corr {} ext {} {}", s.starts_ns[i],
         s.durations_ns[i], text(trace, s.names[i]), s.tracks[i].value, s.categories[i].value,
         word_of(s.kinds[i]), s.flags[i], s.correlations[i], s.externals[i], args.text(s.args[i]));
  }
  const auto& hints = trace.nesting_hints();
  for (std::size_t i = 0; i < hints.ends_ns.size(); ++i) line("nests until {}", hints.ends_ns[i]);
  for (std::size_t i = 0; i < hints.owners.size(); ++i) line("owner {}", hints.owners[i].value);
  const auto& q = trace.sequences();
  for (std::size_t i = 0; i < q.slices.size(); ++i) {
    line("sequence {} {} {}", q.slices[i].value, q.sequence_numbers[i], q.forward_threads[i]);
  }
  const auto& f = trace.flows();
  for (std::size_t i = 0; i < f.size(); ++i) {
    line("flow {} {} track {} cat {} {}", f.times_ns[i], f.ids[i], f.tracks[i].value,
         f.categories[i].value, static_cast<int>(f.phases[i]));
  }
  const auto& n = trace.instants();
  for (std::size_t i = 0; i < n.size(); ++i) {
    line("instant {} {} track {} cat {} {}", n.times_ns[i], text(trace, n.names[i]),
         n.tracks[i].value, n.categories[i].value, args.text(n.args[i]));
  }
  const auto& c = trace.counters();
  for (std::size_t i = 0; i < c.size(); ++i) {
    line("counter {} track {} {}.{} {}", c.times_ns[i], c.tracks[i].value, text(trace, c.names[i]),
         text(trace, c.series[i]), c.values[i]);
  }
  const auto& m = trace.memory();
  for (std::size_t i = 0; i < m.size(); ++i) {
    line("memory {} track {} {} {} {} {:#x} {} {} {} {} owner {}", m.times_ns[i], m.tracks[i].value,
         static_cast<int>(m.actions[i]), text(trace, m.places[i]), m.bytes[i], m.addresses[i],
         m.allocated_bytes[i], m.reserved_bytes[i], m.peak_allocated_bytes[i],
         m.peak_reserved_bytes[i], m.owners[i].value);
  }
  for (const auto& [key, json] : trace.metadata().members) line("member {} {}", key, json);
  return out;
}

std::string describe(const ImportReport& report) {
  std::string out;
  for (const auto& [key, count] : report.events) {
    out += fmt::format("{} '{}' {}\n", static_cast<int>(key.first), key.second, count);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(ImportIssue::kCount_); ++i) {
    const auto issue = static_cast<ImportIssue>(i);
    if (report[issue].count == 0) continue;
    out += fmt::format("{} {}\n", word_of(issue), report[issue].count);
    for (const ImportExample& example : report[issue].examples) {
      out += fmt::format("  byte {} {}\n", example.byte_offset, example.detail);
    }
  }
  return out;
}

}  // namespace strobe::testing
