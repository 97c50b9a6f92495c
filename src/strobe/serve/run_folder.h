#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/result.h"
#include "strobe/readers/formats.h"

namespace strobe::serve {

struct FoundTrace {
  std::string name;            // its path below the served folder; requests use it
  std::filesystem::path path;  // a file, or a folder that is one trace
  std::string run;
  std::string worker;
  std::string span;
  bool is_profile = false;  // its name follows the pattern of PyTorch's plugin
  FileStamp stamp;          // of a folder, what its files have together
  bool operator==(const FoundTrace&) const = default;
};

// A list of kernels with their counters.
struct FoundKernels {
  std::string name;  // like that of a trace; unique among all files
  std::filesystem::path path;
  FileStamp stamp;
  bool operator==(const FoundKernels&) const = default;
};

enum class BenchContent : std::uint8_t { kRun, kGrids };

// A benchmark file: one of strobe's own runs, or tables of ratios.
struct FoundBench {
  std::string name;  // like that of a trace; unique among all files
  std::filesystem::path path;
  FileStamp stamp;
  BenchContent content = BenchContent::kRun;
  bool operator==(const FoundBench&) const = default;
};

// The kind of benchmark in a file that begins like this, plain or compressed; nothing if none.
std::optional<BenchContent> bench_content(std::string_view first_bytes);

// Clients know a file's name, not its path on this machine.
Error renamed(Error error, const std::filesystem::path& path, const std::string& name);

// Changes when the file does.
std::string stamp_text(const FileStamp& stamp);

// The traces, lists of kernels and benchmarks on disk: a folder with everything below it, or a few
// files. Files named like profiles are always traces; the content decides for others. A folder that
// is one trace in several files is listed as one. The processes of a run that strobe recorded are
// traces of one run, named after its folder. Links are followed,
// loops are detected; names refer only to files that a scan has found.
class RunFolder {
 public:
  static Result<RunFolder> open(const std::vector<std::string>& places);

  const std::string& label() const { return label_; }          // as the user gave it
  const std::filesystem::path& root() const { return root_; }  // everything that is found is below

  // Sorted by name. Fast if little has changed: folders are read again if their modification time
  // has changed, files are examined once.
  std::vector<FoundTrace> scan();
  // The other files of the last scan, sorted by name.
  const std::vector<FoundKernels>& kernel_files() const { return kernel_files_; }
  const std::vector<FoundBench>& bench_files() const { return bench_files_; }

 private:
  enum class Content : std::uint8_t { kOther, kTrace, kKernels, kBenchRun, kBenchGrids };
  enum class Wanted : std::uint8_t {
    kAnything,  // that is recognised
    kAsTrace,   // the user says that it is one
    kLists,     // no trace: it is a part of one
  };
  struct Listing {
    std::int64_t modified_ns = 0;
    std::int64_t read_ns = 0;
    std::vector<std::string> folders;     // including links that may be folders
    std::vector<std::string> candidates;  // by name
  };
  struct SeenAs {
    std::uint64_t look = 0;  // changes with what it holds
    std::optional<readers::TraceFolder> trace;
  };
  struct Sniffed {
    FileStamp stamp;
    Content content = Content::kOther;
  };
  struct FolderId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const FolderId&) const = default;
  };
  struct Walk;

  void walk(const std::filesystem::path& folder, Walk& state);
  const Listing& listing_of(const std::filesystem::path& folder, std::int64_t modified_ns);
  // The trace that a folder is; nullptr if it is none.
  const readers::TraceFolder* trace_in(const std::filesystem::path& folder, const Listing& listing);
  void add(const std::filesystem::path& path, Wanted wanted, Walk& state);
  void add_folder(const std::filesystem::path& folder, const readers::TraceFolder& trace,
                  Walk& state);
  std::string name_of(const std::filesystem::path& path) const;
  Content content_of(const std::filesystem::path& path, const FileStamp& stamp);
  static Content sniff(std::string_view first_bytes);
  std::string run_of(const std::filesystem::path& path) const;

  std::string label_;
  std::filesystem::path root_;
  std::optional<std::vector<std::filesystem::path>> files_;  // only these
  std::map<std::filesystem::path, Listing> listings_;
  std::map<std::filesystem::path, SeenAs> folders_;
  std::map<std::filesystem::path, Sniffed> sniffed_;
  std::vector<FoundKernels> kernel_files_;
  std::vector<FoundBench> bench_files_;
};

}  // namespace strobe::serve
