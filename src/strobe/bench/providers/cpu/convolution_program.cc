#include <cmath>

#include "strobe/bench/providers/cpu/product_steps.h"
#include "strobe/bench/providers/cpu/typed_values.h"

namespace strobe::bench {
namespace {

constexpr float kEpsilon = 1e-5f;

struct Affine {
  BufferIndex scale, shift;
};

// gamma / sqrt(variance + epsilon) and beta - mean times that: a normalisation at inference is one
// product and one sum a filter.
Affine add_folding(ProductSteps& steps, const ProgramRequest& request) {
  const std::int64_t filters = request.shape[4];
  const Affine affine{steps.floats(filters), steps.floats(filters)};
  const BufferIndex gamma = steps.input(2), beta = steps.input(3), mean = steps.input(4),
                    variance = steps.input(5);
  const DType dtype = request.dtype;
  steps.step("fold", [=](const ProgramContext& context) {
    for (std::int64_t k = 0; k < filters; ++k) {
      const float scale = read_value(dtype, context.data(gamma), k) /
                          std::sqrt(read_value(dtype, context.data(variance), k) + kEpsilon);
      context.floats(affine.scale)[k] = scale;
      context.floats(affine.shift)[k] = read_value(dtype, context.data(beta), k) -
                                        read_value(dtype, context.data(mean), k) * scale;
    }
  });
  return affine;
}

void add_affine_pass(ProductSteps& steps, const ProgramRequest& request, const Affine& affine,
                     BufferIndex in, BufferIndex out, std::int64_t pixels) {
  const AffineKernel kernel =
      request.kernels.products->affine[static_cast<std::size_t>(request.dtype)];
  const std::int64_t filters = request.shape[4];
  steps.step("batch_norm", [=](const ProgramContext& context) {
    const AffineTask task{context.data(in), context.data(out), filters,
                          context.floats(affine.scale), context.floats(affine.shift)};
    context.team.share(
        pixels, 1 + 8192 / filters,
        [&](std::int64_t, std::int64_t first, std::int64_t last) { kernel(task, first, last); });
  });
}

}  // namespace

Program make_convolution_program(const ProgramRequest& request) {
  ProductSteps steps(request);
  const Shape& shape = request.shape;
  const std::string_view id = request.info.id;
  const Windows windows{.height = shape[1],
                        .width = shape[2],
                        .channels = shape[3],
                        .window = shape[5],
                        .stride = shape[6],
                        .padding = shape[5] / 2,
                        .out_height = convolved(shape[1], shape[5], shape[6]),
                        .out_width = convolved(shape[2], shape[5], shape[6])};
  const std::int64_t pixels = shape[0] * windows.out_height * windows.out_width;
  const std::int64_t filters = shape[4], inner = shape[3] * shape[5] * shape[5];
  const BufferIndex out = steps.output(pixels * filters);
  const BufferIndex weights = steps.pack("pack w", steps.input(1), inner, filters, 1, inner);
  ProductSteps::Product product = {.left = steps.input(0),
                                   .packed = weights,
                                   .out = out,
                                   .rows = pixels,
                                   .inner = inner,
                                   .columns = filters,
                                   .windows = windows};
  const bool is_normalised = id == "conv_bn";
  const Affine affine = is_normalised ? add_folding(steps, request) : Affine{};
  if (request.is_fused) {
    if (id == "conv_add") product.addend = steps.input(2);
    if (is_normalised) {
      product.scale = affine.scale;
      product.shift = affine.shift;
    }
    product.has_relu = id == "conv_relu";
    steps.multiply(std::string(id), product);
    return std::move(steps).finish();
  }
  product.out = steps.tensor(pixels * filters);
  steps.multiply("conv", product);
  if (id == "conv_add") {
    steps.pass("add", RowsKernelId::kAdd, product.out, steps.input(2), out, pixels * filters);
  } else if (is_normalised) {
    add_affine_pass(steps, request, affine, product.out, out, pixels);
  } else {
    steps.pass("relu", RowsKernelId::kRelu, product.out, product.out, out, pixels * filters);
  }
  return std::move(steps).finish();
}

}  // namespace strobe::bench
