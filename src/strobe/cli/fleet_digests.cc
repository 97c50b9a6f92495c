#include "strobe/cli/fleet_digests.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/threads.h"
#include "strobe/cli/interrupt.h"
#include "strobe/fleet/digest/digest_file.h"
#include "strobe/fleet/digest/rank_numbers.h"
#include "strobe/fleet/fingerprint.h"
#include "strobe/readers/derived_cache.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/summary/import_warning.h"

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCacheName = "digests";

// What a process says about a file: its place, whether it could be read, and a digest or an error.
std::string success(std::uint32_t place, std::string_view digest) {
  std::string message(sizeof place, '\0');
  std::memcpy(message.data(), &place, sizeof place);
  message += '+';
  return message.append(digest);
}

constexpr char kBetween = '\0';

std::string failure(std::uint32_t place, const Error& error) {
  std::string message = success(place, "");
  message.back() = static_cast<char>('0' + static_cast<int>(error.code));
  for (const std::string* part : {&error.what, &error.where, &error.hint}) {
    message.append(*part).push_back(kBetween);
  }
  return message;
}

Error error_of(char code, std::string_view text) {
  const auto next = [&text] {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    std::string part(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
  };
  Error error{.code = static_cast<ErrorCode>(code - '0'), .what = {}, .where = {}, .hint = {}};
  error.what = next();
  error.where = next();
  error.hint = next();
  return error;
}

// The packed digest of a trace. Its rank is what the trace says.
Result<std::string> packed_digest(const fs::path& trace, const readers::LoadOptions& options,
                                  const readers::CacheOptions& cache) {
  const readers::DerivedCache kept(trace, kCacheName, fleet::kFingerprint, cache);
  if (std::optional<std::string> found = kept.find()) {
    if (fleet::unpack_rank_digest(*found)) return *std::move(found);
  }
  STROBE_TRY(const readers::LoadedTrace loaded, readers::read_trace_cached(trace, options, cache));
  STROBE_TRY(const fleet::RankDigest digest,
             fleet::digest_of(loaded.trace, trace.string(),
                              report::import_warning(trace.string(), loaded.report)));
  STROBE_TRY(std::string packed, fleet::pack_rank_digest(digest));
  (void)kept.keep(packed);  // the next start reads the trace again
  return packed;
}

Error not_read() {
  return {.code = ErrorCode::kInterrupted,
          .what = "a process of this job was interrupted",
          .where = "",
          .hint = ""};
}

// One message per file of this process.
std::vector<std::string> digest_own(const std::vector<readers::RankFiles>& files,
                                    const fleet::World& world, unsigned threads_chosen,
                                    const readers::CacheOptions& cache, const Terminal& terminal) {
  std::vector<std::uint32_t> own;
  for (std::size_t place = world.self(); place < files.size(); place += world.size()) {
    own.push_back(static_cast<std::uint32_t>(place));
  }
  Progress progress(terminal, "reading traces");
  readers::LoadOptions options;
  options.cancelled = &interrupted();
  options.threads = threads_chosen;
  const unsigned threads = static_cast<unsigned>(
      std::min<std::size_t>(options.thread_count(), std::max<std::size_t>(1, own.size())));
  options.threads = std::max(1u, options.thread_count() / threads);

  std::vector<std::string> messages(own.size());
  std::atomic<std::size_t> done = 0;
  each_in_threads(own.size(), threads, [&](std::size_t i) {
    const Result<std::string> digest = interrupted() || world.is_lost()
                                           ? Result<std::string>(not_read())
                                           : packed_digest(files[own[i]].trace, options, cache);
    messages[i] = digest ? success(own[i], *digest) : failure(own[i], digest.error());
    if (world.is_first()) {
      progress.show(fmt::format("reading traces: {} of {}", ++done, own.size()));
    }
  });
  if (!own.empty() && !cache.folder.empty()) {
    readers::DerivedCache(files[own.front()].trace, kCacheName, fleet::kFingerprint, cache)
        .sweep(cache.limit_bytes);
  }
  return messages;
}

// What a process said about `trace`, behind the place.
Result<fleet::RankDigest> digest_in(std::string_view message, const fs::path& trace) {
  const char kind = message.front();
  message.remove_prefix(1);
  if (kind != '+') return error_of(kind, message);
  STROBE_TRY(fleet::RankDigest digest, fleet::unpack_rank_digest(message));
  fleet::set_file(digest, trace.string());
  return digest;
}

}  // namespace

Result<fleet::JobDigests> read_job(const std::string& path, fleet::World& world,
                                   const LoadChoice& load, const Terminal& terminal) {
  const readers::CacheOptions cache = cache_options(load);
  world.connect();
  const Result<std::vector<readers::RankFiles>> found = readers::find_ranks_and_broken_ones(path);
  std::vector<std::string> own;
  if (found) own = digest_own(*found, world, load.threads, cache, terminal);
  STROBE_TRY(const auto gathered, world.gather(std::move(own)));
  STROBE_TRY_VOID(check_interrupted());
  if (!world.is_first()) return fleet::JobDigests{};
  STROBE_TRY(const std::vector<readers::RankFiles> files, found);
  std::vector<fleet::DigestedFile> digested;
  for (const readers::RankFiles& file : files) digested.push_back({file.rank, not_read()});
  for (const std::vector<std::string>& messages : gathered) {
    for (const std::string_view message : messages) {
      std::uint32_t place = 0;
      std::memcpy(&place, message.data(), sizeof place);
      digested[place].digest = digest_in(message.substr(sizeof place), files[place].trace);
    }
  }
  for (const fleet::DigestedFile& file : digested) {
    if (!file.digest && file.digest.error().code == ErrorCode::kInterrupted) {
      return file.digest.error();
    }
  }
  return fleet::number_ranks(std::move(digested), path);
}

}  // namespace strobe::cli
