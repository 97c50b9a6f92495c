#include "strobe/record/sampler/series_writer.h"

#include <cmath>

namespace strobe::record {

void SeriesWriter::put(const SeriesOwner& owner, Series& series, std::int64_t time_ns,
                       std::int64_t value) {
  if (is_new(series)) {
    series.part = part_;
    series.id = log_.series({.of = owner.of,
                             .number = static_cast<std::uint64_t>(owner.process),
                             .thread = static_cast<std::uint64_t>(owner.thread),
                             .metric = series.metric,
                             .key = series.key,
                             .scale = series.scale});
  }
  series.last_value = value;
  log_.add(series.id, time_ns, value);
}

void SeriesWriter::put_change(const SeriesOwner& owner, Series& series, std::int64_t time_ns,
                              std::int64_t value) {
  if (is_new(series) || series.last_value != value) put(owner, series, time_ns, value);
}

void SeriesWriter::put_activity(const SeriesOwner& owner, Series& series, std::int64_t time_ns,
                                std::int64_t value) {
  if (value != 0 || series.last_value != 0) put(owner, series, time_ns, value);
}

void SeriesWriter::forget(const SeriesOwner& owner) {
  log_.forget(owner.of, static_cast<std::uint64_t>(owner.process),
              static_cast<std::uint64_t>(owner.thread));
}

void SeriesWriter::process(pid_t id, pid_t parent, std::string_view name, bool is_foreign) {
  processes_.add({static_cast<std::uint64_t>(id), static_cast<std::uint64_t>(parent),
                  log_.file().text(name), is_foreign ? 1u : 0u});
}

void SeriesWriter::thread(pid_t id, std::string_view name) {
  threads_.add({static_cast<std::uint64_t>(id), log_.file().text(name)});
}

void SeriesWriter::flush_names() {
  if (processes_.rows() > 0) log_.file().write(processes_);
  if (threads_.rows() > 0) log_.file().write(threads_);
}

std::int64_t tenths_of_percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return 0;
  return std::llround(static_cast<double>(part) * 1000 / static_cast<double>(whole));
}

}  // namespace strobe::record
