#include "strobe/fleet/world/world.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <future>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "strobe/device/own_library.h"
#include "strobe/device/vendor_library.h"
#include "strobe/fleet/world/mpi/plugin.h"
#include "strobe/fleet/world/started_by.h"

namespace strobe::fleet {
namespace {

using Messages = std::vector<std::string>;

class Alone final : public World {
 public:
  Alone() : World(0, 1) {}
  Result<std::vector<Messages>> gather(Messages messages) override {
    std::vector<Messages> all;
    all.push_back(std::move(messages));
    return all;
  }
};

// The number of messages, their sizes, and all their bytes.
void send(const MpiCalls& calls, const Messages& messages) {
  const std::uint64_t count = messages.size();
  std::vector<std::uint64_t> sizes;
  for (const std::string& message : messages) sizes.push_back(message.size());
  calls.send_to_first(&count, sizeof count);
  calls.send_to_first(sizes.data(), sizes.size() * sizeof(std::uint64_t));
  for (const std::string& message : messages) {
    calls.send_to_first(message.data(), message.size());
  }
}

Messages receive(const MpiCalls& calls, std::size_t sender) {
  std::uint64_t count = 0;
  calls.receive_from(sender, &count, sizeof count);
  std::vector<std::uint64_t> sizes(count);
  calls.receive_from(sender, sizes.data(), sizes.size() * sizeof(std::uint64_t));
  Messages messages;
  for (const std::uint64_t bytes : sizes) {
    calls.receive_from(sender, messages.emplace_back(bytes, '\0').data(), bytes);
  }
  return messages;
}

std::vector<Messages> exchange(const MpiCalls& calls, Messages own) {
  std::vector<Messages> all;
  if (calls.self != 0) {
    send(calls, own);
    return all;
  }
  all.push_back(std::move(own));
  for (std::size_t sender = 1; sender < calls.size; ++sender) all.push_back(receive(calls, sender));
  return all;
}

// MPI, on a thread of its own: starting it takes 0.3 s and little work, and ending it a while, too.
// All its calls are made there, which every MPI allows. Whatever becomes of this process, it takes
// part in the exchange, so that no other waits for it forever.
class MpiThread {
 public:
  explicit MpiThread(MpiStart* start) : thread_([this, start] { run(start); }) {}
  ~MpiThread() {
    if (!has_own_) own_.set_value({});
  }
  MpiThread(const MpiThread&) = delete;
  MpiThread& operator=(const MpiThread&) = delete;

  // null until MPI has started.
  const MpiCalls* calls_if_started() const {
    const bool has_started =
        started_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return has_started ? started_.get() : nullptr;
  }
  const MpiCalls& calls() const { return *started_.get(); }

  std::vector<Messages> gather(Messages own) {
    has_own_ = true;
    own_.set_value(std::move(own));
    return all_.get_future().get();
  }

 private:
  void run(MpiStart* start) {
    const MpiCalls* const calls = start();
    start_.set_value(calls);
    try {
      all_.set_value(exchange(*calls, own_.get_future().get()));
    } catch (...) {
      all_.set_exception(std::current_exception());
    }
    calls->finish();
  }

  std::promise<const MpiCalls*> start_;
  std::shared_future<const MpiCalls*> started_ = start_.get_future().share();
  std::promise<Messages> own_;
  bool has_own_ = false;
  std::promise<std::vector<Messages>> all_;
  std::jthread thread_;  // uses all of the above
};

class MpiWorld final : public World {
 public:
  MpiWorld(const StartedBy& started, MpiStart* start, std::string library)
      : World(*started.self, started.processes),
        launcher_(started.launcher),
        library_(std::move(library)),
        start_(start) {}
  // Of a process that only MPI can say the place of.
  MpiWorld(const StartedBy& started, std::unique_ptr<MpiThread> mpi, std::string library)
      : World(mpi->calls().self, started.processes),
        launcher_(started.launcher),
        library_(std::move(library)),
        mpi_(std::move(mpi)) {}

  void connect() override {
    if (mpi_ == nullptr) mpi_ = std::make_unique<MpiThread>(start_);
  }

  bool is_lost() const override {
    const MpiCalls* const calls = mpi_ == nullptr ? nullptr : mpi_->calls_if_started();
    return calls != nullptr && !is_as_started(*calls);
  }

  Result<std::vector<Messages>> gather(Messages messages) override {
    connect();
    if (is_as_started(mpi_->calls())) return mpi_->gather(std::move(messages));
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = fmt::format("{} started {} processes that cannot reach each other",
                                     launcher_, size()),
                 .where = library_,
                 .hint =
                     "with Slurm: `srun --mpi=pmix` (`srun --mpi=list` shows what there is); "
                     "else use the mpirun of the MPI that strobe was built with"};
  }

 private:
  bool is_as_started(const MpiCalls& calls) const {
    return calls.self == self() && calls.size == size();
  }

  std::string launcher_;
  std::string library_;
  MpiStart* start_ = nullptr;
  std::unique_ptr<MpiThread> mpi_;
};

Result<std::unique_ptr<World>> open_mpi_world(const StartedBy& started) {
  const auto library = device::find_own_library(kMpiLibrary, "STROBE_MPI",
                                                "an MPI is found (`apt install libopenmpi-dev`)");
  if (!library) {
    return Error{
        .code = ErrorCode::kMachineLacks,
        .what = fmt::format("{} started {} processes, and this strobe speaks no MPI",
                            started.launcher, started.processes),
        .where = library.error().where,
        .hint = fmt::format("start one process, which uses all cores; {}", library.error().hint)};
  }
  STROBE_TRY(const device::OpenLibrary opened, device::OpenLibrary::at(library->string()));
  MpiStart* const start = opened.function<MpiStart>(kMpiStart);
  if (start == nullptr) return opened.refusal("strobe's door to MPI", "it has no start");
  std::unique_ptr<World> world;
  if (started.self) {
    world = std::make_unique<MpiWorld>(started, start, library->string());
  } else {
    world =
        std::make_unique<MpiWorld>(started, std::make_unique<MpiThread>(start), library->string());
  }
  return world;
}

}  // namespace

Result<std::unique_ptr<World>> open_world() {
  const StartedBy started = started_by([](const char* name) { return std::getenv(name); });
  if (started.processes > 1) return open_mpi_world(started);
  std::unique_ptr<World> world = std::make_unique<Alone>();
  return world;
}

}  // namespace strobe::fleet
