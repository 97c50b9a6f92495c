#!/usr/bin/env python3
"""Inputs and cases for torch: the computations, on the same input bits as everywhere in strobe, and their memory."""
import math
import struct

MASK = (1 << 64) - 1
CHUNK = 1 << 22  # values made at a time


# ---- inputs: the integers of bench/reference/input_values.h, for ints and int64 tensors alike --------

def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def input_bits(seed, tensor, index, wrap):
    """`wrap` brings a product back into 64 bits: a mask for ints, nothing for tensors, which wrap."""
    def shifted(z, bits):
        return (z >> bits) & ((1 << (64 - bits)) - 1)

    z = wrap(index + signed(seed * 0x9E3779B97F4A7C15 + (tensor << 56) + 1))
    z = wrap((z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9))
    z = wrap((z ^ shifted(z, 27)) * signed(0x94D049BB133111EB))
    return z ^ shifted(z, 31)


def wrapped_int(z):
    return z & MASK


def centred_sum(bits):
    return ((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF)
            + ((bits >> 48) & 0xFFFF)) - 131070


def top_bits(bits):
    return ((bits >> 40) & 0xFFFFFF) + 1


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


NORMAL_STEP = f32(2.6429e-5)
UNIFORM_STEP = f32(1.1920929e-7)


def python_value(law, seed, tensor, index, columns):
    """One input as a plain float; the tensors below hold the same bits."""
    bits = input_bits(seed, tensor, index, wrapped_int)
    if law == "conditioned":
        return f32(f32(top_bits(bits) * UNIFORM_STEP) * f32(1.0 / columns))
    if law == "far_from_zero":
        return f32(0.5 + f32(top_bits(bits) * UNIFORM_STEP))
    return f32(centred_sum(bits) * NORMAL_STEP)


# ---- dropout in training: the draws of bench/reference/dropout.h, for ints and int32 tensors alike ----

P_DROPPED = 0.5


def signed32(value):
    value &= (1 << 32) - 1
    return value - (1 << 32) if value >> 31 else value


def dropout_key(seed):
    return signed32(input_bits(seed, 0xFE, 0, wrapped_int) >> 32)


def is_dropped(counter, wrap):
    """`counter` is key + index; `wrap` brings a number back into 32 bits, which tensors do themselves."""
    def shifted(z, bits):
        return (z >> bits) & ((1 << (32 - bits)) - 1)

    z = wrap(counter)
    z = wrap((z ^ shifted(z, 16)) * signed32(0x85EBCA6B))
    z = wrap((z ^ shifted(z, 13)) * signed32(0xC2B2AE35))
    z = z ^ shifted(z, 16)
    # As if both were unsigned.
    return (z ^ signed32(1 << 31)) < signed32(int(P_DROPPED * (1 << 32)) ^ (1 << 31))


def dropout(torch, x, row, column, columns, seed):
    """Rows and columns of x's elements in the case's own layout, as int32 that broadcast to x."""
    dropped = is_dropped(row * columns + column + dropout_key(seed), lambda z: z)
    return torch.where(dropped, 0.0, x * (1.0 / (1.0 - P_DROPPED)))


def make_input(torch, shape, law, seed, tensor, columns, dtype):
    out = torch.empty(shape, dtype=dtype, device="cuda")
    flat = out.view(-1)
    for first in range(0, flat.numel(), CHUNK):
        end = min(first + CHUNK, flat.numel())
        index = torch.arange(first, end, dtype=torch.int64, device="cuda")
        bits = input_bits(seed, tensor, index, lambda z: z)
        if law == "normal":
            values = centred_sum(bits).to(torch.float32) * NORMAL_STEP
        else:
            values = top_bits(bits).to(torch.float32) * UNIFORM_STEP
            values = values * f32(1.0 / columns) if law == "conditioned" else values + 0.5
        flat[first:end] = values.to(dtype)
    return out


# ---- cases -------------------------------------------------------------------------------------------

def row_cases(torch, seed=1):
    F = torch.nn.functional

    def pointwise_chain(x):
        y = torch.cos(x)
        x1 = x * y
        y1 = torch.maximum(x1, y)
        return x1 + y1

    def naive_softmax(x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / e.sum(1, keepdim=True)

    def norm_chain(x):
        for _ in range(3):
            x = x * x.sum(1, keepdim=True)
        return x

    def bias_gelu(inp, bias):
        x = inp + bias
        return x * 0.5 * (1.0 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x)))

    def bias_dropout_add(inp, bias, residual):
        return residual + F.dropout(inp + bias, p=0.5, training=False)

    def transposed(inp, bias, residual):
        # The result has the layout of bias and residual.
        return residual + F.dropout(inp.t() + bias, p=0.5, training=False)

    def numbers(count, like):
        return torch.arange(count, dtype=torch.int32, device=like.device)

    def bias_dropout_add_train(inp, bias, residual):
        row, column = numbers(inp.shape[0], inp)[:, None], numbers(inp.shape[1], inp)[None, :]
        return residual + dropout(torch, inp + bias, row, column, inp.shape[1], seed)

    def transposed_train(inp, bias, residual):
        row, column = numbers(inp.shape[0], inp)[None, :], numbers(inp.shape[1], inp)[:, None]
        return residual + dropout(torch, inp.t() + bias, row, column, inp.shape[1], seed)

    return {
        "pointwise_chain": ("E", pointwise_chain),
        "softmax": ("E", lambda x: torch.softmax(x, 1)),
        "naive_softmax": ("E", naive_softmax),
        "double_softmax": ("E", lambda x: torch.softmax(torch.softmax(x, 1), 1)),
        "softmax_backward": ("EE", lambda dy, y: torch._softmax_backward_data(dy, y, 1, y.dtype)),
        "layernorm": ("ECC", lambda x, g, b: F.layer_norm(x, (x.shape[1],), g, b, 1e-5)),
        "norm_chain": ("E", norm_chain),
        "horizontal_reduction_pointwise": ("E", lambda a: (a.sum(1), torch.cos(a))),
        "horizontal_reduction_reduction": ("E", lambda a: (a.sum(1), a.amax(1))),
        "bias_dropout_add": ("ECE", bias_dropout_add),
        "bias_dropout_add_train": ("ECE", bias_dropout_add_train),
        "bias_gelu": ("EC", bias_gelu),
        "bias_dropout_add_transposed": ("ETT", transposed),
        "bias_dropout_add_transposed_train": ("ETT", transposed_train),
    }


def matmul_case(torch, case, shape):
    m, n, k = shape
    functions = {
        "matmul_add": lambda a, b, d: torch.matmul(a, b) + d,
        "matmul_relu": lambda a, b: torch.relu(torch.matmul(a, b)),
        "matmul_add_relu": lambda a, b, d: torch.relu(torch.matmul(a, b) + d),
        "matmul_matmul": lambda a, b, w: torch.matmul(torch.matmul(a, b), w),
    }
    third = {"matmul_relu": [], "matmul_matmul": [(n, k)]}.get(case, [(m, n)])
    return [(m, k), (k, n)] + third, functions[case]


def convolved_size(shape):
    _n, h, w, _c, _k, r, stride = shape
    return [(size + 2 * (r // 2) - r) // stride + 1 for size in (h, w)]


def convolution_case(torch, case, shape):
    n, h, w, c, k, r, stride = shape
    F = torch.nn.functional
    p, q = convolved_size(shape)

    def convolved(x, weight):
        # Stored with the channels last, which torch describes by the permuted view.
        return F.conv2d(x.permute(0, 3, 1, 2), weight.permute(0, 3, 1, 2), stride=stride,
                        padding=r // 2)

    def conv_bn(x, weight, gamma, beta, mean, variance):
        y = F.batch_norm(convolved(x, weight), mean, variance, gamma, beta, False, 0.0, 1e-5)
        return y.permute(0, 2, 3, 1)

    functions = {
        "conv_add": lambda x, f, d: convolved(x, f).permute(0, 2, 3, 1) + d,
        "conv_relu": lambda x, f: torch.relu(convolved(x, f)).permute(0, 2, 3, 1),
        "conv_bn": conv_bn,
    }
    extra = {"conv_add": [(n, p, q, k)], "conv_relu": []}.get(case, [(k,)] * 4)
    return [(n, h, w, c), (k, r, r, c)] + extra, functions[case]


def attention_case(torch, variant, shape, dtype):
    batch, sequence, heads, width = shape
    inputs = [(batch, sequence, heads, width)] * 3
    scale = 1.0 / math.sqrt(width)
    if variant.startswith("sdpa-"):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        backend = {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION,
                   "efficient": SDPBackend.EFFICIENT_ATTENTION,
                   "cudnn": getattr(SDPBackend, "CUDNN_ATTENTION", None)}[variant[5:]]

        def sdpa(q, k, v):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(
                    q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True,
                    scale=scale)
        return inputs, sdpa
    mask = torch.full((sequence, sequence), -10000.0, dtype=dtype, device="cuda").triu(1)

    def attention(q, k, v):
        scores = torch.matmul(q.transpose(1, 2), k.permute(0, 2, 3, 1)) * scale + mask
        return torch.matmul(torch.softmax(scores, -1), v.transpose(1, 2))
    return inputs, attention


def case_of(torch, request, dtype):
    """The shapes of the inputs and the function over them."""
    case, shape = request["case"], request["shape"]
    rows = row_cases(torch, request["seed"])
    if case in rows:
        kinds, function = rows[case]
        shapes = {"E": tuple(shape), "C": (shape[1],), "T": (shape[1], shape[0])}
        return [shapes[kind] for kind in kinds], function
    if case.startswith("matmul"):
        return matmul_case(torch, case, shape)
    if case.startswith("conv"):
        return convolution_case(torch, case, shape)
    if case == "attention":
        return attention_case(torch, request["variant"], shape, dtype)
    raise KeyError("there is no case '%s'" % case)


# ---- memory ------------------------------------------------------------------------------------------

# Tensors as large as the output that eager still holds at its peak, in addition to the output.
EAGER_BETWEEN = {"pointwise_chain": 3, "naive_softmax": 1, "double_softmax": 1, "norm_chain": 1,
                 "bias_dropout_add": 1, "bias_gelu": 4, "bias_dropout_add_transposed": 1}


def attention_values(variant, shape):
    """If scores are written, their softmax is written before they are freed; a compiler may overwrite them."""
    batch, sequence, heads, width = shape
    scores, mask = batch * heads * sequence * sequence, sequence * sequence
    between = {"eager": 2 * scores + mask, "inductor": scores + mask, "sdpa-math": 2 * scores}
    return 4 * batch * sequence * heads * width + between.get(variant, 0)


def planned_values(torch, case, variant, shape):
    """The peak number of values of a call: inputs, outputs and intermediate tensors. For compiled code only
    the minimum: a cell that is predicted not to fit is not run."""
    is_eager = variant == "eager"
    if case == "attention":
        return attention_values(variant, shape)
    if case.startswith("matmul"):
        m, n, k = shape
        if case == "matmul_matmul":
            return m * k + k * n + n * k + m * n + m * k
        return m * k + k * n + m * n * (1 + (case != "matmul_relu") + is_eager)
    if case.startswith("conv"):
        n, h, w, c, k, r, _stride = shape
        p, q = convolved_size(shape)
        added = {"conv_add": n * p * q * k, "conv_bn": 4 * k}.get(case, 0)
        return n * h * w * c + k * r * r * c + added + n * p * q * k * (1 + is_eager)
    rows, elements = shape[0], shape[0] * shape[1]
    inputs = sum(shape[1] if kind == "C" else elements for kind in row_cases(torch)[case][0])
    outputs = {"horizontal_reduction_reduction": 2 * rows,
               "horizontal_reduction_pointwise": rows + elements}.get(case, elements)
    return inputs + outputs + elements * (EAGER_BETWEEN.get(case, 0) if is_eager else 0)
