#include "strobe/readers/sniff.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_scan.h"
#include "strobe/base/sqlite_log.h"
#include "strobe/readers/event_scanner.h"
#include "strobe/readers/formats.h"
#include "strobe/readers/frame.h"
#include "strobe/readers/text_source.h"
#include "strobe/trace/trace_file.h"
#include "strobe/wire/kernel_recording.h"
#include "strobe/wire/run_file_chunks.h"
#include "strobe/wire/run_settings.h"

namespace strobe::readers {

namespace fs = std::filesystem;

bool has_trace_name(const fs::path& path) {
  const std::string name = path.filename().string();
  std::string_view bare = name;
  for (const std::string_view packing : {".gz", ".zst"}) {
    if (bare.ends_with(packing)) bare.remove_suffix(packing.size());
  }
  constexpr std::string_view kEndings[] = {".json",         wire::kRunFileSuffix,
                                           ".strobe-trace", ".sqlite",
                                           ".db",           ".rpd",
                                           ".nvvp",         ".nvprof",
                                           ".pb",           ".perfetto-trace",
                                           ".pftrace",      ".csv",
                                           ".pkl",          ".pickle"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return bare.ends_with(ending); });
}

namespace {

std::string hint_for_folder(const fs::path& path) {
  std::vector<std::string> traces;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_trace(entry->path())) traces.push_back(entry->path().string());
  }
  if (traces.empty()) return "name a file; the folder has no traces";
  const std::string& first = *std::ranges::min_element(traces);
  if (traces.size() == 1) return fmt::format("name the trace in it: '{}'", first);
  return fmt::format(
      "name one of the {} traces in it, such as '{}', or the folder itself to `strobe summary`",
      traces.size(), first);
}

}  // namespace

Result<File> open_input(const fs::path& path) {
  Result<File> file = File::open(path);
  std::error_code ignored;
  if (file || !fs::is_directory(path, ignored)) return file;
  Error error = std::move(file).error();
  error.hint = hint_for_folder(path);
  return error;
}

namespace {

// Limits the decompressed bytes: a compressed file must not expand without limit here.
class FirstBytes : public ByteStream {
 public:
  explicit FirstBytes(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  Result<std::size_t> read(std::span<char> out) override {
    STROBE_TRY(const std::size_t bytes, stream_->read(out.first(std::min(out.size(), left_))));
    left_ -= bytes;
    return bytes;
  }
  std::uint64_t consumed_bytes() const override { return stream_->consumed_bytes(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::size_t left_ = kSniffBytes;
};

}  // namespace

bool looks_like_trace(std::string_view first_bytes) {
  if (is_trace_file(first_bytes)) return true;
  if (wire::begins_like_run_file(first_bytes)) return true;
  auto unpacked = open_stream(first_bytes);
  if (!unpacked) return false;
  FirstBytes stream(std::move(*unpacked));
  Window window(stream, 0);
  const char* p = nullptr;
  const Result<Frame> frame = read_front(window, p);
  if (!frame) return false;
  if (frame->is_object) return true;
  p = json::skip_blanks(p);
  RawEvent event;
  return p < window.end() && *p == '{' &&
         EventScanner().scan(p, window.end(), event) == ScanResult::kEvent && event.phase != 0;
}

bool is_trace(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return find_trace_folder(path).has_value();
  const Result<File> file = File::open(path);
  if (!has_trace_name(path) || !file || !file->is_seekable()) return false;
  std::string first(kSniffBytes, '\0');
  const Result<std::size_t> bytes = file->read_at(0, first);
  if (bytes && looks_like_trace(std::string_view(first).substr(0, *bytes))) return true;
  const Result<TraceInput> input = TraceInput::open(path);
  return input && find_format(*input) != nullptr;
}

namespace {

// Something else that users may pass to strobe.
struct Stranger {
  std::string_view sign;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view kGiveProfilersFile = "give the file that the profiler wrote";
constexpr std::string_view kLoginPage = "the download may have been answered by a login page";
constexpr std::string_view kSaveAsUtf8 = "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE";
constexpr std::string_view kWriteRawPage =
    "write the raw page: ncu --import REPORT --csv --page raw";
constexpr std::string_view kHowToCount =
    "count kernels with `ncu --csv --metrics gpu__time_duration.sum,... APP`, or give a trace";

constexpr std::string_view kReadsCounters = "`strobe kernels FILE` reads it";
constexpr std::string_view kExportReport =
    "export it and open the result: nsys export --type=sqlite FILE";

// By the first bytes. The sentence ends with what was expected: ", not a trace".
constexpr Stranger kByMagic[] = {
    {"\x7F"
     "ELF",
     "this is a program", kGiveProfilersFile},
    {"%PDF", "this is a PDF document", kGiveProfilersFile},
    {"\x89PNG", "this is a picture", kGiveProfilersFile},
    {"<!DOCTYPE", "this is a web page", kLoginPage},
    {"<html", "this is a web page", kLoginPage},
};

// By the first bytes, as whole sentences.
constexpr Stranger kWhereATraceBelongs[] = {
    {std::string_view(wire::kRecordingMagic, sizeof wire::kRecordingMagic),
     "this is a recording of kernels with counters, not a trace", kReadsCounters},
    {std::string_view("NVR\0", 4), "this is an Nsight Compute report, not a trace", kReadsCounters},
    {"NVIDIA Tegra Profiler Report",
     "this is a report of Nsight Systems (.nsys-rep), not its SQLite export", kExportReport},
    {"SQLite format 3",
     "this is an SQLite database, but without the tables of a profiler that strobe knows",
     "give the database that the profiler exported"},
    {"version https://git-lfs", "this is a Git LFS pointer, not the trace itself",
     "fetch the file with `git lfs pull`"},
};

constexpr Stranger kWhereKernelsBelong[] = {
    {"SQLite format 3",
     "this is an SQLite database, but without the tables of a profiler that strobe knows",
     "give the database that the profiler exported, or ncu's CSV or report"},
    {"version https://git-lfs", "this is a Git LFS pointer, not the file itself",
     "fetch the file with `git lfs pull`"},
    {"\xFF\xFE", "this text is UTF-16, not UTF-8", kSaveAsUtf8},
    {"\xFE\xFF", "this text is UTF-16, not UTF-8", kSaveAsUtf8},
};

// Words near the beginning of a text; the first match wins.
constexpr Stranger kByWords[] = {
    {"ERR_NVGPUCTRPERM", "ncu was not permitted to read the counters and listed no kernel",
     "run it as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
    {"No kernels were profiled", "ncu profiled no kernel",
     "look at its --kernel-name, --launch-skip and --profile-from-start options"},
    {"\"ID\";\"", "its columns are separated by semicolons",
     "write the table with commas, as ncu does"},
    {"ID;Process ID", "its columns are separated by semicolons",
     "write the table with commas, as ncu does"},
    {"Launch Settings", "this is ncu's session page, which lists no kernels", kWriteRawPage},
    {"Device Attributes", "this is ncu's session page, which lists no kernels", kWriteRawPage},
    {"Session Details", "this is ncu's session page, which lists no kernels", kWriteRawPage},
    {"\"Address\",\"Source\"", "this is ncu's source page, which lists no kernels", kWriteRawPage},
    {"Time (%)", "this is a summary by kernel, not a list of launches",
     "give the profiler's JSON trace, or count with `ncu --csv`"},
    {"Section: GPU Speed Of Light", "this is ncu's output for people, without --csv",
     "write a table: ncu --import REPORT --csv --page raw"},
    {"==PROF==", "this is the log of ncu without a table of kernels",
     "add --csv, or export a report: ncu --import REPORT --csv --page raw"},
};

Error malformed(std::string_view what, std::string_view hint) {
  return {ErrorCode::kMalformed, std::string(what), "", std::string(hint)};
}

std::optional<Error> explain_by_magic(std::string_view first, std::string_view wanted,
                                      std::span<const Stranger> own) {
  if (auto archive = foreign_archive(first)) return archive;
  for (const Stranger& stranger : own) {
    if (first.starts_with(stranger.sign)) return malformed(stranger.what, stranger.hint);
  }
  for (const Stranger& stranger : kByMagic) {
    if (!first.starts_with(stranger.sign)) continue;
    return malformed(std::string(stranger.what) + ", not " + std::string(wanted), stranger.hint);
  }
  return std::nullopt;
}

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' &&
           c != '\x1B';  // colours
  });
}

// Binary files that strobe does not read, or that are damaged where they begin.
std::optional<Error> explain_binary(std::string_view first) {
  const bool is_pickle = first.size() > 1 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5;
  if (is_pickle) {
    return malformed("this is a Python pickle, such as a memory snapshot of PyTorch, not a trace",
                     "record with torch.profiler and call export_chrome_trace(\"trace.json\")");
  }
  if (!first.starts_with('\n')) return std::nullopt;  // field 1 of a protocol buffer
  const std::string_view front = first.substr(0, 256);
  const auto has = [&](std::string_view word) {
    return front.find(word) != std::string_view::npos;
  };
  if (has("/host:") || has("/device:")) {
    return malformed("this begins like an XPlane profile, but its first plane is damaged",
                     "give the file as the profiler wrote it, or the *.trace.json.gz beside it");
  }
  return malformed(
      "this begins like a protocol buffer, but is neither an XPlane profile nor a Perfetto trace",
      kGiveProfilersFile);
}

// A session of the Visual Profiler names its files and rows, and holds no events.
std::optional<Error> explain_xml(std::string_view first) {
  if (!first.starts_with("<?xml") && !first.starts_with("<session")) return std::nullopt;
  if (first.find("<session") == std::string_view::npos) {
    return malformed("this is an XML document, not a trace", kGiveProfilersFile);
  }
  return malformed(
      "this is a session of the NVIDIA Visual Profiler (XML), which has no events of its own",
      "give the file that the session was made of, or write one: nvprof -o run.nvprof PROGRAM");
}

bool looks_like_csv(std::string_view text) {
  return text.substr(0, text.find('\n')).find(',') != std::string_view::npos;
}

// ncu's tables, raw or by metric, with or without its log before them.
bool looks_like_counters(std::string_view text) {
  return text.find("Kernel Name") != std::string_view::npos ||
         text.find("Kernel_Name") != std::string_view::npos ||
         text.find("==PROF==") != std::string_view::npos;
}

}  // namespace

Error explain_not_a_trace(std::string_view first) {
  if (auto known = explain_by_magic(first, "a trace", kWhereATraceBelongs)) return *known;
  const std::string_view sample = first.substr(0, 4096);
  if (!is_text(sample)) {
    if (auto known = explain_binary(sample)) return *known;
    return malformed("this is a binary file that strobe does not know",
                     "`strobe --help` names what it reads");
  }
  if (auto known = explain_xml(sample)) return *known;
  if (looks_like_counters(sample)) {
    return malformed("this is a table of kernels with counters, not a trace", kReadsCounters);
  }
  if (looks_like_csv(sample)) {
    return malformed("this is a CSV table, not a trace",
                     "`strobe summary` reads timelines: give the profiler's JSON trace");
  }
  return malformed("this is text, but not JSON: a trace begins with { or [",
                   "give the JSON file that the profiler wrote");
}

Error explain_by_name(const fs::path& path, Error error) {
  if (error.code != ErrorCode::kMalformed) return error;
  if (const auto log = sqlite::unread_log(path)) {
    return {ErrorCode::kMalformed,
            fmt::format("the tables of this SQLite database are still in the log beside it, '{}'",
                        log->filename().string()),
            std::move(error.where), std::string(sqlite::kHowToMergeLog)};
  }
  if (path.extension() != ".qdstrm") return error;
  return {
      ErrorCode::kMalformed,
      "this is a raw stream of Nsight Systems (.qdstrm), which only its own importer reads",
      std::move(error.where),
      "make a report of it with `QdstrmImporter -i FILE`, then `nsys export --type=sqlite` makes "
      "a database of that"};
}

Error explain_not_kernels(std::string_view first) {
  if (first.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return malformed("the file is empty", kHowToCount);
  }
  if (auto known = explain_by_magic(first, "a list of kernels", kWhereKernelsBelong)) return *known;
  const std::string_view sample = first.substr(0, 4096);
  if (sample.substr(0, 512).find("NVIDIA Nsight Systems") != std::string_view::npos ||
      sample.substr(0, 512).find("Tegra Profiler Report") != std::string_view::npos) {
    return malformed("this is an Nsight Systems report, not a list of kernels",
                     "give the profiler's JSON trace, or count with `ncu --csv`");
  }
  if (!is_text(sample)) {
    if (auto known = explain_binary(sample)) return *known;
    return malformed("this is a binary file that strobe does not know", kHowToCount);
  }
  for (const Stranger& stranger : kByWords) {
    if (first.find(stranger.sign) != std::string_view::npos) {
      return malformed(stranger.what, stranger.hint);
    }
  }
  if (looks_like_csv(sample)) {
    if (sample.starts_with("Index,KernelName,")) {
      return malformed("these counters of rocprof have no times of their kernels",
                       "count with `rocprof --timestamp on`");
    }
    return malformed(
        "this is a CSV table without a column 'Kernel Name'",
        "write it with `ncu --import REPORT --csv --page raw`, or count with rocprofv3");
  }
  return malformed("this is text, but not a table of kernels", kHowToCount);
}

}  // namespace strobe::readers
