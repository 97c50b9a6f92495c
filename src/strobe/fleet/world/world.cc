#include "strobe/fleet/world/world.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
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

class MpiWorld final : public World {
 public:
  explicit MpiWorld(const MpiCalls& calls) : World(calls.self, calls.size), calls_(calls) {}
  ~MpiWorld() override { calls_.finish(); }
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  Result<std::vector<Messages>> gather(Messages messages) override {
    std::vector<Messages> all;
    if (!is_first()) {
      send(messages);
      return all;
    }
    all.push_back(std::move(messages));
    for (std::size_t sender = 1; sender < size(); ++sender) all.push_back(receive(sender));
    return all;
  }

 private:
  // The number of messages, their sizes, and all their bytes.
  void send(const Messages& messages) {
    const std::uint64_t count = messages.size();
    std::vector<std::uint64_t> sizes;
    for (const std::string& message : messages) sizes.push_back(message.size());
    calls_.send_to_first(&count, sizeof count);
    calls_.send_to_first(sizes.data(), sizes.size() * sizeof(std::uint64_t));
    for (const std::string& message : messages) {
      calls_.send_to_first(message.data(), message.size());
    }
  }
  Messages receive(std::size_t sender) {
    std::uint64_t count = 0;
    calls_.receive_from(sender, &count, sizeof count);
    std::vector<std::uint64_t> sizes(count);
    calls_.receive_from(sender, sizes.data(), sizes.size() * sizeof(std::uint64_t));
    Messages messages;
    for (const std::uint64_t bytes : sizes) {
      calls_.receive_from(sender, messages.emplace_back(bytes, '\0').data(), bytes);
    }
    return messages;
  }

  const MpiCalls& calls_;
};

Result<const MpiCalls*> start_mpi(const StartedBy& started) {
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
  const MpiCalls* const calls = start();
  if (calls->size == 1 && started.processes > 1) {
    calls->finish();
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = fmt::format("{} started {} processes that cannot reach each other",
                                     started.launcher, started.processes),
                 .where = library->string(),
                 .hint =
                     "with Slurm: `srun --mpi=pmix` (`srun --mpi=list` shows what there is); "
                     "else use the mpirun of the MPI that strobe was built with"};
  }
  return calls;
}

}  // namespace

Result<std::unique_ptr<World>> open_world() {
  const StartedBy started = started_by([](const char* name) { return std::getenv(name); });
  const bool is_alone =
      started.launcher.empty() || (started.launcher == "srun" && started.processes == 1);
  std::unique_ptr<World> world;
  if (is_alone) {
    world = std::make_unique<Alone>();
  } else {
    STROBE_TRY(const MpiCalls* const calls, start_mpi(started));
    world = std::make_unique<MpiWorld>(*calls);
  }
  return world;
}

}  // namespace strobe::fleet
