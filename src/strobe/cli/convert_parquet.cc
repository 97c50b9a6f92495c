#include "strobe/cli/convert_parquet.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/query_runs.h"
#include "strobe/cli/talk.h"
#include "strobe/query/query.h"
#include "strobe/query/table_files.h"

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;

Error cannot_place(const fs::path& path, const std::error_code& why) {
  return {.code = ErrorCode::kCannotWrite,
          .what = why.message(),
          .where = path.string(),
          .hint = "choose another folder with --output"};
}

// A folder inside the target, so that its files can be renamed into place; gone at the end.
class Staging {
 public:
  static Result<Staging> open(const fs::path& target) {
    std::error_code failed;
    const bool is_new = fs::create_directories(target, failed);
    if (failed) return cannot_place(target, failed);
    const fs::path folder = target / fmt::format(".strobe-{}", getpid());
    fs::create_directory(folder, failed);
    if (failed) return cannot_place(target, failed);
    return Staging(target, folder, is_new);
  }
  Staging(Staging&& other) noexcept
      : target_(std::move(other.target_)),
        folder_(std::exchange(other.folder_, {})),
        is_new_(other.is_new_) {}
  Staging& operator=(Staging&&) = delete;
  ~Staging() {
    if (folder_.empty()) return;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    if (is_new_) fs::remove(target_, ignored);  // only if it is still empty
  }

  fs::path file(const std::string& name) const { return folder_ / name; }
  Result<void> publish(const std::string& name) const {
    std::error_code failed;
    fs::rename(file(name), target_ / name, failed);
    if (failed) return cannot_place(target_ / name, failed);
    return {};
  }

 private:
  Staging(fs::path target, fs::path folder, bool is_new)
      : target_(std::move(target)), folder_(std::move(folder)), is_new_(is_new) {}

  fs::path target_;
  fs::path folder_;
  bool is_new_;
};

Result<void> expect_content(const std::vector<QueriedRun>& runs) {
  for (const QueriedRun& one : runs) {
    if (one.counters != nullptr || one.bench != nullptr) return {};
    for (const RankCapture& rank : one.run.ranks) {
      if (rank.trace->slice_count() != 0 || rank.trace->counters().size() != 0 ||
          rank.trace->instants().size() != 0) {
        return {};
      }
    }
  }
  return Error{.code = ErrorCode::kTooLittleData,
               .what = "there is nothing to convert",
               .where = runs.empty() ? "" : runs.front().run.label,
               .hint = ""};
}

}  // namespace

Result<void> convert_to_parquet(const ConvertRequest& request, const Terminal& terminal) {
  STROBE_TRY_VOID(query::engine_facts());  // before a long load
  STROBE_TRY(const Staging staging, Staging::open(request.output));
  Stages stages(terminal);
  STROBE_TRY(const std::vector<QueriedRun> runs, load_runs(request.inputs, request.load, terminal));
  STROBE_TRY_VOID(expect_content(runs));
  stages.end("load");
  query::EngineOptions options{.threads = request.load.threads};
  const std::vector<query::SchemaTable> tables = query::schema();
  for (const query::SchemaTable& table : tables) {
    options.outputs.push_back(staging.file(query::table_file(table.name)).string());
  }
  STROBE_TRY(query::Engine engine, query::Engine::open(query_inputs(runs), options));
  std::uint64_t written_bytes = 0;
  {
    Progress progress(terminal, "writing");
    for (const query::SchemaTable& table : tables) {
      progress.show(fmt::format("writing {}", table.name));
      const fs::path file = staging.file(query::table_file(table.name));
      STROBE_TRY_VOID(engine.write_parquet(fmt::format("from {}", table.name), file.string(),
                                           {.cancelled = &interrupted()}));
      std::error_code failed;
      written_bytes += fs::file_size(file, failed);
      if (failed) return cannot_place(file, failed);
    }
  }
  STROBE_TRY_VOID(check_interrupted());
  for (const query::SchemaTable& table : tables) {
    STROBE_TRY_VOID(staging.publish(query::table_file(table.name)));
  }
  stages.end("write");
  if (terminal.quiet) return {};
  say(fmt::format("strobe: wrote {} to {} ({})\n", counted(tables.size(), "file"), request.output,
                  decimal_bytes_text(static_cast<double>(written_bytes))));
  say(fmt::format("  next: strobe query {} top-kernels\n", request.output));
  return {};
}

}  // namespace strobe::cli
