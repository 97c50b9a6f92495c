#include "strobe/record/sampler/sample_log.h"

namespace strobe::record {

SeriesId SampleLog::series(const SeriesName& name) {
  const auto [entry, is_new] =
      ids_.try_emplace(name, SeriesId(static_cast<std::uint32_t>(ids_.size())));
  if (is_new) {
    samples_.emplace_back();
    new_series_.add({static_cast<std::uint64_t>(name.of), name.number, name.thread,
                     file_.text(name.metric), file_.text(name.key),
                     static_cast<std::uint64_t>(static_cast<std::int64_t>(name.scale))});
  }
  return entry->second;
}

void SampleLog::add(SeriesId series, std::int64_t time_ns, std::int64_t value) {
  samples_[series.index()].push_back({time_ns, value});
}

void SampleLog::flush() {
  file_.write(new_series_);
  wire::ChunkRows rows(wire::ChunkKind::kSamples);
  for (std::size_t series = 0; series < samples_.size(); ++series) {
    for (const Sample& sample : samples_[series]) {
      rows.add({series, static_cast<std::uint64_t>(sample.time_ns),
                static_cast<std::uint64_t>(sample.value)});
    }
    samples_[series].clear();
  }
  file_.write(rows);
}

void SampleLog::restart() {
  ids_.clear();
  samples_.clear();
  new_series_.clear();
}

}  // namespace strobe::record
