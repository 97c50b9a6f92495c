#include "strobe/cli/serve_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/cli/cache_flags.h"
#include "strobe/cli/values.h"
#include "strobe/device/probe.h"

namespace strobe::cli {
namespace {

constexpr std::string_view kDefaultPort = "6007";
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kLeastMemoryBytes = 64 << 20;

// "/a/b" from "a/b", "/a/b/" and the like.
Result<std::string> path_prefix(std::string_view typed) {
  while (typed.starts_with('/')) typed.remove_prefix(1);
  while (typed.ends_with('/')) typed.remove_suffix(1);
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(typed, is_plain)) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("'{}' is no plain path", typed),
                 .where = "--path-prefix",
                 .hint = "letters, digits and -._~ between slashes, such as /tools/strobe"};
  }
  return typed.empty() ? std::string() : fmt::format("/{}", typed);
}

Result<std::uint64_t> memory_bytes(const Arguments& arguments) {
  if (!arguments.has("memory")) {
    const device::MemoryFacts memory = device::probe_memory();
    return static_cast<std::uint64_t>(
        std::max(kLeastMemoryBytes, memory.limit_bytes.value_or(memory.total_bytes) / 2));
  }
  STROBE_TRY(const std::int64_t bytes,
             byte_count("--memory", arguments.get("memory"), kLeastMemoryBytes));
  return static_cast<std::uint64_t>(bytes);
}

serve::ShelfOptions::Load load_with(readers::CacheOptions cache) {
  return
      [cache = std::move(cache)](const serve::FoundTrace& trace, const readers::LoadOptions& load) {
        Result<readers::LoadedTrace> loaded = readers::read_trace_cached(trace.path, load, cache);
        // A cache that cannot be written costs time, not answers.
        if (loaded) static_cast<void>(readers::store_trace(*loaded, cache));
        return loaded;
      };
}

}  // namespace

Result<ServeRequest> read_serve_request(const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "no folder is given",
                 .where = "",
                 .hint = "`strobe serve .` serves the traces below the folder you are in"};
  }
  ServeRequest request;
  serve::ServeOptions& options = request.options;
  options.places = arguments.positionals;
  options.host = arguments.get("host", options.host);
  STROBE_TRY(const std::int64_t port,
             whole_number("--port", arguments.get("port", kDefaultPort), 0, 65535));
  options.port = static_cast<std::uint16_t>(port);
  STROBE_TRY(options.path_prefix, path_prefix(arguments.get("path-prefix")));
  options.allowed_hosts = arguments.list("allow-host");
  STROBE_TRY(options.shelf.memory_bytes, memory_bytes(arguments));
  if (arguments.has("threads")) {
    STROBE_TRY(const std::int64_t threads,
               whole_number("--threads", arguments.get("threads"), 1, kMostThreads));
    options.shelf.threads = static_cast<unsigned>(threads);
  }
  options.shelf.load = load_with(cache_options(arguments));
  request.opens_browser = arguments.is_on("open");
  return request;
}

}  // namespace strobe::cli
