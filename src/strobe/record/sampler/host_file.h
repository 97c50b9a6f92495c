#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/sampler/sample_log.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// The file of strobe's own samples. A flight recorder cuts it into parts and removes the old ones,
// as the injected library does with its files.
class HostFile {
 public:
  using Fact = std::pair<std::string, std::string>;

  static Result<std::unique_ptr<HostFile>> open(const std::filesystem::path& path,
                                                std::vector<Fact> facts,
                                                std::optional<std::int64_t> keep_ns);

  SampleLog& log() { return log_; }
  wire::RunFileWriter& writer() { return writer_; }
  // Facts that are found later; from any thread.
  void add_facts(const std::vector<Fact>& facts);

  // Writes out what was sampled. True if a new part began: series must be defined again.
  bool flush(std::int64_t now_ns);
  void close();  // the recording ended normally

 private:
  HostFile(std::filesystem::path path, std::vector<Fact> facts,
           std::optional<std::int64_t> keep_ns);

  std::filesystem::path part_path(std::uint64_t number) const;
  void write_facts(const std::vector<Fact>& facts);
  void begin_part(std::int64_t now_ns);
  void remove_old_parts(std::int64_t now_ns);

  struct EndedPart {
    std::uint64_t number;
    std::int64_t end_ns;
  };

  const std::filesystem::path path_;
  const std::optional<std::int64_t> keep_ns_;
  wire::RunFileWriter writer_;
  SampleLog log_{writer_};
  std::mutex facts_mutex_;
  std::vector<Fact> facts_;
  std::uint64_t part_ = 0;
  std::int64_t part_began_ns_ = 0;
  std::deque<EndedPart> ended_parts_;
};

}  // namespace strobe::record
