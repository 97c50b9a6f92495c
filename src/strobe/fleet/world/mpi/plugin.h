#pragma once

#include <cstdint>

// What libstrobe_mpi.so offers to strobe. MPIs differ in their binary interface, so the library is
// compiled against the one of the machine, and strobe starts where there is none.
namespace strobe::fleet {

inline constexpr char kMpiLibrary[] = "libstrobe_mpi.so";
inline constexpr char kMpiStart[] = "strobe_mpi_start";

struct MpiCalls {
  std::uint64_t self;
  std::uint64_t size;
  void (*send_to_first)(const void* bytes, std::uint64_t count);
  void (*receive_from)(std::uint64_t sender, void* bytes, std::uint64_t count);
  void (*finish)();
};

using MpiStart = const MpiCalls*();

}  // namespace strobe::fleet
