#include "strobe/fleet/world/mpi/plugin.h"

#include <algorithm>

#include <mpi.h>

// Errors of MPI end the job with MPI's message: that is its default.
namespace strobe::fleet {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30;  // a count of MPI is an int
constexpr int kTag = 0;

void send_to_first(const void* bytes, std::uint64_t count) {
  const char* at = static_cast<const char*>(bytes);
  for (std::uint64_t done = 0; done < count; done += kMostAtOnce) {
    const int piece = static_cast<int>(std::min(kMostAtOnce, count - done));
    MPI_Send(at + done, piece, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
  }
}

void receive_from(std::uint64_t sender, void* bytes, std::uint64_t count) {
  char* at = static_cast<char*>(bytes);
  for (std::uint64_t done = 0; done < count; done += kMostAtOnce) {
    const int piece = static_cast<int>(std::min(kMostAtOnce, count - done));
    MPI_Recv(at + done, piece, MPI_BYTE, static_cast<int>(sender), kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
}

void finish() { MPI_Finalize(); }

}  // namespace
}  // namespace strobe::fleet

extern "C" [[gnu::visibility("default")]] const strobe::fleet::MpiCalls* strobe_mpi_start() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  int self = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static strobe::fleet::MpiCalls calls;
  calls = {.self = static_cast<std::uint64_t>(self),
           .size = static_cast<std::uint64_t>(size),
           .send_to_first = &strobe::fleet::send_to_first,
           .receive_from = &strobe::fleet::receive_from,
           .finish = &strobe::fleet::finish};
  return &calls;
}
