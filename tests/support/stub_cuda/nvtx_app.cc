// A program that makes what its arguments say, in order, with the NVTX that is compiled into it:
//
//   nested      ranges in each other, with payloads and a category; prints their levels
//   threads=N   N threads with 100 pairs of ranges each, the last left open when the thread ends
//   free        ranges that end in another order and in another thread than they began
//   domains     a domain made twice, and its own levels
//   texts       registered, wide and reused texts
//   marks       in both domains
//   names       of this thread and of categories, before and after they are used
//   torch       ranges as torch names those of its operators
//   odd         an end without a beginning, a range without a name, handles that nobody made
//   open        a range of each kind that is still open at the end
//   fork        a child that makes ranges, prints their levels, and leaves by exit()
//   fork_cuda   a range, then a child that starts CUDA and makes a range, too
//   loop=N      N pairs, and prints the nanoseconds of one
//   wait=MS     sleeps
//   leave       without exit handlers

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

nvtxEventAttributes_t event(const char* text, std::uint32_t category = 0) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = category;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

nvtxEventAttributes_t unsigned_event(const char* text, std::uint64_t value) {
  nvtxEventAttributes_t attributes = event(text);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = value;
  return attributes;
}

nvtxEventAttributes_t signed_event(const char* text, std::int32_t value) {
  nvtxEventAttributes_t attributes = event(text);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  attributes.payload.iValue = value;
  return attributes;
}

nvtxEventAttributes_t real_event(const char* text, double value) {
  nvtxEventAttributes_t attributes = event(text);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  attributes.payload.dValue = value;
  return attributes;
}

void print(const char* what, const std::vector<int>& numbers) {
  std::string line = what;
  for (const int number : numbers) line += " " + std::to_string(number);
  std::printf("%s\n", line.c_str());
}

void make_nested() {
  std::vector<int> levels;
  const nvtxEventAttributes_t step = unsigned_event("step", 17);
  const nvtxEventAttributes_t load = signed_event("load", -3);
  const nvtxEventAttributes_t loss = real_event("loss", 0.25);
  levels.push_back(nvtxRangePushEx(&step));
  levels.push_back(nvtxRangePushEx(&load));
  levels.push_back(nvtxRangePop());
  levels.push_back(nvtxRangePushA("forward"));
  levels.push_back(nvtxRangePushEx(&loss));
  for (int i = 0; i < 3; ++i) levels.push_back(nvtxRangePop());
  print("nested:", levels);
}

void make_in_threads(int count) {
  std::vector<std::thread> threads;
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([number] {
      const std::string own = "thread " + std::to_string(number);
      for (int i = 0; i < 100; ++i) {
        nvtxRangePushA(own.c_str());
        nvtxRangePushA("inner");
        nvtxRangePop();
        nvtxRangePop();
      }
      nvtxRangePushA("left open by a thread");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void make_free() {
  const nvtxRangeId_t first = nvtxRangeStartA("first request");
  const nvtxEventAttributes_t attributes = unsigned_event("second request", 2);
  const nvtxRangeId_t second = nvtxRangeStartEx(&attributes);
  std::thread([first] { nvtxRangeEnd(first); }).join();
  nvtxRangeEnd(second);
  nvtxRangeEnd(second);  // a second end means nothing
  std::printf("free: %d %d\n", first != 0, first != second);
}

void make_in_domains() {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("storage");
  nvtxDomainHandle_t again = nvtxDomainCreateA("storage");
  nvtxDomainHandle_t wide = nvtxDomainCreateW(L"Gr\u00F6\u00DFe");
  const nvtxEventAttributes_t read = event("read");
  std::vector<int> levels;
  nvtxRangePushA("in the default domain");
  levels.push_back(nvtxDomainRangePushEx(domain, &read));
  levels.push_back(nvtxDomainRangePushEx(wide, &read));
  levels.push_back(nvtxDomainRangePop(wide));
  levels.push_back(nvtxDomainRangePop(again));
  const nvtxRangeId_t free = nvtxDomainRangeStartEx(domain, &read);
  nvtxDomainRangeEnd(domain, free);
  levels.push_back(nvtxRangePop());
  nvtxDomainDestroy(wide);
  print("domains:", levels);
}

void make_texts() {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("texts");
  nvtxEventAttributes_t attributes = event(nullptr);
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  attributes.message.registered = nvtxDomainRegisterStringW(domain, L"registered \u03B1");
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  nvtxRangePushW(L"wide \u03B2 \U0001F600");
  nvtxRangePop();
  char room[16];
  for (const char* text : {"one place", "another", "one place"}) {
    std::strcpy(room, text);
    nvtxRangePushA(room);
    std::strcpy(room, "gone");
    nvtxRangePop();
  }
}

void make_marks() {
  nvtxMarkA("mark");
  nvtxMarkW(L"wide mark");
  const nvtxEventAttributes_t attributes = real_event("mark with a number", 1.5);
  nvtxMarkEx(&attributes);
  nvtxDomainMarkEx(nvtxDomainCreateA("marks"), &attributes);
}

void make_names() {
  const auto thread_id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  nvtxNameOsThreadA(thread_id, "first name");
  nvtxNameOsThreadW(thread_id, L"main \u03B3");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("categories");
  const nvtxEventAttributes_t late = event("named late", 3);
  const nvtxEventAttributes_t never = event("never named", 4);
  nvtxRangePushEx(&late);
  nvtxRangePop();
  nvtxRangePushEx(&never);
  nvtxRangePop();
  nvtxNameCategoryA(3, "loading");
  nvtxDomainNameCategoryW(domain, 3, L"of the domain");
  nvtxDomainRangePushEx(domain, &late);
  nvtxDomainRangePop(domain);
}

void make_torch_ranges() {
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA(("aten::add, seq = " + std::to_string(i) + ", op_id = 9").c_str());
    nvtxRangePop();
    nvtxRangePushA(("Optimizer.step, op_id = " + std::to_string(i)).c_str());
    nvtxRangePop();
  }
  nvtxRangePushA("aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]], input_op_ids = [[1,0]]");
  nvtxRangePop();
}

void make_odd_ones() {
  std::vector<int> levels;
  levels.push_back(nvtxRangePop());
  levels.push_back(nvtxRangePushEx(nullptr));
  levels.push_back(nvtxRangePushA(nullptr));
  levels.push_back(nvtxRangePop());
  levels.push_back(nvtxRangePop());
  nvtxEventAttributes_t attributes = event(nullptr);
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = reinterpret_cast<nvtxStringHandle_t>(std::uintptr_t{1} << 40);
  auto* nobodys = reinterpret_cast<nvtxDomainHandle_t>(std::uintptr_t{1} << 40);
  levels.push_back(nvtxDomainRangePushEx(nobodys, &attributes));
  levels.push_back(nvtxDomainRangePop(nobodys));
  nvtxRangeEnd(123456);
  print("odd:", levels);
}

void leave_open() {
  const nvtxEventAttributes_t attributes = event("open in a domain");
  nvtxDomainRangePushEx(nvtxDomainCreateA("storage"), &attributes);
  nvtxRangePushA("open outside");
  nvtxRangePushA("open inside");
  nvtxRangeStartA("open and free");
}

void make_in_child() {
  std::vector<int> levels;
  levels.push_back(nvtxRangePushA("before the fork"));
  std::fflush(stdout);
  // The first range started the library's thread. While a thread starts, it holds locks of the
  // address sanitizer, which the child would find locked forever.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const pid_t child = fork();
  if (child == 0) {
    const nvtxEventAttributes_t attributes = event("in the child");
    nvtxDomainHandle_t domain = nvtxDomainCreateA("of the child");
    levels.push_back(nvtxRangePushA("in the child"));
    levels.push_back(nvtxDomainRangePushEx(domain, &attributes));
    levels.push_back(nvtxDomainRangePop(domain));
    std::thread([&levels] {
      levels.push_back(nvtxRangePushA("in a thread of the child"));
      levels.push_back(nvtxRangePop());
    }).join();
    nvtxRangeEnd(nvtxRangeStartA("in the child"));
    levels.push_back(nvtxRangePop());
    levels.push_back(nvtxRangePop());
    print("child:", levels);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  levels.push_back(nvtxRangePop());
  print("fork:", levels);
  std::printf("child left with %d\n", status);
}

void start_cuda_in_child() {
  nvtxRangePushA("before the fork");
  nvtxRangePop();
  const pid_t child = fork();
  if (child == 0) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) std::exit(1);
    reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0);
    nvtxRangePushA("in the child");
    nvtxRangePop();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child left with %d\n", status);
}

void make_many(int count) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("forward pass");
    nvtxRangePop();
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  std::printf("loop: %.1f ns\n", spent.count() / count);
}

int number_in(const std::string& word) { return std::atoi(word.c_str() + word.find('=') + 1); }

}  // namespace

int main(int argc, char** argv) {
  for (const std::string& word : std::vector<std::string>(argv + 1, argv + argc)) {
    if (word == "nested") make_nested();
    if (word.starts_with("threads=")) make_in_threads(number_in(word));
    if (word == "free") make_free();
    if (word == "domains") make_in_domains();
    if (word == "texts") make_texts();
    if (word == "marks") make_marks();
    if (word == "names") make_names();
    if (word == "torch") make_torch_ranges();
    if (word == "odd") make_odd_ones();
    if (word == "open") leave_open();
    if (word == "fork") make_in_child();
    if (word == "fork_cuda") start_cuda_in_child();
    if (word.starts_with("loop=")) make_many(number_in(word));
    if (word.starts_with("wait=")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(number_in(word)));
    }
    if (word == "leave") _exit(0);
  }
  return 0;
}
