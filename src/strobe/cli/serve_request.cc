#include "strobe/cli/serve_request.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/device/probe.h"

namespace strobe::cli {
namespace {

constexpr std::int64_t kLeastMemoryBytes = 64 << 20;

// "/a/b" for "a/b", "/a/b/" and similar.
Result<std::string> path_prefix(std::string_view flag, std::string_view typed) {
  while (typed.starts_with('/')) typed.remove_prefix(1);
  while (typed.ends_with('/')) typed.remove_suffix(1);
  const auto is_plain = [](char c) {
    return is_letter_or_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(typed, is_plain)) {
    return bad_request(fmt::format("'{}' is not a plain path", typed), flag,
                       "use letters, digits and -._~ between slashes, such as /tools/strobe");
  }
  return typed.empty() ? std::string() : fmt::format("/{}", typed);
}

std::int64_t half_of_the_memory() {
  const device::MemoryFacts memory = device::probe_memory();
  return std::max(kLeastMemoryBytes, memory.limit_bytes.value_or(memory.total_bytes) / 2);
}

Flag memory_flag(ServeRequest& request) {
  return flag(
      "--memory SIZE",
      "most memory for loaded traces, such as 8G; strobe drops the least recently used and "
      "loads it again when needed (default: half of the memory of the machine or container)",
      to(request.memory_bytes, [](std::string_view flag, std::string_view typed) {
        return byte_count(flag, typed, kLeastMemoryBytes);
      }));
}

serve::ShelfOptions::Load load_with(readers::CacheOptions cache) {
  return
      [cache = std::move(cache)](const serve::FoundTrace& trace, const readers::LoadOptions& load) {
        Result<readers::LoadedTrace> loaded = readers::read_trace_cached(trace.path, load, cache);
        // If the cache cannot be written, loading is slower but still works.
        if (loaded) static_cast<void>(readers::store_trace(*loaded, cache));
        return loaded;
      };
}

}  // namespace

std::vector<Flag> mcp_flags(McpRequest& request) {
  std::vector<Flag> flags = {
      flag("--port N", "port of the web page that links lead to (default: 0, any free one)",
           to_number(request.options.port, 0, 65535)),
      memory_flag(request)};
  std::ranges::copy(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

std::vector<Flag> serve_flags(ServeRequest& request) {
  serve::ServeOptions& options = request.options;
  std::vector<Flag> flags = {
      flag("--host ADDRESS", "listen on this address (default: 127.0.0.1, this machine only)",
           to(options.host)),
      flag("--port N", "listen on this port; 0 picks a free one",
           to_number(options.port, 0, 65535)),
      flag("--path-prefix PATH", "serve everything below this path, for use behind a proxy",
           to(options.path_prefix, path_prefix)),
      flag("--allow-host NAME",
           "also answer requests whose Host header is this name; strobe refuses requests with "
           "other names, because a malicious web page could send such requests",
           to(options.allowed_hosts)),
      flag("--open", "open the page in the browser", to(request.opens_browser)),
      memory_flag(request)};
  std::ranges::copy(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

Result<void> complete_mcp(McpRequest& request, const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    return bad_request("no folder was given", "",
                       "`strobe mcp .` answers about the traces below the current folder");
  }
  STROBE_TRY_VOID(complete_serve(request, arguments));
  request.options.shelf.loads_unasked = false;
  request.options.needs_address = false;
  return {};
}

Result<void> complete_serve(ServeRequest& request, const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    return bad_request("no folder was given", "",
                       "`strobe serve .` serves the traces below the current folder");
  }
  serve::ServeOptions& options = request.options;
  options.places = arguments.positionals;
  options.shelf.memory_bytes = static_cast<std::uint64_t>(
      request.memory_bytes ? *request.memory_bytes : half_of_the_memory());
  options.shelf.threads = request.load.threads;
  options.shelf.load = load_with(cache_options(request.load));
  return {};
}

}  // namespace strobe::cli
