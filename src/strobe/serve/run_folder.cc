#include "strobe/serve/run_folder.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/hash.h"
#include "strobe/base/json_text.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/readers/sniff.h"
#include "strobe/tensorboard/file_name.h"
#include "strobe/wire/run_file_chunks.h"
#include "strobe/wire/run_settings.h"

namespace strobe::serve {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostFolders = 200'000;  // links between folders multiply paths
constexpr std::string_view kPackings[] = {".gz", ".zst"};
constexpr std::string_view kKernelEndings[] = {".csv", ".txt", ".ncu-rep"};  // JSON may be either

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::optional<struct stat> look_at(const fs::path& path) {
  struct stat seen {};
  if (stat(path.c_str(), &seen) != 0) return std::nullopt;
  return seen;
}

std::string_view without_packing(std::string_view name) {
  for (const std::string_view packing : kPackings) {
    if (name.ends_with(packing)) return name.substr(0, name.size() - packing.size());
  }
  return name;
}

// Whether its content must be checked.
bool is_candidate(std::string_view name) {
  const std::string_view bare = without_packing(name);
  return readers::has_trace_name(name) ||
         std::ranges::any_of(kKernelEndings, [&](auto ending) { return bare.ends_with(ending); });
}

// The stamp of a folder changes with any of the files.
std::optional<FileStamp> stamp_of_files(const fs::path& folder,
                                        const std::vector<fs::path>& files) {
  const auto seen = look_at(folder);
  if (!seen) return std::nullopt;
  FileStamp all{.device = seen->st_dev, .inode = seen->st_ino};
  for (const fs::path& file : files) {
    const auto stamp = stamp_of(file);
    if (!stamp) continue;
    all.bytes += stamp->bytes;
    all.modified_ns = std::max(all.modified_ns, stamp->modified_ns);
    all.changed_ns = std::max(all.changed_ns, stamp->changed_ns);
  }
  return all;
}

// Names that differ only in bytes that are not valid text would be equal for a client.
template <class Found>
void sort_by_name(std::vector<Found>& found) {
  std::ranges::sort(found, {}, &Found::name);
  const auto is_same = [](const Found& a, const Found& b) { return a.name == b.name; };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
}

Error no_such_place(const std::string& place) {
  return {ErrorCode::kNotFound, "there is no such file or folder", place,
          "check the path; a folder stands for all traces below it"};
}

// The deepest folder that contains all of them.
fs::path folder_above(const std::vector<fs::path>& files) {
  fs::path shared = files[0].parent_path();
  for (const fs::path& file : files) {
    while (true) {
      const auto [end, other] =
          std::mismatch(shared.begin(), shared.end(), file.begin(), file.end());
      if (end == shared.end()) break;
      shared = shared.parent_path();
    }
  }
  return shared;
}

// The spans of a run depend on all of its files.
void number_spans(std::vector<FoundTrace>& found) {
  std::map<std::string, std::vector<FoundTrace*>> profiles;
  for (FoundTrace& trace : found) {
    if (trace.is_profile) profiles[trace.run].push_back(&trace);
  }
  for (auto& [run, traces] : profiles) {
    std::vector<tensorboard::FileName> names;
    for (const FoundTrace* trace : traces) {
      names.push_back(*tensorboard::parse_file_name(trace->path.filename().string()));
    }
    const std::vector<std::string> spans = tensorboard::number_spans(names);
    for (std::size_t i = 0; i < traces.size(); ++i) traces[i]->span = spans[i];
  }
}

bool is_recorded(const FoundTrace& trace) { return trace.path.extension() == wire::kRunFileSuffix; }

// strobe's own samples beside recorded processes are part of their traces.
void leave_out_samples(std::vector<FoundTrace>& found) {
  const auto has_samples = [](const FoundTrace& trace) {
    return is_recorded(trace) && trace.path.filename().string().starts_with(wire::kHostFilePrefix);
  };
  std::set<fs::path> with_processes;
  for (const FoundTrace& trace : found) {
    if (is_recorded(trace) && !has_samples(trace)) with_processes.insert(trace.path.parent_path());
  }
  std::erase_if(found, [&](const FoundTrace& trace) {
    return has_samples(trace) && with_processes.contains(trace.path.parent_path());
  });
}

std::string worker_of(const std::string& file_name) {
  const std::string_view ending = wire::kRunFileSuffix;
  if (file_name.ends_with(ending)) return file_name.substr(0, file_name.size() - ending.size());
  return tensorboard::without_endings(file_name);
}

constexpr std::size_t kUnpackedBytes = 16 << 10;  // enough to recognise a benchmark

}  // namespace

struct RunFolder::Walk {
  std::vector<FolderId> above;  // the folders above the current one
  std::set<fs::path> seen;
  std::vector<FoundTrace> found;
  std::vector<FoundKernels> kernels;
  std::vector<FoundBench> benches;
};

Result<RunFolder> RunFolder::open(const std::vector<std::string>& places) {
  std::vector<fs::path> files;
  RunFolder folder;
  for (const std::string& place : places) {
    const auto seen = look_at(place);
    if (!seen) return no_such_place(place);
    const fs::path absolute = fs::absolute(place).lexically_normal();
    const fs::path named = absolute.has_filename() ? absolute : absolute.parent_path();
    if (!S_ISDIR(seen->st_mode) || (places.size() > 1 && readers::is_trace(named))) {
      files.push_back(named);
      continue;
    }
    if (places.size() > 1) {
      return Error{ErrorCode::kInvalidArgument, "serve takes one folder, or files", place,
                   "give the folder above them"};
    }
    folder.root_ = named;
  }
  folder.label_ = places.size() == 1 ? places[0] : fmt::format("{} traces", places.size());
  if (!files.empty()) {
    folder.root_ = folder_above(files);
    folder.files_ = std::move(files);
  }
  return folder;
}

std::vector<FoundTrace> RunFolder::scan() {
  Walk state;
  if (files_) {
    for (const fs::path& file : *files_) {
      if (const auto folder = readers::find_trace_folder(file)) {
        add_folder(file, *folder, state);
      } else {
        add(file, Wanted::kAsTrace, state);
      }
    }
  } else {
    walk(root_, state);
    leave_out_samples(state.found);
    const auto is_gone = [&](const auto& known) { return !state.seen.contains(known.first); };
    std::erase_if(listings_, is_gone);
    std::erase_if(folders_, is_gone);
  }
  sort_by_name(state.found);
  sort_by_name(state.kernels);
  sort_by_name(state.benches);
  kernel_files_ = std::move(state.kernels);
  bench_files_ = std::move(state.benches);
  number_spans(state.found);
  return std::move(state.found);
}

void RunFolder::walk(const fs::path& folder, Walk& state) {
  const auto seen = look_at(folder);
  if (!seen || !S_ISDIR(seen->st_mode)) return;
  const FolderId id{seen->st_dev, seen->st_ino};
  if (std::ranges::find(state.above, id) != state.above.end()) return;
  if (state.above.size() >= kMostDepth || state.seen.size() >= kMostFolders) return;
  state.seen.insert(folder);
  state.above.push_back(id);
  const Listing& listing = listing_of(folder, nanoseconds(seen->st_mtim));
  const readers::TraceFolder* trace = trace_in(folder, listing);
  if (trace != nullptr) add_folder(folder, *trace, state);
  const Wanted wanted = trace != nullptr ? Wanted::kLists : Wanted::kAnything;
  for (const std::string& name : listing.candidates) add(folder / name, wanted, state);
  if (trace == nullptr || !trace->owns_folders) {
    for (const std::string& name : listing.folders) walk(folder / name, state);
  }
  state.above.pop_back();
}

// Whether a folder is a trace depends on the files in it, and on the names in the folders below.
const readers::TraceFolder* RunFolder::trace_in(const fs::path& folder, const Listing& listing) {
  std::string look;
  for (const std::string& name : listing.candidates) {
    const auto stamp = stamp_of(folder / name);
    look += fmt::format("{} {}\n", name, stamp ? stamp_text(*stamp) : "");
  }
  for (const std::string& name : listing.folders) {
    const auto seen = look_at(folder / name);
    look += fmt::format("{} {}\n", name, seen ? nanoseconds(seen->st_mtim) : 0);
  }
  const std::uint64_t sum = checksum_of(look, 0);
  const auto [entry, is_new] = folders_.try_emplace(folder);
  SeenAs& seen = entry->second;
  if (is_new || seen.look != sum) seen = {.look = sum, .trace = readers::find_trace_folder(folder)};
  return seen.trace ? &*seen.trace : nullptr;
}

const RunFolder::Listing& RunFolder::listing_of(const fs::path& folder, std::int64_t modified_ns) {
  const auto known = listings_.find(folder);
  // A change in the tick in which the folder was read leaves the same time.
  const bool is_current = known != listings_.end() && known->second.modified_ns == modified_ns &&
                          known->second.read_ns - modified_ns > kLongestTickNs;
  if (is_current) return known->second;
  Listing& listing = listings_[folder];
  listing = {
      .modified_ns = modified_ns, .read_ns = wall_clock_ns(), .folders = {}, .candidates = {}};
  std::error_code ignored;  // an unreadable folder is treated as empty
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    const fs::file_status status = it->symlink_status(ignored);
    if (is_candidate(name)) listing.candidates.push_back(name);
    if (fs::is_directory(status) || fs::is_symlink(status)) listing.folders.push_back(name);
  }
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.candidates);
  return listing;
}

void RunFolder::add_folder(const fs::path& folder, const readers::TraceFolder& trace, Walk& state) {
  const auto stamp = stamp_of_files(folder, trace.files);
  if (!stamp) return;
  FoundTrace found;
  found.name = name_of(folder);
  found.path = folder;
  found.stamp = *stamp;
  found.run = run_of(folder);
  found.worker = sanitize_utf8(folder.filename().string());
  found.span = "default";
  state.found.push_back(std::move(found));
}

std::string RunFolder::name_of(const fs::path& path) const {
  return sanitize_utf8(path == root_ ? root_.filename().string()
                                     : path.lexically_relative(root_).generic_string());
}

void RunFolder::add(const fs::path& path, Wanted wanted, Walk& state) {
  const auto stamp = stamp_of(path);
  if (!stamp) return;
  const std::string file_name = path.filename().string();
  const std::string name = name_of(path);
  const auto profile = tensorboard::parse_file_name(file_name);
  const Content content = profile ? Content::kTrace : content_of(path, *stamp);
  if (content == Content::kKernels) {
    state.kernels.push_back({name, path, *stamp});
    return;
  }
  if (content == Content::kBenchRun || content == Content::kBenchGrids) {
    state.benches.push_back(
        {name, path, *stamp,
         content == Content::kBenchRun ? BenchContent::kRun : BenchContent::kGrids});
    return;
  }
  const bool is_trace = content == Content::kTrace && readers::has_trace_name(path);
  if (wanted == Wanted::kLists || (!is_trace && wanted != Wanted::kAsTrace)) return;
  FoundTrace trace;
  trace.name = name;
  trace.path = path;
  trace.stamp = *stamp;
  trace.is_profile = profile.has_value();
  trace.run = run_of(path);
  trace.worker = sanitize_utf8(profile ? profile->worker : worker_of(file_name));
  trace.span = "default";
  state.found.push_back(std::move(trace));
}

RunFolder::Content RunFolder::content_of(const fs::path& path, const FileStamp& stamp) {
  const auto known = sniffed_.find(path);
  if (known != sniffed_.end() && known->second.stamp == stamp) return known->second.content;
  Content content = Content::kOther;
  if (const auto file = File::open(path); file && file->is_seekable()) {
    std::string buffer(readers::kSniffBytes, '\0');
    const auto bytes = file->read_at(0, buffer);
    const std::string_view first = std::string_view(buffer).substr(0, bytes ? *bytes : 0);
    content = sniff(first);
    if (content == Content::kOther && readers::is_trace(path)) content = Content::kTrace;
  }
  sniffed_[path] = {stamp, content};
  return content;
}

RunFolder::Content RunFolder::sniff(std::string_view first_bytes) {
  if (wire::begins_like_run_file(first_bytes)) return Content::kTrace;
  if (const auto bench = bench_content(first_bytes)) {
    return *bench == BenchContent::kRun ? Content::kBenchRun : Content::kBenchGrids;
  }
  if (readers::looks_like_kernels(first_bytes)) return Content::kKernels;
  return readers::looks_like_trace(first_bytes) ? Content::kTrace : Content::kOther;
}

std::string RunFolder::run_of(const fs::path& path) const {
  const fs::path below = path.parent_path().lexically_relative(root_);
  return sanitize_utf8(path == root_ || below.empty() || below == "." ? root_.filename().string()
                                                                      : below.generic_string());
}

std::optional<BenchContent> bench_content(std::string_view first_bytes) {
  auto stream = open_stream(first_bytes);
  if (!stream) return {};
  std::string unpacked(kUnpackedBytes, '\0');
  const auto bytes = (*stream)->read(unpacked);
  if (!bytes) return {};
  const std::string_view text = std::string_view(unpacked).substr(0, *bytes);
  if (bench::looks_like_run(text)) return BenchContent::kRun;
  if (bench::looks_like_ratio_grids(text)) return BenchContent::kGrids;
  return {};
}

Error renamed(Error error, const fs::path& path, const std::string& name) {
  const std::string text = path.string();
  if (error.where.starts_with(text)) error.where.replace(0, text.size(), name);
  if (error.where.empty()) error.where = name;
  return error;
}

std::string stamp_text(const FileStamp& stamp) {
  return fmt::format("{} {} {} {} {}", stamp.device, stamp.inode, stamp.bytes, stamp.modified_ns,
                     stamp.changed_ns);
}

}  // namespace strobe::serve
