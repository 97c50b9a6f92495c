#include <optional>

#include "strobe/query/table.h"

// Steps, and what their time went into.
namespace strobe::query {
namespace {

using analysis::StepRow;

const StepRow& step_of(const TraceSource& source, std::size_t row) {
  return source.summary().steps[row];
}

// Without steps the summary has one nameless row, the whole trace: no step, but an account.
std::size_t steps_in(const TraceSource& source) {
  const analysis::Summary& summary = source.summary();
  return summary.has_steps ? summary.steps.size() : 0;
}

constexpr std::size_t kLabels = analysis::kStepLabels;

}  // namespace

std::vector<Table> step_tables() {
  Table steps{
      .name = "steps",
      .meaning = "training or inference steps, as the script marks them or as strobe finds them",
      .columns = {column("step", "", "its position, from 0",
                         [](const TraceSource&, std::size_t row) {
                           return static_cast<std::int32_t>(row);
                         }),
                  column("name", "", "its name",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(step_of(source, row).name);
                         }),
                  column("start", "ns", "when it began, on the clock of the trace",
                         [](const TraceSource& source, std::size_t row) {
                           return step_of(source, row).interval.start_ns;
                         }),
                  column("dur", "ns", "how long it took",
                         [](const TraceSource& source, std::size_t row) {
                           return step_of(source, row).interval.length_ns();
                         }),
                  column("stop", "ns", "when it ended: start + dur",
                         [](const TraceSource& source, std::size_t row) {
                           return step_of(source, row).interval.end_ns;
                         }),
                  column("warm_up", "", "whether it belongs to the warm-up",
                         [](const TraceSource& source, std::size_t row) {
                           return row < source.summary().warm_up.cycles;
                         }),
                  column("kernel_time", "ns", "kernels launched in it, streams added up",
                         [](const TraceSource& source, std::size_t row) {
                           return step_of(source, row).kernel_ns;
                         }),
                  column("device_time", "ns", "the same with copies and memsets",
                         [](const TraceSource& source, std::size_t row) {
                           return step_of(source, row).device_ns;
                         })},
      .rows = steps_in};
  Table account{
      .name = "step_account",
      .meaning =
          "what each nanosecond of a step went into, or of the whole trace if it has none; "
          "each counts once",
      .columns = {column("step", "", "a row of `steps`; absent if there are none",
                         [](const TraceSource& source,
                            std::size_t row) -> std::optional<std::int32_t> {
                           if (!source.summary().has_steps) return std::nullopt;
                           return static_cast<std::int32_t>(row / kLabels);
                         }),
                  column("label", "",
                         "kernel, communication, memcpy, memset; or, while the device was idle, "
                         "what the host did: runtime, data_loading, host, idle (nothing that was "
                         "recorded)",
                         [](const TraceSource&, std::size_t row) {
                           return analysis::word_of(
                               static_cast<analysis::StepLabel>(row % kLabels));
                         }),
                  column("time", "ns", "how much of the step",
                         [](const TraceSource& source, std::size_t row) {
                           return step_of(source, row / kLabels).label_ns[row % kLabels];
                         })},
      .rows = [](const TraceSource& source) { return source.summary().steps.size() * kLabels; }};
  const auto phase = [](const TraceSource& source, std::size_t row) -> const auto& {
    return source.summary().phases[row];
  };
  Table phases{
      .name = "phases",
      .meaning = "steps and the phases of the model: data loading, forward, backward, optimizer",
      .columns = {column("phase", "", "step, data loader, forward, backward or optimizer",
                         [phase](const TraceSource& source, std::size_t row) {
                           return word_of(phase(source, row).kind);
                         }),
                  column("calls", "", "how many",
                         [phase](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(phase(source, row).host.calls);
                         }),
                  column("host", "ns", "time of the host in it",
                         [phase](const TraceSource& source, std::size_t row) {
                           return phase(source, row).host.total_ns;
                         }),
                  column("device_time", "ns", "device work launched in it",
                         [phase](const TraceSource& source, std::size_t row) {
                           return phase(source, row).device.total_ns;
                         }),
                  column("kernel_time", "ns", "of that, kernels",
                         [phase](const TraceSource& source, std::size_t row) {
                           return phase(source, row).kernels.total_ns;
                         })},
      .rows = [](const TraceSource& source) {
        const analysis::Summary& summary = source.summary();
        return summary.has_model ? summary.phases.size() : 0;
      }};
  return {std::move(steps), std::move(account), std::move(phases)};
}

}  // namespace strobe::query
