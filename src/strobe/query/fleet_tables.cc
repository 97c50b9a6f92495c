#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/query/run_job.h"
#include "strobe/query/table.h"

// What the ranks of a run did together: the steps of each, and their exchanges.
namespace strobe::query {
namespace {

using fleet::Arrival;
using fleet::CollectiveRow;
using fleet::Exchange;
using fleet::RankOfJob;
using fleet::RankStep;

std::optional<std::int32_t> job_step(std::uint32_t step) {
  if (step == fleet::kNoStep) return std::nullopt;
  return static_cast<std::int32_t>(step);
}

Column job_step_column(std::string meaning, std::uint32_t (*get)(const TraceSource&, std::size_t)) {
  return column(
      "job_step", "", std::move(meaning),
      [get](const TraceSource& source, std::size_t row) { return job_step(get(source, row)); });
}

Column ns_column(std::string name, std::string meaning,
                 std::int64_t (*get)(const TraceSource&, std::size_t)) {
  return column(std::move(name), "ns", std::move(meaning), get);
}

// ---- ranks

const RankStep& step_at(const TraceSource& source, std::size_t row) {
  return source.in_job().rank().steps[row];
}

// A row of `steps`; the whole trace is none.
std::optional<std::int32_t> step_number(const TraceSource& source, std::size_t row) {
  const std::int64_t start_ns = source.in_job().steps[row].start_ns;
  const std::int32_t step = source.step_at(start_ns);
  if (step < 0) return std::nullopt;
  return step;
}

template <class Member>
Column step_column(std::string name, std::string unit, std::string meaning,
                   Member RankStep::*member) {
  return column(std::move(name), std::move(unit), std::move(meaning),
                [member](const TraceSource& source, std::size_t row) {
                  return static_cast<std::int64_t>(step_at(source, row).*member);
                });
}

template <class Get>
Column rank_column(std::string name, std::string meaning, Get get) {
  return column(
      std::move(name), "", std::move(meaning),
      [get](const TraceSource& source, std::size_t) { return get(source.in_job().rank()); });
}

Table ranks() {
  return {
      .name = "ranks",
      .meaning =
          "each rank in each step that all ranks of the run have (or in its whole trace, if they "
          "have none): compute, copy, input, host, wait and transfer add up to dur",
      .columns =
          {column("step", "", "a row of `steps`; absent if it is the whole trace", step_number),
           column(
               "job_step", "", "the same number on all ranks, from 0",
               [](const TraceSource&, std::size_t row) { return static_cast<std::int32_t>(row); }),
           column("name", "", "the name of the step",
                  [](const TraceSource& source, std::size_t row) {
                    return std::string_view(source.in_job().job->steps[row]);
                  }),
           ns_column("start", "when it began, on the clock of the trace",
                     [](const TraceSource& source, std::size_t row) {
                       return source.in_job().steps[row].start_ns;
                     }),
           ns_column("stop", "when it ended, on the clock of the trace",
                     [](const TraceSource& source, std::size_t row) {
                       return source.in_job().steps[row].end_ns;
                     }),
           step_column("common_start", "ns", "when it began, on the common clock of the run",
                       &RankStep::start_ns),
           step_column("common_stop", "ns", "when it ended, on the common clock",
                       &RankStep::end_ns),
           ns_column("dur", "how long it took, by the common clock",
                     [](const TraceSource& source, std::size_t row) {
                       const RankStep& step = step_at(source, row);
                       return step.end_ns - step.start_ns;
                     }),
           ns_column("own", "its own work: compute + copy + input + host",
                     [](const TraceSource& source, std::size_t row) {
                       return step_at(source, row).own_ns();
                     }),
           step_column("compute", "ns", "its device computes", &RankStep::compute_ns),
           step_column("copy", "ns", "else, its device copies or sets memory", &RankStep::copy_ns),
           step_column("input", "ns", "its device does neither while the host loads data",
                       &RankStep::input_ns),
           step_column("host", "ns", "the same for any other reason, or there is no device",
                       &RankStep::host_ns),
           step_column("wait", "ns",
                       "in exchanges, until the last rank came, while its device computes and "
                       "copies nothing",
                       &RankStep::wait_ns),
           step_column("transfer", "ns", "in exchanges, from then on, likewise",
                       &RankStep::transfer_ns),
           step_column("in_operators", "ns",
                       "of host: while an operator of the program is open; the rest is between "
                       "operators",
                       &RankStep::in_operators_ns),
           step_column("longest_host_gap", "ns", "the longest stretch of host at once",
                       &RankStep::longest_host_gap_ns),
           step_column("host_gaps", "", "how many such stretches", &RankStep::host_gaps),
           step_column("kernels", "", "that compute, and start in it", &RankStep::kernels),
           step_column("collectives", "",
                       "rows of `collectives` in which it took part, without sends and receives",
                       &RankStep::collectives),
           step_column("last", "", "of these, in which it came last, alone", &RankStep::last),
           column("lateness", "ns",
                  "how much later it came than the median of the others, on average over these "
                  "collectives; negative: earlier; absent if there are none",
                  [](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
                    const RankStep& step = step_at(source, row);
                    if (step.collectives == 0) return std::nullopt;
                    return step.lateness_ns;
                  }),
           step_column("caused_wait", "ns", "what all others waited while it was the last",
                       &RankStep::caused_wait_ns),
           rank_column("host_name", "the machine, if it is known",
                       [](const RankOfJob& rank) -> std::optional<std::string_view> {
                         if (rank.host.empty()) return std::nullopt;
                         return std::string_view(rank.host);
                       }),
           rank_column("stage", "of the pipeline, if the trace says so",
                       [](const RankOfJob& rank) { return rank.stage; }),
           rank_column("file", "its trace",
                       [](const RankOfJob& rank) { return std::string_view(rank.file); })},
      .rows = [](const TraceSource& source) { return source.in_job().steps.size(); }};
}

// ---- collectives

std::size_t exchange_number(const TraceSource& source, std::size_t row) {
  return source.in_job().exchanges[row];
}

const Exchange& exchange_at(const TraceSource& source, std::size_t row) {
  return source.in_job().job->exchanges[exchange_number(source, row)];
}

const CollectiveRow& kind_of(const TraceSource& source, std::size_t row) {
  return source.in_job().job->collectives[exchange_at(source, row).row];
}

std::span<const Arrival> arrivals_at(const TraceSource& source, std::size_t row) {
  return source.in_job().job->arrivals_of(exchange_at(source, row));
}

std::int64_t transfer_ns(const Arrival& arrival) {
  return arrival.interval.length_ns() - arrival.wait_ns;
}

// The one that came last; null if others came at the same time.
const Arrival* last_of(std::span<const Arrival> arrivals) {
  const auto starts = [](const Arrival& arrival) { return arrival.interval.start_ns; };
  const auto last = std::ranges::max_element(arrivals, {}, starts);
  return std::ranges::count(arrivals, starts(*last), starts) == 1 ? &*last : nullptr;
}

template <class Value>
std::int64_t sum_over(std::span<const Arrival> arrivals, Value value) {
  std::int64_t sum = 0;
  for (const Arrival& arrival : arrivals) sum += value(arrival);
  return sum;
}

// Bytes per nanosecond.
std::optional<double> gb_per_s(const TraceSource& source, std::size_t row, double factor) {
  const std::uint64_t bytes = kind_of(source, row).bytes;
  const std::int64_t transfer = exchange_at(source, row).median_transfer_ns;
  if (bytes == 0 || transfer <= 0) return std::nullopt;
  return factor * static_cast<double>(bytes) / static_cast<double>(transfer);
}

Table collectives() {
  return {
      .name = "collectives",
      .meaning =
          "what ranks of the run exchanged: collectives, and sends with their receives, if at "
          "least two ranks recorded it; in one row each, whose rank is the first one that takes "
          "part",
      .columns =
          {column("exchange", "", "its number in the run; `arrivals` has it for each rank",
                  [](const TraceSource& source, std::size_t row) {
                    return static_cast<std::int64_t>(exchange_number(source, row));
                  }),
           column("kind", "", "all_reduce, all_gather, reduce_scatter, send, ...",
                  [](const TraceSource& source, std::size_t row) {
                    return std::string_view(kind_of(source, row).kind);
                  }),
           column("group_name", "", "who belongs to it, as in default_pg: 8 ranks",
                  [](const TraceSource& source, std::size_t row) {
                    return std::string_view(kind_of(source, row).group);
                  }),
           column("bytes", "bytes", "that a rank gives or gets; absent if it is not known",
                  [](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
                    const std::uint64_t bytes = kind_of(source, row).bytes;
                    if (bytes == 0) return std::nullopt;
                    return static_cast<std::int64_t>(bytes);
                  }),
           column("ranks", "", "that took part, of those with a trace",
                  [](const TraceSource& source, std::size_t row) {
                    return static_cast<std::int64_t>(exchange_at(source, row).arrival_count);
                  }),
           column("sequence", "", "its number within the group; absent if the trace has none",
                  [](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
                    const std::int64_t sequence = exchange_at(source, row).sequence;
                    if (sequence == fleet::kNoSequence) return std::nullopt;
                    return sequence;
                  }),
           column("on_host", "", "whether it runs on the host, not on devices",
                  [](const TraceSource& source, std::size_t row) {
                    return kind_of(source, row).on_host;
                  }),
           job_step_column("the step in which the last rank came, as in `ranks`",
                           [](const TraceSource& source, std::size_t row) {
                             return exchange_at(source, row).step;
                           }),
           ns_column("first_arrival", "when the first rank came, on the common clock of the run",
                     [](const TraceSource& source, std::size_t row) {
                       const auto arrivals = arrivals_at(source, row);
                       return std::ranges::min(
                                  arrivals, {},
                                  [](const Arrival& arrival) { return arrival.interval.start_ns; })
                           .interval.start_ns;
                     }),
           ns_column("last_arrival", "when the last one came",
                     [](const TraceSource& source, std::size_t row) {
                       const auto arrivals = arrivals_at(source, row);
                       return std::ranges::max(
                                  arrivals, {},
                                  [](const Arrival& arrival) { return arrival.interval.start_ns; })
                           .interval.start_ns;
                     }),
           ns_column("common_stop", "when the last one left",
                     [](const TraceSource& source, std::size_t row) {
                       const auto arrivals = arrivals_at(source, row);
                       return std::ranges::max(
                                  arrivals, {},
                                  [](const Arrival& arrival) { return arrival.interval.end_ns; })
                           .interval.end_ns;
                     }),
           column("last_rank", "", "which one came last; absent if others came at the same time",
                  [](const TraceSource& source, std::size_t row) -> std::optional<std::int32_t> {
                    const Arrival* last = last_of(arrivals_at(source, row));
                    if (last == nullptr) return std::nullopt;
                    return source.in_job().job->ranks[last->rank].rank;
                  }),
           ns_column("wait", "until the last one came, of all ranks together",
                     [](const TraceSource& source, std::size_t row) {
                       return sum_over(arrivals_at(source, row),
                                       [](const Arrival& arrival) { return arrival.wait_ns; });
                     }),
           ns_column("transfer", "from then on, of all ranks together",
                     [](const TraceSource& source, std::size_t row) {
                       return sum_over(arrivals_at(source, row), transfer_ns);
                     }),
           ns_column("median_transfer", "the same, the median of the ranks",
                     [](const TraceSource& source, std::size_t row) {
                       return exchange_at(source, row).median_transfer_ns;
                     }),
           column(
               "algorithm_gb_per_s", "GB/s", "bytes by the median transfer",
               [](const TraceSource& source, std::size_t row) { return gb_per_s(source, row, 1); }),
           column("bus_gb_per_s", "GB/s",
                  "what a link carries, as the public benchmarks of these libraries count it",
                  [](const TraceSource& source, std::size_t row) {
                    return gb_per_s(source, row, kind_of(source, row).bus_factor);
                  })},
      .rows = [](const TraceSource& source) { return source.in_job().exchanges.size(); }};
}

// ---- arrivals

const RankInJob::OwnArrival& own_arrival(const TraceSource& source, std::size_t row) {
  return source.in_job().arrivals[row];
}

const Arrival& arrival_at(const TraceSource& source, std::size_t row) {
  return source.in_job().job->arrivals[own_arrival(source, row).arrival];
}

const Interval& own_call(const TraceSource& source, std::size_t row) {
  return source.in_job().calls[arrival_at(source, row).call];
}

Table arrivals() {
  return {
      .name = "arrivals",
      .meaning = "each rank's part in each row of `collectives`: wait and transfer add up to dur",
      .columns =
          {column("exchange", "", "a row of `collectives`: the number in the run",
                  [](const TraceSource& source, std::size_t row) {
                    return static_cast<std::int64_t>(own_arrival(source, row).exchange);
                  }),
           column("slice_id", "", "the kernel, or the range on the host: a row of `slices`",
                  [](const TraceSource& source, std::size_t row) {
                    const std::uint32_t call = arrival_at(source, row).call;
                    return static_cast<std::int64_t>(source.slices_of_calls()[call].value);
                  }),
           column("step", "", "the step in which it begins: a row of `steps`",
                  [](const TraceSource& source, std::size_t row) -> std::optional<std::int32_t> {
                    const std::int32_t step = source.step_at(own_call(source, row).start_ns);
                    if (step < 0) return std::nullopt;
                    return step;
                  }),
           job_step_column("the same as in `ranks`; absent outside of the steps that all have",
                           [](const TraceSource& source, std::size_t row) {
                             return arrival_at(source, row).step;
                           }),
           ns_column("start", "when the rank came, on the clock of the trace",
                     [](const TraceSource& source, std::size_t row) {
                       return own_call(source, row).start_ns;
                     }),
           ns_column("stop", "when it left, on the clock of the trace",
                     [](const TraceSource& source, std::size_t row) {
                       return own_call(source, row).end_ns;
                     }),
           ns_column("common_start", "when the rank came, on the common clock of the run",
                     [](const TraceSource& source, std::size_t row) {
                       return arrival_at(source, row).interval.start_ns;
                     }),
           ns_column("common_stop", "when it left, on the common clock",
                     [](const TraceSource& source, std::size_t row) {
                       return arrival_at(source, row).interval.end_ns;
                     }),
           ns_column("dur", "how long it was in it, by the common clock",
                     [](const TraceSource& source, std::size_t row) {
                       return arrival_at(source, row).interval.length_ns();
                     }),
           ns_column("wait", "until the last rank came",
                     [](const TraceSource& source, std::size_t row) {
                       return arrival_at(source, row).wait_ns;
                     }),
           ns_column("transfer", "from then on",
                     [](const TraceSource& source, std::size_t row) {
                       return transfer_ns(arrival_at(source, row));
                     }),
           column("last", "", "whether it came last, alone",
                  [](const TraceSource& source, std::size_t row) {
                    if (arrival_at(source, row).wait_ns > 0) return false;
                    const fleet::Job& job = *source.in_job().job;
                    const Exchange& exchange = job.exchanges[own_arrival(source, row).exchange];
                    return last_of(job.arrivals_of(exchange)) == &arrival_at(source, row);
                  })},
      .rows = [](const TraceSource& source) { return source.in_job().arrivals.size(); }};
}

}  // namespace

std::vector<Table> fleet_tables() { return {ranks(), collectives(), arrivals()}; }

}  // namespace strobe::query
