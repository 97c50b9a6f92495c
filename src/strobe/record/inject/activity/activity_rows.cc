#include "strobe/record/inject/activity/activity_rows.h"

#include <string>

namespace strobe::record {
namespace {

constexpr std::size_t kMostRowBytes = 1 << 20;  // of a chunk

const char* direction_of(std::uint8_t kind) noexcept {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "HtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "AtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
      return "AtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
      return "AtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return "DtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "HtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "PtoP";
    default:
      return "<unknown>";
  }
}

const char* memory_of(std::uint32_t kind) noexcept {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "Pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "Pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
      return "Device";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "Array";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
      return "Managed";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "Device Static";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "Managed Static";
    default:
      return "Unknown";
  }
}

std::uint64_t at_least_0(std::int64_t value) noexcept {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

Shape shape_of(wire::ShapeWhat what, std::uint64_t name, std::uint32_t device,
               std::uint32_t context, std::uint32_t stream) noexcept {
  Shape shape = {};
  shape[wire::kShapeWhat] = static_cast<std::uint64_t>(what);
  shape[wire::kShapeName] = name;
  shape[wire::kShapeDevice] = device;
  shape[wire::kShapeContext] = context;
  shape[wire::kShapeStream] = stream;
  return shape;
}

}  // namespace

ActivityRows::ActivityRows(wire::RunFileWriter& file, bool is_redacting) noexcept
    : file_(&file), names_(file, is_redacting), shapes_(file) {}

void ActivityRows::saw_device(std::uint32_t device) noexcept {
  if (device == last_device_) return;
  last_device_ = device;
  devices_.insert(device);
}

// A record whose work had not ended when it was handed out has no times: it is only counted.
bool ActivityRows::has_times(std::uint64_t start, std::uint64_t end) noexcept {
  const bool has_both = start != 0 && end >= start;
  if (!has_both) ++without_times_;
  return has_both;
}

void ActivityRows::add_work(const Shape& shape, std::uint64_t start, std::uint64_t end,
                            std::uint64_t correlation) noexcept {
  if (!has_times(start, end)) return;
  work_.add({shapes_.number_of(shape), start, end - start, correlation});
  if (work_.bytes() >= kMostRowBytes) write();
}

void ActivityRows::add_bytes(const Shape& shape, std::uint64_t start, std::uint64_t end,
                             std::uint64_t correlation, std::uint64_t bytes) noexcept {
  if (!has_times(start, end)) return;
  copies_.add({shapes_.number_of(shape), start, end - start, correlation, bytes});
  if (copies_.bytes() >= kMostRowBytes) write();
}

void ActivityRows::add_kernel(const CUpti_ActivityKernel10& kernel) noexcept {
  saw_device(kernel.deviceId);
  Shape shape = shape_of(wire::ShapeWhat::kKernel, names_.text_of(kernel.name), kernel.deviceId,
                         kernel.contextId, kernel.streamId);
  shape[wire::kShapeGraph] = kernel.graphId;
  shape[wire::kShapeNode] = kernel.graphNodeId;
  shape[wire::kShapeGridX] = at_least_0(kernel.gridX);
  shape[wire::kShapeGridY] = at_least_0(kernel.gridY);
  shape[wire::kShapeGridZ] = at_least_0(kernel.gridZ);
  shape[wire::kShapeBlockX] = at_least_0(kernel.blockX);
  shape[wire::kShapeBlockY] = at_least_0(kernel.blockY);
  shape[wire::kShapeBlockZ] = at_least_0(kernel.blockZ);
  shape[wire::kShapeRegisters] = kernel.registersPerThread;
  shape[wire::kShapeStaticShared] = at_least_0(kernel.staticSharedMemory);
  shape[wire::kShapeDynamicShared] = at_least_0(kernel.dynamicSharedMemory);
  add_work(shape, kernel.start, kernel.end, kernel.correlationId);
}

void ActivityRows::add_graph(const CUpti_ActivityGraphTrace2& graph) noexcept {
  saw_device(graph.deviceId);
  const std::string name = "CUDA graph " + std::to_string(graph.graphId);
  Shape shape = shape_of(wire::ShapeWhat::kGraph, file_->text(name), graph.deviceId,
                         graph.contextId, graph.streamId);
  shape[wire::kShapeGraph] = graph.graphId;
  add_work(shape, graph.start, graph.end, graph.correlationId);
}

template <class Copy>
void ActivityRows::add_copy(const Copy& copy, std::uint64_t graph_node) noexcept {
  saw_device(copy.deviceId);
  const std::string name = std::string("Memcpy ") + direction_of(copy.copyKind) + " (" +
                           memory_of(copy.srcKind) + " -> " + memory_of(copy.dstKind) + ")";
  Shape shape = shape_of(wire::ShapeWhat::kCopy, file_->text(name), copy.deviceId, copy.contextId,
                         copy.streamId);
  shape[wire::kShapeGraph] = copy.graphId;
  shape[wire::kShapeNode] = graph_node;
  add_bytes(shape, copy.start, copy.end, copy.correlationId, copy.bytes);
}

void ActivityRows::add_memset(const CUpti_ActivityMemset4& memset) noexcept {
  saw_device(memset.deviceId);
  const std::string name = std::string("Memset (") + memory_of(memset.memoryKind) + ")";
  Shape shape = shape_of(wire::ShapeWhat::kMemset, file_->text(name), memset.deviceId,
                         memset.contextId, memset.streamId);
  shape[wire::kShapeGraph] = memset.graphId;
  shape[wire::kShapeNode] = memset.graphNodeId;
  add_bytes(shape, memset.start, memset.end, memset.correlationId, memset.bytes);
}

void ActivityRows::add(const CUpti_Activity& record) noexcept {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return add_graph(reinterpret_cast<const CUpti_ActivityGraphTrace2&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      return add_copy(copy, copy.graphNodeId);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record);
      return add_copy(copy, copy.graphNodeId);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add_memset(reinterpret_cast<const CUpti_ActivityMemset4&>(record));
    default:
      return;
  }
}

void ActivityRows::write() noexcept {
  shapes_.write_new();
  file_->write(work_);
  file_->write(copies_);
}

void ActivityRows::restart() noexcept {
  names_.restart();
  shapes_.restart();
}

}  // namespace strobe::record
