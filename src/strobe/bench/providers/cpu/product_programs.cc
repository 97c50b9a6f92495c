#include <algorithm>
#include <cmath>
#include <cstring>

#include "strobe/bench/providers/cpu/host_buffer.h"
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

namespace {

constexpr float kNormEpsilon = 1e-5f;

struct Affine {
  BufferIndex scale, shift;
};

// gamma / sqrt(variance + epsilon) and beta - mean times that: at inference a normalisation is one
// product and one sum per filter.
Affine add_folding(ProductSteps& steps, const ProgramRequest& request) {
  const std::int64_t filters = request.shape[4];
  const Affine affine{steps.floats(filters), steps.floats(filters)};
  const BufferIndex gamma = steps.input(2), beta = steps.input(3), mean = steps.input(4),
                    variance = steps.input(5);
  const DType dtype = request.dtype;
  steps.step("fold", [=](const ProgramContext& context) {
    for (std::int64_t k = 0; k < filters; ++k) {
      const float scale = read_value(dtype, context.data(gamma), k) /
                          std::sqrt(read_value(dtype, context.data(variance), k) + kNormEpsilon);
      context.floats(affine.scale)[k] = scale;
      context.floats(affine.shift)[k] = read_value(dtype, context.data(beta), k) -
                                        read_value(dtype, context.data(mean), k) * scale;
    }
  });
  return affine;
}

void add_affine_pass(ProductSteps& steps, const ProgramRequest& request, const Affine& affine,
                     BufferIndex in, BufferIndex out, std::int64_t pixels) {
  const AffineKernel kernel = request.kernels.of(request.dtype).affine;
  const std::int64_t filters = request.shape[4];
  steps.step("batch_norm", [=](const ProgramContext& context) {
    const AffineTask task{context.data(in), context.data(out), filters,
                          context.floats(affine.scale), context.floats(affine.shift)};
    context.team.share(
        pixels, 1 + kGrainElements / filters,
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

namespace {

constexpr std::int64_t kScoreFloats = 128 * 1024;  // for some queries: half of a second-level cache
constexpr float kMask = -10000.0f;

struct AttentionSizes {
  explicit AttentionSizes(const ProgramRequest& request)
      : batch(request.shape[0]),
        sequence(request.shape[1]),
        heads(request.shape[2]),
        depth(request.shape[3]),
        value_bytes(bytes_of(request.dtype)),
        scale(1.0f / std::sqrt(static_cast<float>(depth))) {}

  std::int64_t all_heads() const { return batch * heads; }
  std::int64_t values() const { return batch * sequence * heads * depth; }
  // For [B, S, H, D], where the next position of the same head is heads * depth further.
  std::int64_t start_of(std::int64_t head) const {
    return (head / heads * sequence * heads + head % heads) * depth;
  }
  std::int64_t position_stride() const { return heads * depth; }

  std::int64_t batch, sequence, heads, depth, value_bytes;
  float scale;
};

void* moved(void* data, std::int64_t bytes) { return static_cast<char*>(data) + bytes; }

// Processes some queries of a head at a time: their scores are computed, normalised and used in the
// cache. Keys after the last query are skipped: -10000 makes their weight zero.
Program fused_attention(const ProgramRequest& request) {
  ProductSteps steps(request);
  const AttentionSizes sizes(request);
  const KernelSet& products = request.kernels;
  const std::int64_t tile = products.tile_rows;
  const std::int64_t block =
      std::clamp(kScoreFloats / sizes.sequence / tile * tile, tile, 12 * tile);
  const std::int64_t blocks = (sizes.sequence + block - 1) / block;
  const std::int64_t key_floats = steps.packed_floats(sizes.depth, sizes.sequence);
  const std::int64_t value_floats = steps.packed_floats(sizes.sequence, sizes.depth);
  const std::int64_t thread_floats = key_floats + value_floats + block * sizes.sequence;
  const BufferIndex out = steps.output(sizes.values());
  const BufferIndex work = steps.floats(thread_floats * request.threads);
  const BufferIndex scratch = steps.scratch(), q = steps.input(0), k = steps.input(1),
                    v = steps.input(2);
  const DType dtype = request.dtype;
  steps.step("attention", [=, &products](const ProgramContext& context) {
    context.team.share(
        sizes.all_heads() * blocks, 1,
        [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
          float* const keys = context.floats(work) + thread * thread_floats;
          float* const values = keys + key_floats;
          float* const scores = values + value_floats;
          std::int64_t packed_head = -1;
          for (std::int64_t unit = first; unit < last; ++unit) {
            const std::int64_t head = unit / blocks;
            const std::int64_t start = sizes.start_of(head) * sizes.value_bytes;
            if (head != packed_head) {
              packed_head = head;
              const PackTask pack_keys{moved(context.data(k), start),
                                       1,
                                       sizes.position_stride(),
                                       sizes.depth,
                                       sizes.sequence,
                                       keys};
              products.of(dtype).pack(pack_keys, 0, products.panels(sizes.sequence));
              const PackTask pack_values{moved(context.data(v), start),
                                         sizes.position_stride(),
                                         1,
                                         sizes.sequence,
                                         sizes.depth,
                                         values};
              products.of(dtype).pack(pack_values, 0, products.panels(sizes.depth));
            }
            const std::int64_t row = unit % blocks * block;
            const std::int64_t rows = std::min(block, sizes.sequence - row);
            const std::int64_t seen = row + rows;
            MultiplyTask score;
            score.left =
                moved(context.data(q), start + row * sizes.position_stride() * sizes.value_bytes);
            score.left_stride = sizes.position_stride();
            score.inner = score.packed_inner = sizes.depth;
            score.columns = score.out_stride = seen;
            score.packed = keys;
            score.out = scores;
            score.factor = sizes.scale;
            score.scratch = context.floats(scratch) + thread * products.multiply_scratch;
            products.multiply(dtype, DType::kF32)(score, 0, rows);
            for (std::int64_t i = 0; i < rows; ++i)
              products.softmax(scores + i * seen, row + i + 1, seen);
            MultiplyTask weigh;
            weigh.left = scores;
            weigh.left_stride = weigh.inner = seen;
            weigh.packed = values;
            weigh.packed_inner = sizes.sequence;
            weigh.columns = weigh.out_stride = sizes.depth;
            weigh.out = moved(context.data(out),
                              (head * sizes.sequence + row) * sizes.depth * sizes.value_bytes);
            weigh.scratch = score.scratch;
            products.multiply(DType::kF32, dtype)(weigh, 0, rows);
          }
        });
  });
  return std::move(steps).finish();
}

// [B, S, H, D] to [B, H, S, D].
void add_permutation(ProductSteps& steps, const char* name, const AttentionSizes& sizes,
                     BufferIndex from, BufferIndex to) {
  steps.step(name, [=](const ProgramContext& context) {
    context.team.share(
        sizes.all_heads(), 1, [&](std::int64_t, std::int64_t first, std::int64_t last) {
          const std::int64_t bytes = sizes.depth * sizes.value_bytes;
          for (std::int64_t head = first; head < last; ++head) {
            for (std::int64_t position = 0; position < sizes.sequence; ++position) {
              std::memcpy(moved(context.data(to), (head * sizes.sequence + position) * bytes),
                          moved(context.data(from), sizes.start_of(head) * sizes.value_bytes +
                                                        position * sizes.heads * bytes),
                          static_cast<std::size_t>(bytes));
            }
          }
        });
  });
}

// One product for each head; the thread that has the head packs its right side.
struct HeadProduct {
  BufferIndex left, right, out, packed;
  std::int64_t inner, columns;
  std::int64_t inner_stride, column_stride;  // of the right side
};

void add_head_products(ProductSteps& steps, const char* name, const ProgramRequest& request,
                       const AttentionSizes& sizes, const HeadProduct& product) {
  const KernelSet& products = request.kernels;
  const std::int64_t packed_floats = steps.packed_floats(product.inner, product.columns);
  const BufferIndex scratch = steps.scratch();
  const DType dtype = request.dtype;
  steps.step(name, [=, &products](const ProgramContext& context) {
    context.team.share(
        sizes.all_heads(), 1, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
          float* const packed = context.floats(product.packed) + thread * packed_floats;
          const std::int64_t right_values = product.inner * product.columns;
          for (std::int64_t head = first; head < last; ++head) {
            const PackTask pack{
                moved(context.data(product.right), head * right_values * sizes.value_bytes),
                product.inner_stride,
                product.column_stride,
                product.inner,
                product.columns,
                packed};
            products.of(dtype).pack(pack, 0, products.panels(product.columns));
            MultiplyTask task;
            task.left = moved(context.data(product.left),
                              head * sizes.sequence * product.inner * sizes.value_bytes);
            task.left_stride = task.inner = task.packed_inner = product.inner;
            task.columns = task.out_stride = product.columns;
            task.packed = packed;
            task.out = moved(context.data(product.out),
                             head * sizes.sequence * product.columns * sizes.value_bytes);
            task.scratch = context.floats(scratch) + thread * products.multiply_scratch;
            products.multiply(dtype, dtype)(task, 0, sizes.sequence);
          }
        });
  });
}

// Every key of every query, scores and weights in memory, as eager frameworks do.
Program unfused_attention(const ProgramRequest& request) {
  ProductSteps steps(request);
  const AttentionSizes sizes(request);
  const std::int64_t squares = sizes.all_heads() * sizes.sequence * sizes.sequence;
  const BufferIndex out = steps.output(sizes.values());
  const BufferIndex q = steps.tensor(sizes.values()), k = steps.tensor(sizes.values()),
                    v = steps.tensor(sizes.values());
  const BufferIndex scores = steps.tensor(squares), masked = steps.tensor(squares);
  const std::int64_t packed_floats = std::max(steps.packed_floats(sizes.depth, sizes.sequence),
                                              steps.packed_floats(sizes.sequence, sizes.depth));
  const BufferIndex packed = steps.floats(packed_floats * request.threads);
  const BufferIndex line = steps.floats(sizes.sequence * request.threads);
  add_permutation(steps, "permute q", sizes, steps.input(0), q);
  add_permutation(steps, "permute k", sizes, steps.input(1), k);
  add_permutation(steps, "permute v", sizes, steps.input(2), v);
  add_head_products(steps, "scores", request, sizes,
                    {q, k, scores, packed, sizes.depth, sizes.sequence, 1, sizes.depth});
  const MaskKernel mask = request.kernels.of(request.dtype).mask;
  const std::int64_t rows = sizes.all_heads() * sizes.sequence;
  steps.step("scale and mask", [=](const ProgramContext& context) {
    const MaskTask task{context.data(scores), context.data(masked), sizes.sequence, sizes.scale,
                        kMask};
    context.team.share(
        rows, 1 + kGrainElements / sizes.sequence,
        [&](std::int64_t, std::int64_t first, std::int64_t last) { mask(task, first, last); });
  });
  const RowsKernel softmax = request.kernels.kernel(request.dtype, RowsKernelId::kSoftmax);
  steps.step("softmax", [=](const ProgramContext& context) {
    context.team.share(rows, 1 + kGrainElements / sizes.sequence,
                       [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
                         RowsTask task;
                         task.in[0] = context.data(masked);
                         task.out[0] = context.data(scores);
                         task.in_stride[0] = task.out_stride[0] = task.columns = sizes.sequence;
                         task.scratch = context.floats(line) + thread * sizes.sequence;
                         softmax(task, first, last);
                       });
  });
  add_head_products(steps, "weigh", request, sizes,
                    {scores, v, out, packed, sizes.sequence, sizes.depth, sizes.depth, 1});
  return std::move(steps).finish();
}

}  // namespace

Program make_attention_program(const ProgramRequest& request) {
  return request.is_fused ? fused_attention(request) : unfused_attention(request);
}

}  // namespace strobe::bench
