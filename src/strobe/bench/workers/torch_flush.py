#!/usr/bin/env python3
"""Sets the L2 cache to the same state before a call as strobe's own providers: bench/providers/cuda/device_clock.h."""
import ctypes

# A line that was read with the priority to stay is not evicted by lines without it. So the buffer is read
# with that priority, which evicts all other lines, loses it, and is read once more without.
FLUSH_PTX = b"""
.version 7.4
.target sm_80
.address_size 64
.visible .entry strobe_flush(.param .u64 data, .param .u64 lines, .param .u64 is_to_stay, .param .u64 sink)
{
  .reg .pred %more, %stays;
  .reg .b32 %threads, %block, %thread, %blocks, %mixed, %a, %b, %c, %d;
  .reg .b64 %address, %line, %end, %step, %policy, %usual, %stay, %sink;
  ld.param.u64 %address, [data];
  ld.param.u64 %end, [lines];
  mov.u32 %threads, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mad.lo.u32 %thread, %block, %threads, %thread;
  mul.wide.u32 %step, %blocks, %threads;
  cvt.u64.u32 %line, %thread;
  shl.b64 %end, %end, 3;
  mov.u32 %mixed, 0;
  ld.param.u64 %stay, [is_to_stay];
  setp.ne.u64 %stays, %stay, 0;
  createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;
  createpolicy.fractional.L2::evict_normal.b64 %usual, 1.0;
  selp.b64 %policy, %policy, %usual, %stays;
  shl.b64 %line, %line, 4;
  shl.b64 %step, %step, 4;
  shl.b64 %end, %end, 4;
  add.u64 %end, %end, %address;
  add.u64 %address, %address, %line;
read:
  setp.lt.u64 %more, %address, %end;
  @!%more bra done;
  ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%a, %b, %c, %d}, [%address], %policy;
  or.b32 %mixed, %mixed, %a;
  or.b32 %mixed, %mixed, %d;
  add.u64 %address, %address, %step;
  bra read;
done:
  setp.ne.u32 %more, %mixed, 0;
  ld.param.u64 %sink, [sink];
  @%more st.global.u32 [%sink], %mixed;
  ret;
}
.visible .entry strobe_release(.param .u64 data, .param .u64 lines)
{
  .reg .pred %more;
  .reg .b32 %threads, %block, %thread, %blocks;
  .reg .b64 %address, %line, %end, %step;
  ld.param.u64 %address, [data];
  ld.param.u64 %end, [lines];
  mov.u32 %threads, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  mad.lo.u32 %thread, %block, %threads, %thread;
  mul.wide.u32 %step, %blocks, %threads;
  cvt.u64.u32 %line, %thread;
  shl.b64 %line, %line, 7;
  shl.b64 %step, %step, 7;
  shl.b64 %end, %end, 7;
  add.u64 %end, %end, %address;
  add.u64 %address, %address, %line;
next:
  setp.lt.u64 %more, %address, %end;
  @!%more bra done;
  applypriority.global.L2::evict_normal [%address], 128;
  add.u64 %address, %address, %step;
  bra next;
done:
  ret;
}
"""
LINE_BYTES = 128
THREADS, BLOCKS_PER_SM = 512, 4


class CacheFlush:
    """After read() all earlier lines have left the L2, and its lines are clean."""

    def __init__(self, torch, l2_bytes, sm_count):
        self.torch = torch
        lines = 2 * l2_bytes // LINE_BYTES
        self.memory = torch.zeros(lines * LINE_BYTES // 4, dtype=torch.float32, device="cuda")
        self.sink = torch.zeros(1, dtype=torch.float32, device="cuda")
        self.blocks = BLOCKS_PER_SM * sm_count
        self.launches = []  # kernel, arguments
        self.obstacle = ""
        try:
            self.load(lines)
        except Exception as error:
            self.launches = []
            self.obstacle = str(error) or repr(error)

    def load(self, lines):
        self.driver = ctypes.CDLL("libcuda.so.1")
        module = ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(FLUSH_PTX))
        kernels = {}
        for name in ("strobe_flush", "strobe_release"):
            kernels[name] = ctypes.c_void_p()
            self.check("cuModuleGetFunction", ctypes.byref(kernels[name]), module, name.encode())
        data, sink = self.memory.data_ptr(), self.sink.data_ptr()
        for name, *values in (("strobe_flush", data, lines, 1, sink), ("strobe_release", data, lines),
                              ("strobe_flush", data, lines, 0, sink)):
            values = [ctypes.c_uint64(value) for value in values]
            arguments = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
            self.launches.append((kernels[name], arguments, values))  # the values must live as long
        self.read()
        self.torch.cuda.synchronize()

    def check(self, call, *arguments):
        result = getattr(self.driver, call)(*arguments)
        if result != 0:
            raise RuntimeError("%s: error %d" % (call, result))

    def read(self):
        if not self.launches:
            self.torch.sum(self.memory, dim=0, out=self.sink[0])
            return
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        for kernel, arguments, _ in self.launches:
            self.check("cuLaunchKernel", kernel, self.blocks, 1, 1, THREADS, 1, 1, 0, stream, arguments, None)

    def write(self):
        self.memory.zero_()
