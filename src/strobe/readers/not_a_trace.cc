#include "strobe/readers/not_a_trace.h"

#include <algorithm>

namespace strobe::readers {
namespace {

struct KnownStranger {
  std::string_view magic;
  std::string_view what;
  std::string_view hint;
};

constexpr KnownStranger kStrangers[] = {
    {std::string_view("NVR\0", 4), "this is an Nsight Compute report, not a trace",
     "`strobe summary` reads timelines; export counters with `ncu --import FILE --csv`"},
    {"SQLite format 3", "this is an SQLite database, not a JSON trace",
     "strobe does not read Nsight Systems databases yet; record with the framework's profiler"},
    {"PK\x03\x04", "this is a zip archive, not a trace", "unpack it and open the trace inside"},
    {"\x7F"
     "ELF",
     "this is a program, not a trace", "give the file that the profiler wrote"},
    {"%PDF", "this is a PDF document, not a trace", "give the file that the profiler wrote"},
    {"BZh", "this is compressed with bzip2",
     "unpack it with `bunzip2`, or pack it with gzip or zstd"},
    {std::string_view("\xFD"
                      "7zXZ",
                      5),
     "this is compressed with xz", "unpack it with `unxz`, or pack it with gzip or zstd"},
    {"<!DOCTYPE", "this is a web page, not a trace",
     "the download may have been answered by a login page"},
    {"<html", "this is a web page, not a trace",
     "the download may have been answered by a login page"},
    {"version https://git-lfs", "this is a Git LFS pointer, not the trace itself",
     "fetch the file with `git lfs pull`"},
};

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
  });
}

bool looks_like_csv(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return std::count(line.begin(), line.end(), ',') >= 1;
}

}  // namespace

Error explain_not_a_trace(std::string_view first, const std::string& name) {
  for (const KnownStranger& stranger : kStrangers) {
    if (first.starts_with(stranger.magic)) {
      return {ErrorCode::kMalformed, std::string(stranger.what), name, std::string(stranger.hint)};
    }
  }
  const std::string_view sample = first.substr(0, 4096);
  if (!is_text(sample)) {
    return {ErrorCode::kMalformed, "this is a binary file, not a JSON trace", name,
            "strobe reads Chrome-style JSON traces, plain, .gz or .zst"};
  }
  if (looks_like_csv(sample)) {
    return {ErrorCode::kMalformed, "this is a CSV table, not a trace", name,
            "`strobe summary` reads timelines: give the profiler's JSON trace"};
  }
  return {ErrorCode::kMalformed, "this is text, but not JSON: a trace begins with { or [", name,
          "give the JSON file that the profiler wrote"};
}

}  // namespace strobe::readers
