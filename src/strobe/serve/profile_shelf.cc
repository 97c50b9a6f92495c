#include "strobe/serve/profile_shelf.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "strobe/base/byte_stream.h"

namespace strobe::serve {

struct ProfileShelf::Shelved {
  std::mutex making;  // held while the run is built, so that it is built once
  std::vector<Kept> kept;

  // Protected by the shelf's mutex.
  std::shared_ptr<const tensorboard::Run> run;
  std::uint64_t bytes = 0;
  std::uint64_t used_at = 0;
};

ProfileShelf::ProfileShelf(std::uint64_t memory_bytes, Read read)
    : memory_bytes_(memory_bytes), read_(std::move(read)) {}
ProfileShelf::~ProfileShelf() = default;

std::shared_ptr<const tensorboard::Run> ProfileShelf::run(const std::string& name,
                                                          const std::vector<FoundTrace>& files) {
  const std::shared_ptr<Shelved> shelved = place_of(name);
  const std::scoped_lock making(shelved->making);
  {
    const std::scoped_lock lock(mutex_);
    shelved->used_at = ++uses_;
    if (shelved->run != nullptr && std::ranges::equal(shelved->kept, files, {}, &Kept::file)) {
      return shelved->run;
    }
  }
  std::vector<Kept> kept = read_all(files, shelved->kept);
  const auto run = make_run(name, kept);
  if (is_stopped_) return run;
  shelved->kept = std::move(kept);
  const std::scoped_lock lock(mutex_);
  shelved->run = run;
  shelved->bytes = 0;
  for (const Kept& one : shelved->kept) shelved->bytes += one.text_bytes;
  keep_within_budget(*shelved);
  return run;
}

std::shared_ptr<ProfileShelf::Shelved> ProfileShelf::place_of(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Shelved>& shelved = runs_[name];
  if (shelved == nullptr) shelved = std::make_shared<Shelved>();
  return shelved;
}

std::vector<ProfileShelf::Kept> ProfileShelf::read_all(const std::vector<FoundTrace>& files,
                                                       const std::vector<Kept>& before) const {
  std::vector<Kept> kept(files.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  std::exception_ptr failure;  // the first one
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < files.size() && !is_stopped_;) {
        const auto known = std::ranges::find_if(before, [&](const Kept& one) {
          return one.file.path == files[i].path && one.file.stamp == files[i].stamp;
        });
        kept[i] = known != before.end() ? *known : read_one(files[i]);
        kept[i].file = files[i];
      }
    } catch (...) {
      next = files.size();
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  };
  const auto threads =
      std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), files.size());
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (const std::exception&) {  // the machine has no more threads: those that there are do all
  }
  work();
  others.clear();
  if (failure != nullptr) std::rethrow_exception(failure);
  return kept;
}

ProfileShelf::Kept ProfileShelf::read_one(const FoundTrace& file) const {
  Kept kept;
  const auto text = read_text(file.path, memory_bytes_);
  if (!text) return kept;
  kept.text_bytes = text->size();
  if (auto profile = read_(*text)) kept.profile = std::move(*profile);
  return kept;
}

std::shared_ptr<const tensorboard::Run> ProfileShelf::make_run(const std::string& name,
                                                               const std::vector<Kept>& kept) {
  auto run = std::make_shared<tensorboard::Run>();
  run->name = name;
  for (const Kept& one : kept) {
    if (one.profile == nullptr) continue;
    run->profiles.push_back({.worker = one.file.worker,
                             .span = one.file.span,
                             .profile = one.profile,
                             .read_text = [path = one.file.path] { return read_text(path); }});
  }
  return run;
}

void ProfileShelf::keep_within_budget(const Shelved& newest) {
  const auto held = [&] {
    std::uint64_t bytes = 0;
    for (const auto& [name, shelved] : runs_) bytes += shelved->bytes;
    return bytes;
  };
  while (held() > memory_bytes_) {
    auto oldest = runs_.end();
    for (auto it = runs_.begin(); it != runs_.end(); ++it) {
      if (it->second->run == nullptr || it->second.get() == &newest) continue;
      if (oldest == runs_.end() || it->second->used_at < oldest->second->used_at) oldest = it;
    }
    if (oldest == runs_.end()) return;
    runs_.erase(oldest);
  }
}

}  // namespace strobe::serve
