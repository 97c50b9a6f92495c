#include "strobe/serve/fleet_shelf.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/threads.h"
#include "strobe/fleet/digest/digest_file.h"
#include "strobe/fleet/digest/rank_numbers.h"
#include "strobe/readers/run_reader.h"
#include "strobe/serve/comparison_shelf.h"

namespace strobe::serve {
namespace {

namespace fs = std::filesystem;
using OpenRank = std::shared_ptr<const OpenTrace>;

std::vector<FoundTrace> served_traces(const ShelfView& view) {
  std::vector<FoundTrace> found;
  for (const ShelvedTrace& trace : view.traces) found.push_back(trace.found);
  return found;
}

// By name: the order of the request does not matter.
Result<std::vector<FoundTrace>> asked_ranks(const Query& query, const ShelfView& view,
                                            const TraceLookup& traces) {
  std::vector<FoundTrace> asked;
  if (const auto run = query.optional_text("run"); run && !query.optional_text("trace")) {
    STROBE_TRY(ServedRun served, find_run("run", *run, served_traces(view)));
    asked = std::move(served.traces);
  } else {
    STROBE_TRY(const std::string first, query.text("trace"));
    for (const std::string& name : query.texts("trace")) {
      const auto known = std::ranges::find(
          view.traces, name,
          [](const ShelvedTrace& trace) -> const std::string& { return trace.found.name; });
      if (known == view.traces.end()) {
        STROBE_TRY(const OpenRank open, traces(name));  // says what is wrong
        continue;
      }
      asked.push_back(known->found);
    }
  }
  std::ranges::sort(asked, {}, &FoundTrace::name);
  if (asked.size() > 1) return asked;
  return fleet::only_one_rank(asked.empty() ? "trace" : asked.front().name,
                              "ask for the traces of several ranks; `summary` is about one");
}

std::string_view folder_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

// The folder on disk to which names are relative.
fs::path served_root(const FoundTrace& trace) {
  fs::path root = trace.path.parent_path();
  for (std::string_view left = folder_of(trace.name); !left.empty(); left = folder_of(left)) {
    root = root.parent_path();
  }
  return root;
}

// The folder in which all of them are, as a run would be named.
std::string name_of_job(const std::vector<FoundTrace>& asked) {
  std::string_view shared = folder_of(asked.front().name);
  for (const FoundTrace& trace : asked) {
    while (!shared.empty() &&
           !(trace.name.starts_with(shared) && trace.name[shared.size()] == '/')) {
      shared = folder_of(shared);
    }
  }
  return shared.empty() ? served_root(asked.front()).filename().string() : std::string(shared);
}

std::string job_key(const std::vector<FoundTrace>& asked, bool align) {
  std::string key = align ? "aligned" : "as recorded";
  for (const FoundTrace& trace : asked) {
    key += fmt::format("\n{}: {}", trace.name, stamp_text(trace.stamp));
  }
  return key;
}

// As `strobe fleet` does it: by the names of the files, or what a recorded run says of them.
std::vector<std::optional<std::int32_t>> named_ranks(const std::vector<FoundTrace>& asked,
                                                     const RunsByName& recorded) {
  std::map<fs::path, std::optional<std::int32_t>> of_recordings;
  std::vector<std::optional<std::int32_t>> named;
  for (const FoundTrace& trace : asked) {
    if (recorded.contains(trace.run) && !of_recordings.contains(trace.path)) {
      const auto ranks = readers::find_ranks(trace.path.parent_path());
      if (ranks) {
        for (const readers::RankFiles& one : *ranks) of_recordings[one.trace] = one.rank;
      }
    }
    const auto known = of_recordings.find(trace.path);
    named.push_back(known != of_recordings.end() ? known->second
                                                 : readers::rank_files_of(trace.path).rank);
  }
  return named;
}

// What is open is reduced at once, even if others still load.
template <class Place>
void digest_in_parallel(const std::vector<Place>& places, const std::vector<OpenRank>& opened) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (opened[i] != nullptr && places[i]->peek() == nullptr) missing.push_back(i);
  }
  each_in_threads(missing.size(), std::thread::hardware_concurrency(), [&](std::size_t i) {
    places[missing[i]]->get([&] { return opened[missing[i]]->digest(); });
  });
}

template <class Place>
Result<std::shared_ptr<const ServedJob>> make_served(const JobQuestion& question,
                                                     const std::vector<FoundTrace>& asked,
                                                     const std::vector<Place>& places,
                                                     const RunsByName& recorded) {
  const std::vector<std::optional<std::int32_t>> named = named_ranks(asked, recorded);
  std::vector<fleet::DigestedFile> digested;
  FirstSteps first_steps;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Result<KeptDigest>& kept = *places[i]->peek();
    if (!kept) return kept.error();
    STROBE_TRY(fleet::RankDigest digest, fleet::unpack_rank_digest(kept->packed));
    fleet::set_file(digest, asked[i].name);
    first_steps[digest.file] = kept->first_step_ns;
    digested.push_back({named[i], std::move(digest)});
  }
  STROBE_TRY(const fleet::JobDigests job, fleet::number_ranks(std::move(digested), question.name));
  return std::make_shared<const ServedJob>(question, job.digests, first_steps);
}

}  // namespace

std::vector<FleetShelf::DigestPlace> FleetShelf::places_of(const std::vector<FoundTrace>& asked,
                                                           const ShelfView& view) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(digests_, [&](const auto& kept) {
    return !std::ranges::binary_search(
        view.traces, kept.first, {},
        [](const ShelvedTrace& trace) -> const std::string& { return trace.found.name; });
  });
  std::vector<DigestPlace> places;
  for (const FoundTrace& trace : asked) {
    Place& place = digests_[trace.name];
    std::string stamp = stamp_text(trace.stamp);
    if (place.digest == nullptr || place.stamp != stamp) {
      place = {.stamp = std::move(stamp),
               .digest = std::make_shared<const OnDemand<Result<KeptDigest>>>()};
    }
    places.push_back(place.digest);
  }
  return places;
}

FleetShelf::JobResult FleetShelf::job(const Query& query, const ShelfView& view,
                                      const TraceLookup& traces) {
  STROBE_TRY(const std::int64_t align, query.integer_or("align", 1, 0, 1));
  STROBE_TRY(const std::vector<FoundTrace> asked, asked_ranks(query, view, traces));
  const auto kept = jobs_.place_of(job_key(asked, align == 1));
  if (const JobResult* known = kept->peek()) return *known;
  const std::vector<DigestPlace> places = places_of(asked, view);
  std::vector<OpenRank> opened(asked.size());
  std::optional<Error> missing;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (places[i]->peek() != nullptr) continue;
    auto open = traces(asked[i].name);  // all of them, so that all begin to load
    if (open) {
      opened[i] = std::move(*open);
    } else if (!missing) {
      missing = open.error();
    }
  }
  digest_in_parallel(places, opened);
  if (missing) return *missing;
  return kept->get([&] {
    return make_served(
        {.name = name_of_job(asked), .align = align == 1, .generation = ++jobs_made_}, asked,
        places, view.recorded);
  });
}

Result<FleetShelf::Body> FleetShelf::answer(std::string_view route, const Query& query,
                                            const ShelfView& view, const TraceLookup& traces) {
  if (route != "fleet" && route != "fleet/exchanges") return no_route(route);
  STROBE_TRY(const std::shared_ptr<const ServedJob> served, job(query, view, traces));
  if (route == "fleet") return served->body();
  STROBE_TRY(std::string body, exchanges_answer(query, *served));
  return std::make_shared<const std::string>(std::move(body));
}

}  // namespace strobe::serve
