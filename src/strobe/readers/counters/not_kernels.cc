#include "strobe/readers/counters/not_kernels.h"

#include <algorithm>
#include <string>

namespace strobe::readers {
namespace {

struct Stranger {
  std::string_view sign;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view kHowToCount =
    "count kernels with `ncu --csv --metrics gpu__time_duration.sum,... APP`, or give a trace";

constexpr Stranger kByMagic[] = {
    {"SQLite format 3", "this is an SQLite database, not a list of kernels",
     "strobe does not read Nsight Systems databases; give the profiler's JSON trace or ncu's CSV"},
    {"PK\x03\x04", "this is a zip archive, not a list of kernels",
     "unpack it and open the file inside"},
    {"\x7F"
     "ELF",
     "this is a program, not a list of kernels", "give the file that the profiler wrote"},
    {"%PDF", "this is a PDF document, not a list of kernels",
     "give the file that the profiler wrote"},
    {"<!DOCTYPE", "this is a web page, not a list of kernels",
     "the download may have been answered by a login page"},
    {"<html", "this is a web page, not a list of kernels",
     "the download may have been answered by a login page"},
    {"version https://git-lfs", "this is a Git LFS pointer, not the file itself",
     "fetch the file with `git lfs pull`"},
    {"\x89PNG", "this is a picture, not a list of kernels",
     "give the file that the profiler wrote"},
    {"\xFF\xFE", "this text is UTF-16, not UTF-8",
     "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"},
    {"\xFE\xFF", "this text is UTF-16, not UTF-8",
     "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"},
};

// Words that a text has somewhere near its beginning, the first match wins.
constexpr Stranger kByWords[] = {
    {"ERR_NVGPUCTRPERM", "ncu was not permitted to read the counters and listed no kernel",
     "run it as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
    {"No kernels were profiled", "ncu profiled no kernel",
     "look at its --kernel-name, --launch-skip and --profile-from-start options"},
    {"\"ID\";\"", "its columns are separated by semicolons",
     "write the table with commas, as ncu does"},
    {"ID;Process ID", "its columns are separated by semicolons",
     "write the table with commas, as ncu does"},
    {"Launch Settings", "this is ncu's session page, which lists no kernels",
     "write the raw page: ncu --import REPORT --csv --page raw"},
    {"Device Attributes", "this is ncu's session page, which lists no kernels",
     "write the raw page: ncu --import REPORT --csv --page raw"},
    {"Session Details", "this is ncu's session page, which lists no kernels",
     "write the raw page: ncu --import REPORT --csv --page raw"},
    {"\"Address\",\"Source\"", "this is ncu's source page, which lists no kernels",
     "write the raw page: ncu --import REPORT --csv --page raw"},
    {"Time (%)", "this is a summary by kernel, not a list of launches",
     "give the profiler's JSON trace, or count with `ncu --csv`"},
    {"Section: GPU Speed Of Light", "this is ncu's output for people, without --csv",
     "write a table: ncu --import REPORT --csv --page raw"},
    {"==PROF==", "this is the log of ncu without a table of kernels",
     "add --csv, or export a report: ncu --import REPORT --csv --page raw"},
};

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' &&
           c != '\x1B';  // colours
  });
}

Error malformed(std::string_view what, std::string_view hint) {
  return {ErrorCode::kMalformed, std::string(what), "", std::string(hint)};
}

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

Error explain_not_kernels(std::string_view first) {
  if (is_blank_text(first)) return malformed("the file is empty", kHowToCount);
  for (const Stranger& stranger : kByMagic) {
    if (first.starts_with(stranger.sign)) return malformed(stranger.what, stranger.hint);
  }
  const std::string_view sample = first.substr(0, 4096);
  if (sample.substr(0, 512).find("NVIDIA Nsight Systems") != std::string_view::npos ||
      sample.substr(0, 512).find("Tegra Profiler Report") != std::string_view::npos) {
    return malformed("this is an Nsight Systems report, not a list of kernels",
                     "give the profiler's JSON trace, or count with `ncu --csv`");
  }
  if (!is_text(sample)) {
    return malformed("this is a binary file that strobe does not know", kHowToCount);
  }
  for (const Stranger& stranger : kByWords) {
    if (first.find(stranger.sign) != std::string_view::npos) {
      return malformed(stranger.what, stranger.hint);
    }
  }
  const std::string_view line = sample.substr(0, sample.find('\n'));
  if (line.find(',') != std::string_view::npos) {
    return malformed("this is a CSV table without a column 'Kernel Name'",
                     "write it with `ncu --import REPORT --csv --page raw`");
  }
  return malformed("this is text, but no table of kernels", kHowToCount);
}

}  // namespace strobe::readers
