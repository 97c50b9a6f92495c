#include "strobe/report/fleet/replay_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using fleet::PartReplay;
using fleet::Replay;
using fleet::ReplayedStep;
using fleet::Worker;
using fleet::WorkersReplay;

// Below this the stragglers of a job are not worth a search.
constexpr double kWorthALook = 1.02;
// From this share on, a part explains the cost by itself.
constexpr double kExplains = 0.5;

std::int64_t nanoseconds(double s) { return std::llround(s * 1e9); }
std::string seconds_text(double s) { return duration_text(nanoseconds(s)); }

// "1.18": how many times as long as the ideal step.
Measure factor_cell(double factor) {
  return {.text = fmt::format("{:.2f}", factor), .value = factor};
}

// Of what all stragglers cost.
std::optional<double> cost_share(const Replay& replay, double slowdown) {
  const double all = replay.straggler_slowdown() - 1;
  if (all <= 0) return std::nullopt;
  return (slowdown - 1) / all;
}
Cell cost_cell(std::optional<double> share) { return share ? Cell(Share{*share}) : Cell(Absent{}); }

std::string rank_list(const std::vector<Worker>& workers) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  for (const Worker& worker : workers) {
    if (names.size() == kNamed) break;
    names.push_back(std::to_string(worker.rank));
  }
  const std::size_t others = workers.size() - names.size();
  return fmt::format("{} {}{}", plural(workers.size(), "rank", "ranks"), fmt::join(names, ", "),
                     others == 0 ? "" : fmt::format(" and {} more", others));
}

// The names of the cases, which sentences, tables and the documentation share.
constexpr std::string_view kRecorded = "as recorded";
constexpr std::string_view kWithoutDelays = "without delays";
constexpr std::string_view kIdeal = "ideal";

bool has_stragglers(const Replay& replay) { return replay.straggler_slowdown() >= kWorthALook; }

std::string cost_sentence(const Replay& replay) {
  const double saved = 1 - replay.ideal_s / replay.without_delays_s;
  if (!has_stragglers(replay)) {
    return fmt::format(
        "Stragglers cost next to nothing: the mean step of {} would take {} if every operation "
        "took as long as others of its kind (slowdown {:.2f}).",
        seconds_text(replay.without_delays_s), seconds_text(replay.ideal_s),
        replay.straggler_slowdown());
  }
  return fmt::format(
      "Slowdown {:.2f}: {} of the mean step would be saved without stragglers, {} of {} (delays "
      "left out).",
      replay.straggler_slowdown(), percent_text(saved),
      seconds_text(replay.without_delays_s - replay.ideal_s),
      seconds_text(replay.without_delays_s));
}

std::string stage_sentence(const Replay& replay) {
  const double share = replay.last_stage.saved_share;
  return fmt::format(
      "{} of that is the last stage, {}: it has too much work{}. Move a layer to another stage.",
      percent_text(share), replay.sizes.stages - 1,
      share > 1 ? " (over 100 %: the other stages are faster than the mean)" : "");
}

std::string worker_sentence(const Replay& replay) {
  return fmt::format("{} of that {} {}. Look at {} first.",
                     percent_text(replay.worst_workers.saved_share),
                     plural(replay.worst_workers.workers.size(), "is", "are"),
                     rank_list(replay.worst_workers.workers),
                     plural(replay.worst_workers.workers.size(), "its machine", "their machines"));
}

bool is_pass(const PartReplay& kind) {
  return kind.name == "forward-compute" || kind.name == "backward-compute";
}

// Neither the last stage nor few workers: what kind of operation varies?
std::string kind_sentence(const Replay& replay) {
  const PartReplay& worst = replay.kinds.front();
  const std::string share = percent_text(cost_share(replay, worst.slowdown).value_or(0));
  if (is_pass(worst)) {
    return fmt::format(
        "No stage and no few workers explain it. {} alone costs {} of it: passes of one kind take "
        "different times. Give the micro-batches equal work, or look for pauses of the host.",
        worst.name, share);
  }
  return fmt::format(
      "No stage and no few workers explain it. {} alone costs {} of it: look at what all ranks "
      "share, such as the network.",
      worst.name, share);
}

// A stage with too much work has bad workers too, and a bad worker is in some stage: it is the
// workers if repairing them saves about as much as repairing the stage.
std::string reason_sentence(const Replay& replay) {
  constexpr double kAboutAsMuch = 0.8;
  const double by_workers = replay.worst_workers.saved_share;
  const double by_stage = replay.sizes.stages > 1 ? replay.last_stage.saved_share : 0;
  if (by_workers >= kExplains && by_workers >= kAboutAsMuch * by_stage) {
    return worker_sentence(replay);
  }
  return by_stage >= kExplains ? stage_sentence(replay) : kind_sentence(replay);
}

std::string delay_sentence(const Replay& replay) {
  const double delays_s = replay.recorded_s - replay.without_delays_s;
  return fmt::format("Delays between operations take {} of the {} of a step as recorded ({}).",
                     seconds_text(delays_s), seconds_text(replay.recorded_s),
                     percent_text(delays_s / replay.recorded_s));
}

std::vector<Fact> job_facts(const Replay& replay, const ReplayPage& page) {
  const fleet::JobSizes& sizes = replay.sizes;
  const auto number = [](std::int32_t size) { return Count{static_cast<std::uint64_t>(size)}; };
  std::vector<Fact> facts = {
      {"table", "table", Text{page.path}, {}, true},
      {"data_parallel", "data-parallel", number(sizes.data_parallel), "ranks", false},
      {"stages", "stages", number(sizes.stages),
       sizes.chunks > 1 ? fmt::format("with {} model chunks each", sizes.chunks) : "", false},
      {"steps", "steps", Count{replay.steps.size()}, {}, false},
      {"operations", "operations", Count{replay.operations}, {}, false}};
  if (sizes.tensor_parallel.value_or(1) > 1) {
    facts.push_back(
        {"tensor_parallel", "tensor-parallel", number(*sizes.tensor_parallel), {}, false});
  }
  if (sizes.sequence_parallel.value_or(1) > 1) {
    facts.push_back(
        {"sequence_parallel", "sequence-parallel", number(*sizes.sequence_parallel), {}, false});
  }
  return facts;
}

Section job_section(const Replay& replay) {
  Section section;
  section.key = "job";
  section.title = "The job, replayed";
  section.lead =
      "Means over the steps. Without delays, every operation starts as soon as what it waits for "
      "has ended. Ideal, it also takes as long as others of its kind: computes the mean, transfers "
      "the median.";
  section.table.columns = {{"case", "replayed", ColumnType::kText, 10},
                           {"step_ns", "mean step", ColumnType::kDuration, 9},
                           {"slowdown", "x ideal", ColumnType::kNumber, 8},
                           {.key = "saved_share",
                            .header = "saved",
                            .type = ColumnType::kShare,
                            .importance = 7,
                            .share_of = "mean step as recorded"}};
  const auto add = [&](std::string_view name, double step_s) {
    section.table.rows.push_back(
        {{Text{std::string(name)}, Duration{nanoseconds(step_s)},
          factor_cell(step_s / replay.ideal_s), Share{1 - step_s / replay.recorded_s}}});
  };
  add(kRecorded, replay.recorded_s);
  add(kWithoutDelays, replay.without_delays_s);
  add(kIdeal, replay.ideal_s);
  return section;
}

Column cost_column(std::string key) {
  return {.key = std::move(key),
          .header = "of the cost",
          .type = ColumnType::kShare,
          .importance = 8,
          .share_of = "what all stragglers cost"};
}

template <class RowOf, class RowType>
void add_shown(Table& table, std::span<const RowType> all, std::size_t top, RowOf&& row_of) {
  const std::size_t shown = top == 0 ? all.size() : std::min(top, all.size());
  for (const RowType& one : all.first(shown)) table.rows.push_back({row_of(one)});
  table.rows_left_out = all.size() - shown;
  if (shown < all.size()) table.left_out = fmt::format("{} more", count_text(all.size() - shown));
}

struct PartsText {
  std::string_view key;
  std::string_view title;
  std::string_view header;
  std::string_view lead;
};

// Each part with its recorded times, all else ideal.
Section parts_section(const Replay& replay, const std::vector<PartReplay>& parts,
                      const PartsText& text, std::size_t top) {
  Section section;
  section.key = text.key;
  section.title = text.title;
  section.lead = text.lead;
  section.table.columns = {{std::string(text.key), std::string(text.header), ColumnType::kText, 10},
                           {"slowdown", "x ideal", ColumnType::kNumber, 9},
                           cost_column("cost_share"),
                           {"worst_slowdown", "at worst", ColumnType::kNumber, 6},
                           {"worst_step", "in step", ColumnType::kNumber, 5}};
  add_shown(section.table, std::span(parts), top, [&](const PartReplay& part) {
    const auto worst = std::ranges::max_element(part.by_step);
    const std::int64_t step =
        replay.steps[static_cast<std::size_t>(worst - part.by_step.begin())].step;
    return std::vector<Cell>{
        Text{part.name}, factor_cell(part.slowdown), cost_cell(cost_share(replay, part.slowdown)),
        factor_cell(*worst),
        Measure{.text = std::to_string(step), .value = static_cast<double>(step)}};
  });
  return section;
}

Section repair_section(const Replay& replay) {
  Section section;
  section.key = "repairs";
  section.title = "What a repair would save";
  section.lead =
      "Repaired: these workers take ideal times, all others their recorded ones. Alone: the "
      "other way round. A worker is one data-parallel rank of one stage.";
  section.table.columns = {{"workers", "workers", ColumnType::kText, 10},
                           {"count", "count", ColumnType::kCount, 6},
                           {"repaired_ns", "repaired", ColumnType::kDuration, 7},
                           {.key = "saved_share",
                            .header = "saves, of\nthe cost",
                            .type = ColumnType::kShare,
                            .importance = 9,
                            .share_of = "what all stragglers cost"},
                           {"alone_ns", "alone", ColumnType::kDuration, 6},
                           {.key = "caused_share",
                            .header = "causes, of\nthe cost",
                            .type = ColumnType::kShare,
                            .importance = 8,
                            .share_of = "what all stragglers cost"}};
  const auto add = [&](std::string name, const WorkersReplay& workers) {
    section.table.rows.push_back(
        {{Text{std::move(name)}, Count{workers.workers.size()},
          Duration{nanoseconds(workers.repaired_s)}, Share{workers.saved_share},
          Duration{nanoseconds(workers.only_they_s)}, Share{workers.caused_share}}});
  };
  add(fmt::format("the worst 3 %: {}", rank_list(replay.worst_workers.workers)),
      replay.worst_workers);
  add(fmt::format("the last stage, {}", replay.sizes.stages - 1), replay.last_stage);
  return section;
}

Section worker_section(const Replay& replay, std::size_t top) {
  Section section;
  section.key = "workers";
  section.title = "Workers, the worst first";
  section.table.columns = {{"rank", "rank", ColumnType::kCount, 9},
                           {"data_parallel_rank", "data-parallel rank", ColumnType::kCount, 8},
                           {"stage", "stage", ColumnType::kCount, 8},
                           {"score", "score", ColumnType::kNumber, 10}};
  add_shown(section.table, std::span(replay.workers), top, [](const Worker& worker) {
    const auto count = [](std::int32_t number) {
      return Count{static_cast<std::uint64_t>(number)};
    };
    return std::vector<Cell>{count(worker.rank), count(worker.data_rank), count(worker.stage),
                             factor_cell(worker.score)};
  });
  return section;
}

// Data-parallel rank x stage. Above `top` rows, those of the worst ranks.
Section score_grid(const Replay& replay, std::size_t top) {
  Section section;
  section.key = "scores";
  section.title = "Scores of the workers";
  section.lead =
      "The score is the smaller slowdown of the worker's data-parallel rank and of its stage.";
  section.is_remark = true;  // a CSV has the workers
  section.table.is_grid = true;
  section.table.columns.push_back({"data_parallel_rank", "rank \\ stage", ColumnType::kText, 10});
  const auto stages = static_cast<std::size_t>(replay.sizes.stages);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    section.table.columns.push_back(
        {fmt::format("stage_{}", stage), std::to_string(stage), ColumnType::kNumber, 10});
  }
  std::vector<Worker> workers = replay.workers;
  std::ranges::sort(workers, {},
                    [](const Worker& worker) { return std::pair(worker.data_rank, worker.stage); });
  std::vector<std::span<const Worker>> rows;
  for (std::size_t first = 0; first < workers.size(); first += stages) {
    rows.push_back(std::span(workers).subspan(first, stages));
  }
  const auto worst_of = [](std::span<const Worker> row) {
    return std::ranges::max_element(row, {}, &Worker::score)->score;
  };
  if (top > 0 && rows.size() > top) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, worst_of);
    section.table.rows_left_out = rows.size() - top;
    section.table.left_out = fmt::format("{} better ranks", count_text(rows.size() - top));
    rows.resize(top);
  }
  for (const std::span<const Worker> row : rows) {
    std::vector<Cell> cells = {Text{std::to_string(row.front().data_rank)}};
    for (const Worker& worker : row) {
      Measure cell = factor_cell(worker.score);
      cell.percent = 100 / worker.score;  // of the ideal speed
      cell.title = fmt::format("rank {}", worker.rank);
      cells.emplace_back(std::move(cell));
    }
    section.table.rows.push_back({std::move(cells)});
  }
  return section;
}

Section replayed_steps(const Replay& replay) {
  Section section;
  section.key = "steps";
  section.title = "Steps";
  section.for_tools = true;
  section.table.columns = {{"step", "step", ColumnType::kNumber},
                           {"recorded_ns", "as recorded", ColumnType::kDuration},
                           {"without_delays_ns", "without delays", ColumnType::kDuration},
                           {"ideal_ns", "ideal", ColumnType::kDuration}};
  for (const ReplayedStep& step : replay.steps) {
    section.table.rows.push_back(
        {{Measure{.text = std::to_string(step.step), .value = static_cast<double>(step.step)},
          Duration{nanoseconds(step.recorded_s)}, Duration{nanoseconds(step.without_delays_s)},
          Duration{nanoseconds(step.ideal_s)}}});
  }
  return section;
}

constexpr PartsText kKinds = {
    "kind", "By kind of operation", "operations",
    "The mean step if only operations of this kind kept their recorded times and all others were "
    "ideal. The cost is what all stragglers cost together; costs do not add up, because they "
    "overlap."};
constexpr PartsText kStages = {
    "stage", "By stage", "stage",
    "The mean step if only this stage kept its recorded times. Below 1, it is faster than the "
    "mean of all stages."};
constexpr PartsText kDataRanks = {
    "data_parallel_rank", "By data-parallel rank", "data-parallel rank",
    "The mean step if only this data-parallel rank kept its recorded times."};

// A grid that is wider than a page of text helps nobody.
constexpr std::int32_t kStagesOnAPage = 12;

Document document_of(const Replay& replay, const ReplayPage& page, bool has_wide_grid) {
  Document document;
  document.schema = "strobe.replay";
  document.title = fmt::format("strobe fleet: {}", replay.name);
  document.subject = replay.name;
  document.headline = fmt::format("Slowdown {:.2f} by stragglers", replay.straggler_slowdown());
  document.answer = has_stragglers(replay) ? "slower" : "";
  document.verdict = replay_sentences(replay);
  document.facts = job_facts(replay, page);
  document.sections.push_back(job_section(replay));
  document.sections.push_back(repair_section(replay));
  if (has_wide_grid || replay.sizes.stages <= kStagesOnAPage) {
    document.sections.push_back(score_grid(replay, page.top));
  }
  document.sections.push_back(parts_section(replay, replay.kinds, kKinds, 0));
  document.sections.push_back(parts_section(replay, replay.stages, kStages, page.top));
  document.sections.push_back(parts_section(replay, replay.data_ranks, kDataRanks, page.top));
  document.sections.push_back(worker_section(replay, page.top));
  return document;
}

void write_part(JsonWriter& json, std::string_view key, const PartReplay& part) {
  key == kKinds.key ? json.member(key, part.name) : json.key(key).raw(part.name);
  json.member("slowdown", part.slowdown).key("by_step").begin_array();
  for (const double slowdown : part.by_step) json.value(slowdown);
  json.end_array();
}

void write_worker(JsonWriter& json, const Worker& worker) {
  json.member("rank", worker.rank)
      .member("data_parallel_rank", worker.data_rank)
      .member("stage", worker.stage)
      .member("score", worker.score);
}

void write_repair(JsonWriter& json, std::string_view key, const WorkersReplay& repair) {
  json.key(key).begin_object();
  write_rows(json, "workers", repair.workers, write_worker);
  json.member("repaired_s", repair.repaired_s)
      .member("alone_s", repair.only_they_s)
      .member("saved_share", repair.saved_share)
      .member("caused_share", repair.caused_share)
      .end_object();
}

void write_sizes(JsonWriter& json, const fleet::JobSizes& sizes) {
  json.key("sizes")
      .begin_object()
      .member("data_parallel", sizes.data_parallel)
      .member("stages", sizes.stages)
      .member("chunks", sizes.chunks);
  const auto optional = [&](std::string_view key, std::optional<std::int32_t> size) {
    json.key(key);
    size ? json.value(*size) : json.null();
  };
  optional("tensor_parallel", sizes.tensor_parallel);
  optional("sequence_parallel", sizes.sequence_parallel);
  optional("devices", sizes.devices);
  json.end_object();
}

}  // namespace

std::vector<std::string> replay_sentences(const Replay& replay) {
  std::vector<std::string> sentences = {cost_sentence(replay)};
  if (has_stragglers(replay)) {
    sentences.push_back(reason_sentence(replay));
  }
  if (replay.recorded_s > replay.without_delays_s * kWorthALook) {
    sentences.push_back(delay_sentence(replay));
  }
  return sentences;
}

Section replay_section(const Replay& replay) {
  Section section = job_section(replay);
  section.key = "pipeline";
  section.title = "Its pipeline, replayed";
  return section;
}

Document replay_document(const Replay& replay, const ReplayPage& page) {
  return document_of(replay, page, false);
}

std::string replay_html(const Replay& replay, const ReplayPage& page) {
  return document_html(document_of(replay, page, true));
}

std::string replay_csv(const Replay& replay, const ReplayPage& page) {
  Document document = document_of(replay, {.path = page.path, .top = 0}, false);
  document.sections.push_back(replayed_steps(replay));
  return render_csv(document);
}

std::string replay_json(const Replay& replay, const ReplayPage& page) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object()
      .member("schema", "strobe.replay")
      .member("version", 1)
      .member("job", replay.name)
      .member("table", page.path);
  write_texts(json, "verdict", replay_sentences(replay));
  write_sizes(json, replay.sizes);
  json.member("operations", replay.operations)
      .member("recorded_s", replay.recorded_s)
      .member("without_delays_s", replay.without_delays_s)
      .member("ideal_s", replay.ideal_s)
      .member("delay_slowdown", replay.delay_slowdown())
      .member("straggler_slowdown", replay.straggler_slowdown());
  write_rows(json, "steps", replay.steps, [](JsonWriter& row, const ReplayedStep& step) {
    row.member("step", step.step)
        .member("recorded_s", step.recorded_s)
        .member("without_delays_s", step.without_delays_s)
        .member("ideal_s", step.ideal_s)
        .member("delay_slowdown", step.recorded_s / step.without_delays_s)
        .member("straggler_slowdown", step.without_delays_s / step.ideal_s);
  });
  const auto write_parts = [&](std::string_view list, std::string_view key,
                               const std::vector<PartReplay>& parts) {
    write_rows(json, list, parts,
               [&](JsonWriter& row, const PartReplay& part) { write_part(row, key, part); });
  };
  write_parts("kinds", kKinds.key, replay.kinds);
  write_parts("stages", kStages.key, replay.stages);
  write_parts("data_parallel_ranks", kDataRanks.key, replay.data_ranks);
  write_rows(json, "workers", replay.workers, write_worker);
  write_repair(json, "worst_workers", replay.worst_workers);
  write_repair(json, "last_stage", replay.last_stage);
  json.end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report
