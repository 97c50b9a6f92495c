#include "strobe/readers/trace_cache.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/hash.h"
#include "strobe/readers/cache_folder.h"
#include "strobe/readers/fingerprint.h"
#include "strobe/readers/recording/run_files.h"
#include "strobe/trace/trace_file.h"

namespace strobe::readers {
namespace {

Result<ContentHash> hash_content(const std::filesystem::path& path) {
  STROBE_TRY(const File file, File::open(path));
  std::vector<char> buffer(1 << 18);
  ContentHasher hasher;
  std::uint64_t offset = 0;
  while (true) {
    STROBE_TRY(const std::size_t bytes, file.read_at(offset, buffer));
    hasher.add(std::span(buffer).first(bytes));
    offset += bytes;
    if (bytes < buffer.size()) return hasher.hash();
  }
}

CacheFolder::Key key_of(const CacheTicket& ticket, const ContentHash& content) {
  const std::uint64_t parts[] = {content.high, content.low, kFingerprint,
                                 ticket.keep_args ? 1u : 0u};
  ContentHasher hasher;
  hasher.add({reinterpret_cast<const char*>(parts), sizeof parts});
  return {ticket.stamp.bytes, hasher.hash()};
}

bool has_settled(const CacheTicket& ticket) {
  return strobe::has_settled(ticket.stamp, ticket.taken_ns);
}

// The content of the file, if it matters: from a settled stamp or by hashing the bytes.
std::optional<ContentHash> find_content(const std::filesystem::path& path,
                                        const CacheFolder* folder, const CacheTicket& ticket) {
  if (folder != nullptr) {
    if (const auto seen = folder->content_of(ticket.stamp)) return seen;
  }
  const bool may_be_cached = folder != nullptr && folder->knows_length(ticket.stamp.bytes);
  // A new file may be rewritten without a change of its stamp: the trace belongs to it only if the
  // hashes before and after reading are equal.
  if (!may_be_cached && has_settled(ticket)) return std::nullopt;
  const Result<ContentHash> content = hash_content(path);
  if (!content || stamp_of(path) != ticket.stamp) return std::nullopt;
  if (folder != nullptr && has_settled(ticket)) (void)folder->remember(ticket.stamp, *content);
  return *content;
}

std::optional<LoadedTrace> find_cached(const std::filesystem::path& path, const CacheFolder& folder,
                                       const CacheTicket& ticket) {
  const CacheFolder::Key key = key_of(ticket, *ticket.content);
  Result<TraceFile> file = map_trace_file(folder.path_of(key));
  if (!file || file->source != key.hash) return std::nullopt;
  folder.mark_used(key);
  LoadedTrace loaded;
  loaded.path = path.string();
  loaded.trace = std::move(file->trace);
  loaded.report = std::move(file->report);
  loaded.is_from_cache = true;
  return loaded;
}

// The content that the trace was read from; an error if that is unknown.
Result<ContentHash> content_behind(const LoadedTrace& loaded) {
  const CacheTicket& ticket = *loaded.ticket;
  std::optional<ContentHash> content = ticket.content;
  if (!content || !has_settled(ticket)) {
    STROBE_TRY(content, hash_content(loaded.path));
  }
  const bool is_same = has_settled(ticket) || content == ticket.content;
  if (is_same && stamp_of(loaded.path) == ticket.stamp) return *content;
  return Error{ErrorCode::kCannotWrite, "the file changed since it was read", loaded.path, {}};
}

std::string_view variable_or_nothing(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

std::filesystem::path default_cache_folder(std::string_view xdg_cache_home, std::string_view home) {
  const std::filesystem::path given(xdg_cache_home);
  if (given.is_absolute()) return given / "strobe";  // XDG says to ignore relative paths
  const std::filesystem::path own(home);
  return own.is_absolute() ? own / ".cache" / "strobe" : std::filesystem::path();
}

std::filesystem::path default_cache_folder() {
  return default_cache_folder(variable_or_nothing("XDG_CACHE_HOME"), variable_or_nothing("HOME"));
}

Result<LoadedTrace> read_trace_cached(const std::filesystem::path& path, const LoadOptions& options,
                                      const CacheOptions& cache) {
  const auto start = std::chrono::steady_clock::now();
  CacheTicket ticket{{}, wall_clock_ns(), options.keep_args, {}};
  const std::optional<FileStamp> stamp = stamp_of(path);
  if (cache.folder.empty() || !stamp || stamp->bytes < cache.least_file_bytes ||
      is_run_file(path)) {
    return read_trace(path, options);
  }
  ticket.stamp = *stamp;
  const std::optional<CacheFolder> folder = CacheFolder::open(cache.folder);
  ticket.content = find_content(path, folder ? &*folder : nullptr, ticket);
  if (folder && ticket.content) {
    if (std::optional<LoadedTrace> cached = find_cached(path, *folder, ticket)) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      cached->stages.push_back({"open from cache", elapsed.count()});
      return *std::move(cached);
    }
  }
  STROBE_TRY(LoadedTrace loaded, read_trace(path, options));
  loaded.ticket = ticket;
  return loaded;
}

Result<void> store_trace(const LoadedTrace& loaded, const CacheOptions& cache) {
  // A file of columns has no room for a snapshot.
  if (!loaded.ticket || cache.folder.empty() || loaded.snapshot) return {};
  STROBE_TRY(const ContentHash content, content_behind(loaded));
  STROBE_TRY(const CacheFolder folder, CacheFolder::create(cache.folder));
  const CacheFolder::Key key = key_of(*loaded.ticket, content);
  STROBE_TRY_VOID(folder.add(key, [&](const std::filesystem::path& name) {
    return write_trace_file(name, loaded.trace, loaded.report, key.hash);
  }));
  if (has_settled(*loaded.ticket)) {
    STROBE_TRY_VOID(folder.remember(loaded.ticket->stamp, content));
  }
  folder.sweep(cache.limit_bytes);
  return {};
}

}  // namespace strobe::readers
