#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/serve/run_folder.h"
#include "strobe/tensorboard/views.h"

namespace strobe::serve {

// The runs in the form of the removed plugin: built when first requested, kept while memory lasts.
// A file that cannot be read as a profile is left out, as in the plugin.
class ProfileShelf {
 public:
  using Read = std::function<Result<std::shared_ptr<const tensorboard::Profile>>(std::string_view)>;

  explicit ProfileShelf(std::uint64_t memory_bytes, Read read);
  ~ProfileShelf();

  // `files`: the profiles of that run, as they are on disk now. Waits while they are read.
  std::shared_ptr<const tensorboard::Run> run(const std::string& name,
                                              const std::vector<FoundTrace>& files);
  void stop() { is_stopped_ = true; }  // reading ends after the current file

 private:
  struct Kept {  // of one file
    FoundTrace file;
    std::shared_ptr<const tensorboard::Profile> profile;  // null if it cannot be read
    std::uint64_t text_bytes = 0;
  };
  struct Shelved;

  std::shared_ptr<Shelved> place_of(const std::string& name);
  std::vector<Kept> read_all(const std::vector<FoundTrace>& files,
                             const std::vector<Kept>& before) const;
  Kept read_one(const FoundTrace& file) const;
  static std::shared_ptr<const tensorboard::Run> make_run(const std::string& name,
                                                          const std::vector<Kept>& kept);
  void keep_within_budget(const Shelved& newest);

  const std::uint64_t memory_bytes_;  // of the profiles' texts, about the size of their figures
  const Read read_;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Shelved>> runs_;
  std::uint64_t uses_ = 0;
};

}  // namespace strobe::serve
