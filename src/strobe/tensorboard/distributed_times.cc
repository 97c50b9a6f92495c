#include "strobe/tensorboard/distributed_view.h"

#include <array>
#include <cmath>
#include <map>

namespace strobe::tensorboard {
namespace {

template <std::size_t kSize>
using Parts = std::array<Number, kSize>;

// Of each step and worker, and of all steps together.
template <std::size_t kSize>
class StepTable {
 public:
  void add(const std::string& step, const WorkerCommunication& worker, const Parts<kSize>& parts) {
    steps_[step][worker.worker] = parts;
    Average& average = averages_[worker.worker];
    average.is_truncated = worker.profile->rules().truncates_averages;
    ++average.count;
    for (std::size_t i = 0; i < kSize; ++i) average.sum[i] += parts[i];
  }

  Answer answer(std::string_view title, const std::array<std::string_view, kSize>& legends) const {
    std::string body;
    JsonWriter json = answer_writer(body);
    json.begin_object();
    json.key("metadata").begin_object().member("title", title);
    json.key("legends").begin_array();
    for (const std::string_view legend : legends) json.value(legend);
    json.end_array().member("units", "us").end_object();
    json.key("data").begin_object();
    json.key("all").begin_object();
    for (const auto& [worker, average] : averages_) {
      Parts<kSize> parts;
      for (std::size_t i = 0; i < kSize; ++i) parts[i] = average.part(i);
      write(json.key(worker), parts);
    }
    json.end_object();
    for (const auto& [step, workers] : steps_) {
      json.key(step).begin_object();
      for (const auto& [worker, parts] : workers) write(json.key(worker), parts);
      json.end_object();
    }
    json.end_object().end_object();
    return json_answer(std::move(body));
  }

 private:
  struct Average {
    Parts<kSize> sum;
    std::size_t count = 0;
    bool is_truncated = true;

    Number part(std::size_t i) const {
      const Number mean = ratio(sum[i], Number::whole(static_cast<double>(count)));
      return is_truncated ? Number::whole(std::trunc(mean.value)) : mean;
    }
  };

  static void write(JsonWriter& json, const Parts<kSize>& parts) {
    json.begin_array();
    for (const Number part : parts) json.value(part);
    json.end_array();
  }

  std::map<std::string, std::map<std::string, Parts<kSize>>> steps_;
  std::map<std::string, Average> averages_;
};

}  // namespace

Answer answer_overlap(const SpanCommunication& span) {
  StepTable<4> table;
  for (const WorkerCommunication& worker : span.workers) {
    const Profile& profile = *worker.profile;
    for (std::size_t i = 0; i < profile.costs.overlaps.size(); ++i) {
      const StepOverlap& costs = profile.costs.overlaps[i];
      table.add(profile.steps.all[i].name, worker,
                {costs.computation - costs.overlap, costs.overlap,
                 costs.communication - costs.overlap, costs.other});
    }
  }
  return table.answer("Computation/Communication Overview",
                      {"Computation", "Overlapping", "Communication", "Other"});
}

Answer answer_wait_time(const SpanCommunication& span) {
  StepTable<2> table;
  for (const WorkerCommunication& worker : span.workers) {
    std::vector<std::string> order;
    std::map<std::string, CallRanges> steps;
    for (const CommCall& call : worker.calls) {
      const std::string step = call.step.value_or("null");
      if (!steps.contains(step)) order.push_back(step);
      steps[step].add(call);
    }
    for (const std::string& step : order) {
      const Number all = total(merge(steps[step].all));
      const Number transfers = total(merge(steps[step].transfers));
      table.add(step, worker, {transfers, all - transfers});
    }
  }
  return table.answer("Synchronizing/Communication Overview",
                      {"Data Transfer Time", "Synchronizing Time"});
}

}  // namespace strobe::tensorboard
