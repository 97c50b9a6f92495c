#include "strobe/record/sampler/host_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "strobe/wire/run_settings.h"

namespace strobe::record {
namespace {

constexpr std::int64_t kPartsOfTheTime = 8;
constexpr std::int64_t kLeastPart_ns = 1'000'000'000;

}  // namespace

Result<std::unique_ptr<HostFile>> HostFile::open(const std::filesystem::path& path,
                                                 std::vector<Fact> facts,
                                                 std::optional<std::int64_t> keep_ns) {
  std::unique_ptr<HostFile> file(new HostFile(path, std::move(facts), keep_ns));
  const std::filesystem::path first = keep_ns ? file->part_path(0) : path;
  if (!file->writer_.open(first.string())) {
    return Error{.code = ErrorCode::kCannotWrite,
                 .what = std::strerror(errno),
                 .where = first.string(),
                 .hint = ""};
  }
  file->write_facts(file->facts_);
  return file;
}

HostFile::HostFile(std::filesystem::path path, std::vector<Fact> facts,
                   std::optional<std::int64_t> keep_ns)
    : path_(std::move(path)),
      keep_ns_(keep_ns),
      facts_(std::move(facts)),
      part_began_ns_(wire::run_clock_ns()) {}

std::filesystem::path HostFile::part_path(std::uint64_t number) const {
  return fmt::format("{}{}{}", path_.string(), wire::kPartSuffix, number);
}

void HostFile::write_facts(const std::vector<Fact>& facts) {
  const std::vector<std::pair<std::string_view, std::string_view>> pairs(facts.begin(),
                                                                         facts.end());
  writer_.facts(pairs);
}

void HostFile::add_facts(const std::vector<Fact>& facts) {
  const std::lock_guard lock(facts_mutex_);
  facts_.insert(facts_.end(), facts.begin(), facts.end());
  write_facts(facts);
}

bool HostFile::flush(std::int64_t now_ns) {
  log_.flush();
  if (!keep_ns_ || now_ns - part_began_ns_ < std::max(*keep_ns_ / kPartsOfTheTime, kLeastPart_ns)) {
    return false;
  }
  begin_part(now_ns);
  remove_old_parts(now_ns);
  return true;
}

void HostFile::begin_part(std::int64_t now_ns) {
  const std::lock_guard lock(facts_mutex_);
  if (!writer_.next_file(part_path(part_ + 1).string())) return;
  ended_parts_.push_back({part_, now_ns});
  ++part_;
  part_began_ns_ = now_ns;
  log_.restart();
  write_facts(facts_);
}

void HostFile::remove_old_parts(std::int64_t now_ns) {
  while (!ended_parts_.empty() && ended_parts_.front().end_ns < now_ns - *keep_ns_) {
    std::error_code ignored;
    std::filesystem::remove(part_path(ended_parts_.front().number), ignored);
    ended_parts_.pop_front();
  }
}

void HostFile::close() {
  log_.flush();
  writer_.fact(wire::kFactFinished, "1");
  writer_.close();
}

}  // namespace strobe::record
