#include "strobe/record/sampler/sample_log.h"

#include <algorithm>

namespace strobe::record {

SeriesId SampleLog::series(const SeriesName& name) {
  const auto [entry, is_new] = ids_.try_emplace(name);
  if (is_new) {
    entry->second = take_place();
    new_series_.add({static_cast<std::uint64_t>(name.of), name.number, name.thread,
                     file_.text(name.metric), file_.text(name.key),
                     static_cast<std::uint64_t>(static_cast<std::int64_t>(name.scale))});
  }
  return entry->second;
}

SeriesId SampleLog::take_place() {
  if (free_.empty()) {
    free_.emplace_back(places_.size());
    places_.emplace_back();
  }
  const SeriesId place = free_.back();
  free_.pop_back();
  places_[place.index()].number = next_number_++;
  return place;
}

void SampleLog::add(SeriesId series, std::int64_t time_ns, std::int64_t value) {
  std::vector<Sample>& samples = places_[series.index()].samples;
  if (samples.empty()) with_samples_.push_back(series);
  samples.push_back({time_ns, value});
}

void SampleLog::forget(wire::SeriesOf of, std::uint64_t number, std::uint64_t thread) {
  const auto is_of_it = [&](const SeriesName& name) {
    return name.of == of && name.number == number && name.thread == thread;
  };
  auto entry = ids_.lower_bound({.of = of, .number = number, .thread = thread, .metric = ""});
  while (entry != ids_.end() && is_of_it(entry->first)) {
    forgotten_.push_back(entry->second);
    entry = ids_.erase(entry);
  }
}

void SampleLog::flush() {
  file_.write(new_series_);
  wire::ChunkRows rows(wire::ChunkKind::kSamples);
  std::ranges::sort(with_samples_, {}, [this](SeriesId id) { return places_[id.index()].number; });
  for (const SeriesId id : with_samples_) {
    Place& place = places_[id.index()];
    for (const Sample& sample : place.samples) {
      rows.add({place.number, static_cast<std::uint64_t>(sample.time_ns),
                static_cast<std::uint64_t>(sample.value)});
    }
    place.samples.clear();
  }
  with_samples_.clear();
  free_.insert(free_.end(), forgotten_.begin(), forgotten_.end());
  forgotten_.clear();
  file_.write(rows);
}

void SampleLog::restart() {
  ids_.clear();
  places_.clear();
  with_samples_.clear();
  forgotten_.clear();
  free_.clear();
  next_number_ = 0;
  new_series_.clear();
}

}  // namespace strobe::record
