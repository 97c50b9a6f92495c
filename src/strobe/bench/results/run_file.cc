#include "strobe/bench/results/run_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/bench/results/record_json.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostRemarks = 20;

Error not_a_run(std::string what, std::string_view name) {
  return {.code = ErrorCode::kMalformed,
          .what = std::move(what),
          .where = std::string(name),
          .hint = "`strobe bench run -o run.json` writes one"};
}

struct ReadRun {
  BenchRun run;
  std::vector<std::vector<SamplePlace>> samples;  // one per cell
};

class RunReader {
 public:
  RunReader(std::string_view json, std::string_view name) : json_(json), name_(name) {}

  Result<ReadRun> read() {
    JsonWalk walk = JsonWalk::members(json_);
    std::string_view key;
    JsonValue value;
    while (walk.next_member(key, value)) {
      if (key == "schema") schema_ = value.as_string();
      if (key == "header") read_.run.header = read_header(value);
      if (key == "cells" && value.type == JsonType::kArray) read_cells(value.text);
    }
    if (schema_.empty()) return not_a_run("this is not a benchmark run: it has no schema", name_);
    if (schema_ != kBenchSchema) {
      return not_a_run(fmt::format("its schema is '{}', and strobe reads '{}'",
                                   sanitize_utf8(schema_.substr(0, 60)), kBenchSchema),
                       name_);
    }
    // A killed job leaves an array that is never closed: its complete elements are kept.
    if (walk.is_broken()) read_torn_cells();
    return finish();
  }

 private:
  void read_cells(std::string_view array) {
    has_cells_ = true;
    JsonWalk walk = JsonWalk::elements(array);
    JsonValue value;
    while (walk.next_element(value)) read_cell(value);
    if (walk.is_broken()) {
      remark(fmt::format("the list of cells is not JSON after cells[{}]; kept: {}",
                         std::max<std::size_t>(index_, 1) - 1, read_.run.cells.size()));
    }
  }

  void read_torn_cells() {
    const std::size_t at = json_.find("\"cells\"");
    const std::size_t open = has_cells_ ? std::string_view::npos : json_.find('[', at);
    if (at != std::string_view::npos && open != std::string_view::npos) {
      read_cells(json_.substr(open));
    } else {
      remark("the file breaks off before its end");
    }
  }

  void read_cell(const JsonValue& value) {
    Result<ReadRecord> cell = read_record(value);
    const std::size_t index = index_++;
    if (!cell) {
      ++unusable_;
      remark(fmt::format("cells[{}]: {}; left out", index, cell.error().what));
      return;
    }
    read_.run.cells.push_back(std::move(cell->record));
    read_.samples.push_back(std::move(cell->samples));
  }

  void remark(std::string text) {
    ++remarks_;
    if (read_.run.remarks.size() < kMostRemarks) read_.run.remarks.push_back(sanitize_utf8(text));
  }

  Result<ReadRun> finish() {
    if (remarks_ > kMostRemarks) {
      read_.run.remarks.push_back(fmt::format("{} more like these", remarks_ - kMostRemarks));
    }
    if (read_.run.cells.empty() && unusable_ > 0) {
      return not_a_run(fmt::format("none of its {} records can be used: {}", unusable_,
                                   read_.run.remarks.front()),
                       name_);
    }
    return std::move(read_);
  }

  std::string_view json_;
  std::string_view name_;
  std::string schema_;
  ReadRun read_;
  std::size_t index_ = 0;
  std::size_t unusable_ = 0;
  std::size_t remarks_ = 0;
  bool has_cells_ = false;
};

std::size_t sample_count(const CellRecord& record) {
  std::size_t count = 0;
  for (const auto& [mode, time] : record.times) count += time.samples_us.size();
  return count;
}

static_assert(std::endian::native == std::endian::little, "samples are stored in memory order");

// Samples in a file beside the run; without the file there are none.
void attach_samples(ReadRun& read, const std::filesystem::path& path, std::uint64_t most_bytes) {
  std::uint64_t expected = 0;
  for (const auto& places : read.samples) {
    for (const SamplePlace& place : places) {  // a file may claim any count
      expected = std::min(expected + std::min<std::uint64_t>(place.count, most_bytes), most_bytes);
    }
  }
  const std::filesystem::path file = samples_path(path);
  std::error_code ignored;
  if (expected == 0 || !std::filesystem::exists(file, ignored)) return;
  const Result<std::string> bytes = read_text(file, most_bytes);
  if (!bytes || bytes->size() != expected * sizeof(float)) {
    read.run.remarks.push_back(
        fmt::format("{} does not belong to this run: it should hold {} samples; left out",
                    sanitize_utf8(file.filename().string()), expected));
    return;
  }
  for (std::size_t i = 0; i < read.samples.size(); ++i) {
    for (const SamplePlace& place : read.samples[i]) {
      if (place.at > expected || place.count > expected - place.at) continue;
      std::vector<float>& samples = read.run.cells[i].times[place.mode].samples_us;
      samples.resize(place.count);
      std::memcpy(samples.data(), bytes->data() + place.at * sizeof(float),
                  place.count * sizeof(float));
    }
  }
}

}  // namespace

std::string to_json(const BenchRun& run) {
  std::string out = fmt::format("{{\"schema\":\"{}\",\n\"header\":", kBenchSchema);
  JsonWriter header(out);
  write_header(header, run.header);
  out += ",\n\"cells\":[";  // one cell per line, so that grep and sed work on a run
  RecordSurroundings around = {run.header.run, run.header.roofs, 0};
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    JsonWriter json(out);
    write_record(json, run.cells[i], around);
    around.samples_at += sample_count(run.cells[i]);
  }
  out += "\n]}\n";
  return out;
}

bool looks_like_json(std::string_view head) {
  return trimmed(without_byte_order_mark(head)).starts_with('{');
}

bool looks_like_run(std::string_view head) {
  return looks_like_json(head) && find(trimmed(without_byte_order_mark(head)), "schema")
                                      .as_string()
                                      .starts_with("strobe.bench");
}

Result<BenchRun> parse_run(std::string_view json, std::string_view name) {
  STROBE_TRY(ReadRun read, RunReader(without_byte_order_mark(json), name).read());
  return std::move(read.run);
}

Result<BenchRun> read_run(const std::filesystem::path& path, std::uint64_t most_bytes) {
  STROBE_TRY(const std::string text, read_text(path, most_bytes));
  STROBE_TRY(ReadRun read, RunReader(without_byte_order_mark(text), path.string()).read());
  attach_samples(read, path, most_bytes);
  return std::move(read.run);
}

std::filesystem::path samples_path(const std::filesystem::path& run) {
  std::filesystem::path path = run;
  for (const char* packed : {".gz", ".zst"}) {
    if (path.extension() == packed) path.replace_extension();
  }
  path += ".samples";
  return path;
}

Result<void> write_samples(const BenchRun& run, const std::filesystem::path& path) {
  std::filesystem::path unfinished = path;  // a crash leaves no partial file under the final name
  unfinished += ".part";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  for (const CellRecord& record : run.cells) {
    for (const auto& [mode, time] : record.times) {
      file.write(reinterpret_cast<const char*>(time.samples_us.data()),
                 static_cast<std::streamsize>(time.samples_us.size() * sizeof(float)));
    }
  }
  file.close();
  std::error_code trouble;
  if (file) std::filesystem::rename(unfinished, path, trouble);
  if (file && !trouble) return {};
  std::filesystem::remove(unfinished, trouble);
  return Error{.code = ErrorCode::kCannotWrite,
               .what = "the samples cannot be written",
               .where = path.string(),
               .hint = "is the folder there, and is there room on the disk?"};
}

}  // namespace strobe::bench
