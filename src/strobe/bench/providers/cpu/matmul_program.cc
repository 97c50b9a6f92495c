#include "strobe/bench/providers/cpu/product_steps.h"

namespace strobe::bench {
namespace {

Program two_products(const ProgramRequest& request) {
  ProductSteps steps(request);
  const std::int64_t m = request.shape[0], n = request.shape[1], k = request.shape[2];
  const BufferIndex b = steps.pack("pack B", steps.input(1), k, n, n, 1);
  const BufferIndex w = steps.pack("pack W", steps.input(2), n, k, k, 1);
  const BufferIndex out = steps.output(m * k);
  if (request.is_fused) {
    steps.multiply_twice(
        "matmul_matmul",
        {.left = steps.input(0), .packed = b, .out = out, .rows = m, .inner = k, .columns = n}, w,
        k);
    return std::move(steps).finish();
  }
  const BufferIndex between = steps.tensor(m * n);
  steps.multiply(
      "matmul",
      {.left = steps.input(0), .packed = b, .out = between, .rows = m, .inner = k, .columns = n});
  steps.multiply("matmul",
                 {.left = between, .packed = w, .out = out, .rows = m, .inner = n, .columns = k});
  return std::move(steps).finish();
}

}  // namespace

Program make_matmul_program(const ProgramRequest& request) {
  const std::string_view id = request.info.id;
  if (id == "matmul_matmul") return two_products(request);
  ProductSteps steps(request);
  const std::int64_t m = request.shape[0], n = request.shape[1], k = request.shape[2];
  const bool has_add = id != "matmul_relu", has_relu = id != "matmul_add";
  const BufferIndex b = steps.pack("pack B", steps.input(1), k, n, n, 1);
  const BufferIndex out = steps.output(m * n);
  ProductSteps::Product product = {
      .left = steps.input(0), .packed = b, .out = out, .rows = m, .inner = k, .columns = n};
  if (request.is_fused) {
    if (has_add) product.addend = steps.input(2);
    product.has_relu = has_relu;
    steps.multiply(std::string(id), product);
    return std::move(steps).finish();
  }
  product.out = steps.tensor(m * n);
  steps.multiply("matmul", product);
  BufferIndex last = product.out;
  if (has_add) {
    last = has_relu ? steps.tensor(m * n) : out;
    steps.pass("add", RowsKernelId::kAdd, product.out, steps.input(2), last, m * n);
  }
  if (has_relu) steps.pass("relu", RowsKernelId::kRelu, last, last, out, m * n);
  return std::move(steps).finish();
}

}  // namespace strobe::bench
