#include "strobe/query/duckdb_api.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::query::duckdb {
namespace {

constexpr const char* kFileName = "libduckdb.so";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<Library> open_at(const std::string& place) {
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at(place));
  Library calls;
#define STROBE_DUCKDB_NEED(name, Returned, arguments) opened.need(calls.name, "duckdb_" #name);
  STROBE_DUCKDB_CALLS(STROBE_DUCKDB_NEED)
#undef STROBE_DUCKDB_NEED
  STROBE_TRY_VOID(opened.check_complete("a usable DuckDB"));
  calls.path = opened.path();
  return calls;
}

Result<Library> open_any() {
  std::optional<Error> refused;
  for (const std::string& place : library_places()) {
    Result<Library> opened = open_at(place);
    if (opened) return opened;
    if (opened.error().code != ErrorCode::kNotFound && !refused) refused = opened.error();
  }
  return Error{
      .code = ErrorCode::kMachineLacks,
      .what = refused ? fmt::format("DuckDB cannot be used: {} {}", refused->where, refused->what)
                      : "DuckDB, which answers queries, is not on this machine",
      .where = "",
      .hint = kHowToGet};
}

}  // namespace

std::vector<std::string> library_places() {
  // A file that is named is the only one that is tried.
  if (const std::string named = variable("STROBE_DUCKDB"); !named.empty()) return {named};
  std::vector<std::string> places;
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) {
    places.push_back((program / kFileName).string());
    places.push_back((program.parent_path() / "lib/strobe" / kFileName).string());
  }
  const std::string home = variable("HOME");
  std::string data = variable("XDG_DATA_HOME");
  if (data.empty() && !home.empty()) data = home + "/.local/share";
  if (!data.empty()) places.push_back(data + "/strobe/" + kFileName);
  places.push_back(std::string("/usr/local/lib/strobe/") + kFileName);
  places.push_back(std::string("/usr/lib/strobe/") + kFileName);
  places.emplace_back(kFileName);
  return places;
}

Result<const Library*> library() {
  static const Result<Library> opened = open_any();
  if (!opened) return opened.error();
  return &*opened;
}

const Library& opened() { return **library(); }

}  // namespace strobe::query::duckdb
