#include "strobe/serve/fleet_answer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/report/fleet/job_report.h"
#include "strobe/report/render/render.h"
#include "strobe/serve/api_values.h"
#include "strobe/serve/json_members.h"

namespace strobe::serve {
namespace {

using fleet::Job;

constexpr std::size_t kMostParts = 25'000;  // of the exchanges in one answer

// Without a common step, with the first exchange, or with the first rank's own first step.
std::int64_t origin_of(const Job& job, const std::vector<fleet::RankDigest>& digests) {
  std::optional<std::int64_t> first_ns;
  const auto look_at = [&](std::int64_t time_ns) {
    first_ns = std::min(first_ns.value_or(time_ns), time_ns);
  };
  for (const fleet::RankOfJob& rank : job.ranks) {
    for (const fleet::RankStep& step : rank.steps) look_at(step.start_ns);
  }
  if (first_ns) return *first_ns;
  for (const fleet::Arrival& arrival : job.arrivals) look_at(arrival.interval.start_ns);
  if (first_ns) return *first_ns;
  return job.clocks.common_ns(0, digests.front().steps.front().interval.start_ns);
}

double gain_of(const Job& job, std::int32_t rank) {
  for (const fleet::HostClock& host : job.clocks.hosts) {
    if (std::ranges::binary_search(host.ranks, rank)) return host.drift_ppm;
  }
  return 0;
}

std::vector<RankClock> clocks_of(const Job& job, std::int64_t origin_ns,
                                 const std::vector<fleet::RankDigest>& digests,
                                 const FirstSteps& first_steps) {
  std::vector<RankClock> clocks;
  for (std::size_t rank = 0; rank < digests.size(); ++rank) {
    const std::int64_t own_ns = digests[rank].steps.front().interval.start_ns;
    clocks.push_back({.trace_ns = first_steps.at(digests[rank].file),
                      .job_ns = job.clocks.common_ns(rank, own_ns) - origin_ns,
                      .gains_ppm = gain_of(job, digests[rank].rank)});
  }
  return clocks;
}

// As `strobe fleet --format json` prints it.
std::string document_of(const Job& job, const std::string& name) {
  const report::JobPage page = {.path = name, .top = 0, .unreadable = {}, .for_tools = true};
  std::string json =
      report::render_json(report::job_document(job, fleet::find_stragglers(job), page));
  while (json.ends_with('\n')) json.pop_back();
  return json;
}

void write_rank(const ServedJob& served, std::size_t position, JsonWriter& json) {
  const fleet::RankOfJob& rank = served.job().ranks[position];
  const RankClock& clock = served.clocks()[position];
  json.begin_object().member("rank", rank.rank).member("trace", rank.file);
  text_or_null(json, "host", rank.host);
  json.key("clock")
      .begin_object()
      .member("trace_ns", clock.trace_ns)
      .member("job_ns", clock.job_ns)
      .member("gains_ppm", clock.gains_ppm)
      .end_object();
  NumberList steps;
  for (const fleet::RankStep& step : rank.steps) {
    steps.add(step.start_ns - served.origin_ns());
    steps.add(step.end_ns - served.origin_ns());
  }
  json.key("steps").raw(steps.json()).end_object();
}

std::string fleet_body(const ServedJob& served, const std::string& name) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("generation", served.generation());
  json.key("document").raw(document_of(served.job(), name));
  write_texts(json, "step_names", served.job().steps);
  json.key("ranks").begin_array();
  for (std::size_t i = 0; i < served.job().ranks.size(); ++i) write_rank(served, i, json);
  json.end_array().end_object();
  return out;
}

// Whose parts are shown; empty: all.
Result<std::vector<bool>> chosen_ranks(const Query& query, const Job& job) {
  STROBE_TRY(const auto numbers, query.integers("ranks"));
  std::vector<bool> chosen;
  if (!numbers) return chosen;
  chosen.resize(job.ranks.size());
  for (const std::int64_t number : *numbers) {
    const auto rank = std::ranges::find(job.ranks, number, &fleet::RankOfJob::rank);
    if (rank == job.ranks.end()) {
      return Error{.code = ErrorCode::kNotFound,
                   .what = fmt::format("the job has no rank {}", number),
                   .where = "ranks",
                   .hint = "see /api/v1/fleet"};
    }
    chosen[static_cast<std::size_t>(rank - job.ranks.begin())] = true;
  }
  return chosen;
}

std::string_view place_word(bool on_host) { return on_host ? "host" : "device"; }

// The kinds of the exchanges of an answer: each once; they refer to it by index.
class KindTable {
 public:
  explicit KindTable(const Job& job) : job_(job), indices_(job.collectives.size()) {}

  std::size_t index_of(std::uint32_t row) {
    std::optional<std::size_t>& index = indices_[row];
    if (!index) {
      index = rows_.size();
      rows_.push_back(row);
    }
    return *index;
  }

  void write(JsonWriter& json) const {
    json.begin_array();
    for (const std::uint32_t number : rows_) {
      const fleet::CollectiveRow& row = job_.collectives[number];
      json.begin_object().member("kind", row.kind).member("group", row.group);
      json.key("bytes");
      row.bytes > 0 ? json.value(row.bytes) : json.null();
      json.member("runs_on", place_word(row.on_host)).end_object();
    }
    json.end_array();
  }

 private:
  const Job& job_;
  std::vector<std::optional<std::size_t>> indices_;  // per row
  std::vector<std::uint32_t> rows_;
};

void write_exchange(const ServedJob& served, const fleet::Exchange& exchange,
                    const std::vector<bool>& chosen, KindTable& kinds, JsonWriter& json) {
  json.begin_object().member("kind", kinds.index_of(exchange.row)).key("sequence");
  exchange.sequence == fleet::kNoSequence ? json.null() : json.value(exchange.sequence);
  json.key("step");
  exchange.step == fleet::kNoStep ? json.null() : json.value(exchange.step);
  NumberList parts;
  for (const fleet::Arrival& part : served.job().arrivals_of(exchange)) {
    if (!chosen.empty() && !chosen[part.rank]) continue;
    parts.add(served.job().ranks[part.rank].rank);
    parts.add(part.interval.start_ns - served.origin_ns());
    parts.add(part.interval.length_ns());
    parts.add(part.wait_ns);
  }
  json.key("parts").raw(parts.json()).end_object();
}

}  // namespace

ServedJob::ServedJob(const JobQuestion& question, const std::vector<fleet::RankDigest>& digests,
                     const FirstSteps& first_steps)
    : generation_(question.generation),
      job_(fleet::make_job(digests, {.align = question.align, .with_exchanges = true})),
      origin_ns_(origin_of(job_, digests)),
      clocks_(clocks_of(job_, origin_ns_, digests, first_steps)),
      exchanges_(job_),
      body_(std::make_shared<const std::string>(fleet_body(*this, question.name))) {}

Result<std::string> exchanges_answer(const Query& query, const ServedJob& served) {
  STROBE_TRY(const Interval window, window_since(query, served.origin_ns()));
  STROBE_TRY(const std::int64_t columns, columns_of(query));
  STROBE_TRY(const std::vector<bool> chosen, chosen_ranks(query, served.job()));
  const std::int64_t column_ns = (window.length_ns() + columns - 1) / columns;
  const fleet::FoundExchanges found = served.exchanges().find(
      {.window = window, .least_ns = column_ns, .ranks = chosen, .most_parts = kMostParts});

  KindTable kinds(served.job());
  std::string list;
  JsonWriter exchanges(list);
  exchanges.begin_array();
  for (const std::size_t i : found.exchanges) {
    write_exchange(served, served.job().exchanges[i], chosen, kinds, exchanges);
  }
  exchanges.end_array();

  std::string out;
  JsonWriter json(out);
  json.begin_object().member("generation", served.generation()).key("kinds");
  kinds.write(json);
  json.key("exchanges").raw(list).member("narrower", found.narrower).end_object();
  return out;
}

}  // namespace strobe::serve
