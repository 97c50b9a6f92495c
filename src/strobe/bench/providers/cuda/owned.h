#pragma once

#include <utility>

#include "strobe/bench/providers/cuda/driver_api.h"

// Handles of the driver that are given back by themselves. The table of calls must outlive them.
namespace strobe::bench {

template <class Handle, CuResult (*DriverApi::*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(const DriverApi& api, Handle handle) : api_(&api), handle_(handle) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    Owned(std::move(other)).swap(*this);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  // Of a lost context nothing can be given back: its answer tells nothing new.
  ~Owned() {
    if (handle_ != Handle{}) (api_->*kRelease)(handle_);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
  }

  const DriverApi* api_ = nullptr;
  Handle handle_ = {};
};

using OwnedMemory = Owned<CuPointer, &DriverApi::memory_free>;
using OwnedHostMemory = Owned<void*, &DriverApi::host_free>;
using OwnedStream = Owned<CuStream, &DriverApi::stream_destroy>;
using OwnedEvent = Owned<CuEvent, &DriverApi::event_destroy>;
using OwnedModule = Owned<CuModule, &DriverApi::module_unload>;
using OwnedGraph = Owned<CuGraph, &DriverApi::graph_destroy>;
using OwnedGraphExec = Owned<CuGraphExec, &DriverApi::graph_exec_destroy>;

}  // namespace strobe::bench
