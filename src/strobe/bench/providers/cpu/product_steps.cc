#include "strobe/bench/providers/cpu/product_steps.h"

#include <algorithm>

#include "strobe/bench/reference/input_tensors.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kBetweenFloats =
    128 * 1024;  // of a product that is used at once: half of a second-level cache

MultiplyTask multiply_task(const ProductSteps::Product& product, const ProgramContext& context) {
  MultiplyTask task;
  task.left = context.data(product.left);
  task.left_stride = product.inner;
  task.windows = product.windows ? &*product.windows : nullptr;
  task.inner = task.packed_inner = product.inner;
  task.columns = task.out_stride = product.columns;
  task.packed = context.floats(product.packed);
  task.out = context.data(product.out);
  task.addend = product.addend ? context.data(*product.addend) : nullptr;
  task.has_relu = product.has_relu;
  task.scale = product.scale ? context.floats(*product.scale) : nullptr;
  task.shift = product.scale ? context.floats(product.shift) : nullptr;
  return task;
}

}  // namespace

ProductSteps::ProductSteps(const ProgramRequest& request)
    : request_(request), products_(request.kernels), size_(bytes_of(request.dtype)) {
  for (const InputTensor& input : input_tensors(request.info, request.shape)) {
    program_.inputs.push_back(tensor(input.elements));
  }
  scratch_ = floats(products_.multiply_scratch * request.threads);
}

BufferIndex ProductSteps::tensor(std::int64_t elements) {
  return program_.add_buffer(elements * size_);
}
BufferIndex ProductSteps::floats(std::int64_t count) { return program_.add_buffer(count * 4); }
BufferIndex ProductSteps::output(std::int64_t elements) {
  program_.outputs.push_back(tensor(elements));
  return program_.outputs.back();
}

std::int64_t ProductSteps::packed_floats(std::int64_t inner, std::int64_t columns) const {
  return products_.panels(columns) * products_.panel * inner;
}

void ProductSteps::step(std::string name, std::function<void(const ProgramContext&)> run) {
  program_.steps.push_back({std::move(name), std::move(run)});
}

BufferIndex ProductSteps::pack(std::string name, BufferIndex source, std::int64_t inner,
                               std::int64_t columns, std::int64_t inner_stride,
                               std::int64_t column_stride) {
  const BufferIndex packed = floats(packed_floats(inner, columns));
  const PackKernel kernel = products_.of(request_.dtype).pack;
  const std::int64_t panels = products_.panels(columns);
  step(std::move(name), [=](const ProgramContext& context) {
    const PackTask task{context.data(source),  inner_stride, column_stride, inner, columns,
                        context.floats(packed)};
    context.team.share(panels, 1, [&](std::int64_t, std::int64_t first, std::int64_t last) {
      kernel(task, first, last);
    });
  });
  return packed;
}

void ProductSteps::multiply(std::string name, const Product& product) {
  const MultiplyKernel kernel = products_.multiply(request_.dtype, request_.dtype);
  const std::int64_t scratch_floats = products_.multiply_scratch, grain = products_.tile_rows;
  const BufferIndex scratch = scratch_;
  step(std::move(name), [=](const ProgramContext& context) {
    context.team.share(product.rows, grain,
                       [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
                         MultiplyTask task = multiply_task(product, context);
                         task.scratch = context.floats(scratch) + thread * scratch_floats;
                         kernel(task, first, last);
                       });
  });
}

void ProductSteps::multiply_twice(std::string name, const Product& product, BufferIndex second,
                                  std::int64_t columns) {
  const std::int64_t tile = products_.tile_rows;
  const std::int64_t block =
      std::clamp(kBetweenFloats / product.columns / tile * tile, tile, 12 * tile);
  const BufferIndex between = floats(block * product.columns * request_.threads);
  const BufferIndex scratch = scratch_;
  const std::int64_t scratch_floats = products_.multiply_scratch;
  const MultiplyKernel into = products_.multiply(request_.dtype, DType::kF32);
  const MultiplyKernel out_of = products_.multiply(DType::kF32, request_.dtype);
  const std::int64_t size = size_;
  step(std::move(name), [=](const ProgramContext& context) {
    context.team.share(
        product.rows, tile, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
          float* const rows = context.floats(between) + thread * block * product.columns;
          for (std::int64_t row = first; row < last; row += block) {
            const std::int64_t count = std::min(block, last - row);
            MultiplyTask one = multiply_task(product, context);
            one.left = static_cast<const char*>(one.left) + row * product.inner * size;
            one.out = rows;
            one.scratch = context.floats(scratch) + thread * scratch_floats;
            into(one, 0, count);
            MultiplyTask two;
            two.left = rows;
            two.left_stride = two.inner = two.packed_inner = product.columns;
            two.columns = two.out_stride = columns;
            two.packed = context.floats(second);
            two.out = static_cast<char*>(context.data(product.out)) + row * columns * size;
            two.scratch = one.scratch;
            out_of(two, 0, count);
          }
        });
  });
}

void ProductSteps::pass(std::string name, RowsKernelId id, BufferIndex a, BufferIndex b,
                        BufferIndex out, std::int64_t elements) {
  const RowsKernel kernel = request_.kernels.kernel(request_.dtype, id);
  const bool is_streamed = elements * size_ > request_.cache_bytes;
  const std::int64_t size = size_;
  step(std::move(name), [=](const ProgramContext& context) {
    context.team.share(elements, kGrainElements,
                       [&](std::int64_t, std::int64_t first, std::int64_t last) {
                         RowsTask task;
                         task.in[0] = static_cast<const char*>(context.data(a)) + first * size;
                         task.in[1] = static_cast<const char*>(context.data(b)) + first * size;
                         task.out[0] = static_cast<char*>(context.data(out)) + first * size;
                         task.columns = last - first;
                         task.is_streamed = is_streamed;
                         kernel(task, 0, 1);
                       });
  });
}

}  // namespace strobe::bench
