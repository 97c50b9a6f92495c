#include "strobe/serve/bench_shelf.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/serve/api.h"
#include "strobe/serve/bench_answer.h"
#include "strobe/serve/bench_cell_answer.h"
#include "strobe/serve/bench_table_answer.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

// A benchmark in memory: a run, or tables of ratios.
struct BenchFile {
  std::optional<bench::BenchRun> run;
  std::optional<bench::RatioGrids> grids;
  std::vector<bench::IdentityCheck> identities;  // of the tables
};

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

// Refuses more than a page can show: a compressed file may contain any amount.
Result<BenchFile> read_bench_file(const FoundBench& found) {
  BenchFile file;
  if (found.content == BenchContent::kRun) {
    auto run = bench::read_run(found.path, kMostBytes);
    if (!run) return renamed(run.error(), found.path, found.name);
    file.run = std::move(*run);
    return file;
  }
  const auto text = read_text(found.path, kMostBytes);
  if (!text) return renamed(text.error(), found.path, found.name);
  auto grids = bench::parse_ratio_grids(*text, found.name);
  if (!grids) return renamed(grids.error(), found.path, found.name);
  file.grids = std::move(*grids);
  file.identities = bench::check_identities(*file.grids);
  return file;
}

using SharedFile = std::shared_ptr<const BenchFile>;

Error not_in_file(std::string_view parameter, std::string_view value, std::string hint) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("the file has no {} '{}'", parameter, value.substr(0, 100)),
          .where = std::string(parameter),
          .hint = std::move(hint)};
}

Result<FoundBench> find_file(const std::string& name, const ShelfView& view) {
  const auto found = std::ranges::find(view.bench_files, name, &FoundBench::name);
  if (found != view.bench_files.end()) return *found;
  return Error{.code = ErrorCode::kNotFound,
               .what = fmt::format("no benchmark is called '{}'", name.substr(0, 200)),
               .where = "file",
               .hint = "see /api/v1/bench"};
}

struct Question {
  std::string case_id;
  std::string baseline;
  std::string contender;
  bench::DType dtype = bench::DType::kF32;
  std::optional<bench::TimeMode> mode;

  bench::PairQuestion view() const { return {case_id, dtype, baseline, contender, mode}; }
};

// Refuses providers that the case does not have.
Result<void> check_provider(const bench::BenchRun& run, const Question& question,
                            std::string_view parameter, const std::string& provider) {
  const bool is_there = std::ranges::any_of(run.cells, [&](const bench::CellRecord& record) {
    return record.cell.case_id == question.case_id && record.cell.dtype == question.dtype &&
           record.cell.provider == provider;
  });
  if (is_there) return {};
  return not_in_file(parameter, provider, "`sections` of /api/v1/bench?file= lists the providers");
}

Result<Question> read_question(const Query& query, const bench::BenchRun& run, bool is_pair) {
  Question question;
  STROBE_TRY(question.case_id, query.text("case"));
  const auto first = std::ranges::find(run.cells, question.case_id, [](const auto& record) {
    return std::string_view(record.cell.case_id);
  });
  if (first == run.cells.end()) {
    return not_in_file("case", question.case_id,
                       "`sections` of /api/v1/bench?file= lists the cases");
  }
  question.dtype = first->cell.dtype;
  if (const auto dtype = query.optional_text("dtype")) {
    auto parsed = bench::parse_dtype(*dtype);
    if (!parsed) {
      return Error{ErrorCode::kInvalidArgument, parsed.error().what, "dtype", parsed.error().hint};
    }
    question.dtype = *parsed;
  }
  if (const auto time = query.optional_text("time")) {
    auto parsed = bench::parse_mode(*time);
    if (!parsed) {
      return Error{ErrorCode::kInvalidArgument, parsed.error().what, "time", parsed.error().hint};
    }
    question.mode = *parsed;
  }
  if (!is_pair) return question;
  STROBE_TRY(question.baseline, query.text("baseline"));
  STROBE_TRY(question.contender, query.text("contender"));
  STROBE_TRY_VOID(check_provider(run, question, "baseline", question.baseline));
  STROBE_TRY_VOID(check_provider(run, question, "contender", question.contender));
  return question;
}

Result<std::string> cell_answer(const std::string& name, const Query& query,
                                const bench::BenchRun& run) {
  STROBE_TRY(const Question question, read_question(query, run, true));
  STROBE_TRY(const std::string text, query.text("shape"));
  auto shape = bench::parse_shape(text);
  if (!shape) {
    return Error{ErrorCode::kInvalidArgument, shape.error().what, "shape", shape.error().hint};
  }
  auto answer = bench_cell_answer(name, run, question.view(), *shape);
  if (!answer) return not_in_file("shape", text, "`cells` of /api/v1/bench/table lists the shapes");
  return std::move(*answer);
}

Result<std::string> run_answer(std::string_view route, const std::string& name, const Query& query,
                               const bench::BenchRun& run) {
  if (route == "bench") return bench_run_answer(name, run);
  if (route == "bench/cell") return cell_answer(name, query, run);
  const bool is_table = route == "bench/table";
  STROBE_TRY(const Question question, read_question(query, run, is_table));
  return is_table ? bench_table_answer(name, run, question.view())
                  : bench_points_answer(name, run, question.view());
}

// The table that matches all given parameters; a missing parameter matches everything.
Result<std::string> grid_answer(const std::string& name, const Query& query,
                                const bench::RatioGrids& grids) {
  const auto fits = [&](std::string_view key, std::string_view value) {
    const auto wanted = query.optional_text(key);
    return !wanted || *wanted == value;
  };
  STROBE_TRY(const std::string case_id, query.text("case"));
  for (const bench::RatioGrid& grid : grids.grids) {
    if (grid.case_id == case_id && fits("version", grid.version) && fits("device", grid.device) &&
        fits("dtype", grid.dtype) && fits("baseline", grid.baseline) &&
        fits("contender", grid.contender) && fits("metric", metric_name(grid.metric))) {
      return bench_table_answer(name, grid);
    }
  }
  return not_in_file("case", case_id, "`tables` of /api/v1/bench?file= lists them all");
}

Result<std::string> answer_of(std::string_view route, const std::string& name, const Query& query,
                              const BenchFile& file) {
  if (file.run) return run_answer(route, name, query, *file.run);
  if (route == "bench") return bench_grids_answer(name, *file.grids, file.identities);
  if (route == "bench/table") return grid_answer(name, query, *file.grids);
  return Error{ErrorCode::kInvalidArgument, "tables of ratios have neither times nor kernels",
               "file", "ask for bench/table"};
}

Result<SharedFile> read(const FoundBench& found) {
  STROBE_TRY(BenchFile file, read_bench_file(found));
  return std::make_shared<const BenchFile>(std::move(file));
}

}  // namespace

Result<BenchShelf::Body> BenchShelf::answer(std::string_view route, const Query& query,
                                            const ShelfView& view) {
  constexpr std::string_view kRoutes[] = {"bench", "bench/table", "bench/cell", "bench/points"};
  if (std::ranges::find(kRoutes, route) == std::end(kRoutes)) return no_route(route);
  const auto name = query.optional_text("file");
  if (!name && route == "bench") {
    return std::make_shared<const std::string>(bench_list_answer(view.bench_files));
  }
  STROBE_TRY(const std::string wanted, query.text("file"));
  STROBE_TRY(const FoundBench found, find_file(wanted, view));
  const auto kept = kept_.place_of(fmt::format("{}\n{}", found.name, stamp_text(found.stamp)));
  const Result<SharedFile>& file = kept->get([&] { return read(found); });
  if (!file) return file.error();
  STROBE_TRY(std::string body, answer_of(route, wanted, query, **file));
  return std::make_shared<const std::string>(std::move(body));
}

}  // namespace strobe::serve
