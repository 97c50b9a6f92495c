#include "strobe/record/inject/activity/nvtx_ranges.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace strobe::record {
namespace {

constexpr std::size_t kMostThreadNames = 4096;
constexpr std::uint64_t kNoText = 0;  // "" in every file

struct MyRanges {
  RangeLog* log = nullptr;
  bool is_inside = false;
};
thread_local MyRanges mine;  // NOLINT: NVTX calls by name, without a pointer of ours

// A call may come from within another one: from a signal handler, or from an allocator that marks
// its work with ranges. It must not wait for a lock that its own thread holds. The program's errno
// is as it was, whatever we write or allocate.
class Visit {
 public:
  Visit() noexcept : is_first_(!mine.is_inside) { mine.is_inside = true; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    if (is_first_) mine.is_inside = false;
    errno = errno_before_;
  }
  bool is_first() const noexcept { return is_first_; }

 private:
  bool is_first_;
  int errno_before_ = errno;
};

// The object whose logs the threads of this process hold.
std::atomic<NvtxRanges*> the_ranges_of_logs = nullptr;  // NOLINT: a thread ends without a pointer
std::atomic<std::uint64_t> last_serial = 0;             // NOLINT: tells objects apart

// Filled in where it stays, as all below: to copy what was just written in parts costs as much as
// a lock.
void fill_in_row(RangeRow& row, const OpenRange& range, wire::RangeWhat what,
                 std::uint32_t thread_id, std::uint16_t domain, std::int64_t end_ns) noexcept {
  row.start_ns = range.start_ns;
  row.duration_ns = std::max<std::int64_t>(0, end_ns - range.start_ns);
  row.payload = range.payload;
  row.name = range.name;
  row.category = range.category;
  row.thread_id = thread_id;
  row.domain = domain;
  row.what = what;
  row.payload_type = range.payload_type;
}

}  // namespace

NvtxRanges::NvtxRanges() noexcept : serial_(++last_serial) {
  domains_[0].store(new Domain(0, NvtxNames::kNoName), std::memory_order_relaxed);
  the_ranges_of_logs.store(this, std::memory_order_release);
}

NvtxRanges::~NvtxRanges() {
  NvtxRanges* self = this;
  the_ranges_of_logs.compare_exchange_strong(self, nullptr);
  for (const std::atomic<Domain*>& domain : domains_) delete domain.load();
}

void NvtxRanges::open(wire::RunFileWriter& file, ThreadNumbers& threads,
                      bool is_redacting) noexcept {
  file_ = &file;
  threads_ = &threads;
  if (is_redacting) names_.redact();
  state_.store(kStretch | kRecords, std::memory_order_release);
}

RangeLog& NvtxRanges::my_log() noexcept {
  RangeLog* log = mine.log;
  if (log != nullptr && log->recording == serial_) [[likely]]
    return *log;
  return make_log();
}

RangeLog& NvtxRanges::make_log() noexcept {
  // The last use of a thread: a key of the thread library is cleared after the destructors of the
  // program's own thread-local variables, which may still make ranges.
  static const pthread_key_t key = [] {
    pthread_key_t made = {};
    pthread_key_create(&made, thread_ends);
    return made;
  }();
  delete static_cast<std::shared_ptr<RangeLog>*>(pthread_getspecific(key));
  const auto thread_id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  auto* log = new std::shared_ptr<RangeLog>(std::make_shared<RangeLog>(serial_, thread_id));
  pthread_setspecific(key, log);
  mine.log = log->get();
  if ((state() & kIsAbandoned) == 0) {
    const std::lock_guard lock(logs_mutex_);
    logs_.push_back(*log);
  }
  return **log;
}

void NvtxRanges::thread_ends(void* its_log) noexcept {
  auto* log = static_cast<std::shared_ptr<RangeLog>*>(its_log);
  mine.log = nullptr;
  NvtxRanges* ranges = the_ranges_of_logs.load(std::memory_order_acquire);
  if (ranges != nullptr && ranges->serial_ == (*log)->recording) {
    // In a forked child, another thread of the parent may have been at work on it.
    if ((ranges->state() & kIsAbandoned) != 0) return;
    ranges->retire(*log);
  }
  delete log;
}

void NvtxRanges::retire(const std::shared_ptr<RangeLog>& log) noexcept {
  const Visit visit;
  close_open(*log, state());
  write(*log);
  const std::lock_guard lock(logs_mutex_);
  std::erase(logs_, log);
}

std::vector<std::shared_ptr<RangeLog>> NvtxRanges::all_logs() noexcept {
  const std::lock_guard lock(logs_mutex_);
  return logs_;
}

std::uint16_t NvtxRanges::index_of(NvtxHandle domain) const noexcept {
  if (domain == 0 || domain >= kMostDomains) return 0;
  const bool is_known = domains_[domain].load(std::memory_order_acquire) != nullptr;
  return is_known ? static_cast<std::uint16_t>(domain) : std::uint16_t{0};
}

NvtxRanges::Named NvtxRanges::named(RangeLog& log, const NvtxEvent& event) noexcept {
  if (event.message.kind == NvtxMessage::Kind::kRegistered) {
    return {names_.of(event.message), event.payload_type, event.payload};
  }
  const bool has_payload = event.payload_type != wire::PayloadType::kNone;
  const NvtxText text(event.message, !has_payload);
  const NvtxNames::Number name = log.names.find(text.hash, [&] { return names_.of(text); });
  if (text.torch.number != TorchName::Number::kNone) {
    return {name, wire::PayloadType::kUnsigned, text.torch.value};
  }
  return {name, event.payload_type, event.payload};
}

void NvtxRanges::fill_in(OpenRange& range, const Named& named, const NvtxEvent& event,
                         std::uint32_t now) noexcept {
  range.name = named.name;
  range.category = event.category;
  range.payload_type = named.payload_type;
  range.payload = named.payload;
  range.state = now;
  range.start_ns = wire::run_clock_ns();  // last: our own work is not part of the range
}

int NvtxRanges::push(NvtxHandle domain, const NvtxEvent& event) noexcept {
  const Visit visit;
  if (!visit.is_first()) return kNotTracked;
  const std::uint32_t now = state();
  RangeLog& log = my_log();
  const std::uint16_t index = index_of(domain);
  if ((now & kHasEnded) != 0) return push_level(log, index, now);
  const Named name = named(log, event);
  const std::lock_guard lock(log.lock);
  RangeStack& stack = log.stack(index);
  OpenRange* range = stack.push();
  if (range != nullptr) fill_in(*range, name, event, now);
  return stack.level();
}

int NvtxRanges::push_level(RangeLog& log, std::uint16_t domain, std::uint32_t now) noexcept {
  std::unique_lock lock(log.lock, std::defer_lock);
  if ((now & kIsAbandoned) == 0) lock.lock();
  log.stack(domain).push();
  return log.stack(domain).level();
}

int NvtxRanges::pop_level(RangeLog& log, std::uint16_t domain, std::uint32_t now) noexcept {
  std::unique_lock lock(log.lock, std::defer_lock);
  if ((now & kIsAbandoned) == 0) lock.lock();
  const int level = log.stack(domain).level();
  log.stack(domain).pop();
  return level;
}

int NvtxRanges::pop(NvtxHandle domain) noexcept {
  const Visit visit;
  if (!visit.is_first()) return kNotTracked;
  const std::uint32_t now = state();
  const std::int64_t end_ns = (now & kRecords) != 0 ? wire::run_clock_ns() : 0;
  RangeLog& log = my_log();
  const std::uint16_t index = index_of(domain);
  if ((now & kHasEnded) != 0) return pop_level(log, index, now);
  int level = kNoRange;
  bool is_full = false;
  {
    const std::lock_guard lock(log.lock);
    RangeStack& stack = log.stack(index);
    level = stack.level();
    const OpenRange* range = stack.top();
    if (range != nullptr && is_wanted(now, range->state)) {
      fill_in_row(log.rows.emplace_back(), *range, wire::RangeWhat::kNested, log.thread_id, index,
                  end_ns != 0 ? end_ns : wire::run_clock_ns());
      is_full = log.rows.size() >= RangeLog::kMostRows;
    } else if (range == nullptr && level >= 0) {
      lost_.fetch_add(1, std::memory_order_relaxed);
    }
    stack.pop();
  }
  if (is_full) write(log);
  return level;
}

std::uint64_t NvtxRanges::start(NvtxHandle domain, const NvtxEvent& event) noexcept {
  const std::uint64_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
  const Visit visit;
  const std::uint32_t now = state();
  if (!visit.is_first() || (now & (kHasEnded | kIsAbandoned)) != 0) return id;
  RangeLog& log = my_log();
  const Named name = named(log, event);
  FreeRanges& part = free_ranges_[id % kFreeParts];
  const std::lock_guard lock(part.mutex);
  if (part.open.size() >= kMostFreePerPart) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return id;
  }
  FreeRange& range = part.open[id];
  range.thread_id = log.thread_id;
  range.domain = index_of(domain);
  fill_in(range.range, name, event, now);
  return id;
}

void NvtxRanges::end(std::uint64_t id) noexcept {
  const Visit visit;
  const std::uint32_t now = state();
  if (!visit.is_first() || (now & (kHasEnded | kIsAbandoned)) != 0) return;
  const std::int64_t end_ns = wire::run_clock_ns();
  FreeRange free;
  {
    FreeRanges& part = free_ranges_[id % kFreeParts];
    const std::lock_guard lock(part.mutex);
    const auto known = part.open.find(id);
    if (known == part.open.end()) return;
    free = known->second;
    part.open.erase(known);
  }
  if (!is_wanted(now, free.range.state)) return;
  add(my_log(), free.range, wire::RangeWhat::kFree, free.thread_id, free.domain, end_ns);
}

void NvtxRanges::mark(NvtxHandle domain, const NvtxEvent& event) noexcept {
  const std::uint32_t now = state();
  if ((now & (kRecords | kHasEnded | kIsAbandoned)) != kRecords) return;
  const Visit visit;
  if (!visit.is_first()) return;
  RangeLog& log = my_log();
  OpenRange mark;
  fill_in(mark, named(log, event), event, now);
  add(log, mark, wire::RangeWhat::kMark, log.thread_id, index_of(domain), mark.start_ns);
}

// Without a lock, because a forked child needs domains too: nothing is ever taken out.
NvtxHandle NvtxRanges::make_domain(const NvtxMessage& name) noexcept {
  const Visit visit;
  if (!visit.is_first()) return 0;
  const std::uint64_t hash = NvtxText(name).hash;
  const bool is_abandoned = (state() & kIsAbandoned) != 0;
  auto made = std::make_unique<Domain>(hash, is_abandoned ? NvtxNames::kNoName : names_.of(name));
  for (NvtxHandle handle = 1; handle < kMostDomains; ++handle) {
    Domain* known = nullptr;
    if (domains_[handle].compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      [[maybe_unused]] const Domain* owned_by_table = made.release();
      return handle;
    }
    if (known->hash == hash) return handle;
  }
  return 0;
}

NvtxHandle NvtxRanges::register_text(const NvtxMessage& text) noexcept {
  const Visit visit;
  if (!visit.is_first() || (state() & kIsAbandoned) != 0) return 0;
  return names_.of(text);
}

void NvtxRanges::name_category(NvtxHandle domain, std::uint32_t category,
                               const NvtxMessage& name) noexcept {
  const Visit visit;
  if (!visit.is_first() || (state() & (kHasEnded | kIsAbandoned)) != 0) return;
  Domain& its_domain = *domains_[index_of(domain)].load(std::memory_order_acquire);
  const NvtxNames::Number number = names_.of(name);
  const std::lock_guard lock(its_domain.mutex);
  its_domain.categories[category] = number;
}

void NvtxRanges::name_thread(std::uint32_t thread_id, const NvtxMessage& name) noexcept {
  const Visit visit;
  if (!visit.is_first() || (state() & (kHasEnded | kIsAbandoned)) != 0) return;
  const NvtxNames::Number number = names_.of(name);
  const std::shared_lock file(file_mutex_);
  const std::lock_guard lock(thread_names_mutex_);
  if (thread_names_.size() < kMostThreadNames) thread_names_[thread_id] = number;
  write_thread_name(thread_id, number);
}

void NvtxRanges::write_thread_name(std::uint32_t thread_id, NvtxNames::Number name) noexcept {
  file_->fact(wire::kFactThread + std::to_string(thread_id) + wire::kFactThreadName,
              names_.text(name));
}

void NvtxRanges::begin_stretch(bool is_recorded) noexcept {
  std::uint32_t now = state();
  for (;;) {
    if (((now & kRecords) != 0) == is_recorded) return;
    const std::uint32_t next = (now ^ kRecords) + kStretch;
    if (state_.compare_exchange_weak(now, next, std::memory_order_acq_rel)) return;
  }
}

void NvtxRanges::pause() noexcept { begin_stretch(false); }
void NvtxRanges::resume() noexcept { begin_stretch(true); }

void NvtxRanges::add(RangeLog& log, const OpenRange& range, wire::RangeWhat what,
                     std::uint32_t thread_id, std::uint16_t domain, std::int64_t end_ns) noexcept {
  bool is_full = false;
  {
    const std::lock_guard lock(log.lock);
    fill_in_row(log.rows.emplace_back(), range, what, thread_id, domain, end_ns);
    is_full = log.rows.size() >= RangeLog::kMostRows;
  }
  if (is_full) write(log);
}

void NvtxRanges::write(RangeLog& log) noexcept {
  const std::shared_lock file(file_mutex_);
  write_held(log);
}

void NvtxRanges::write_held(RangeLog& log) noexcept {
  const std::lock_guard writing(log.writing);
  {
    const std::lock_guard lock(log.lock);
    log.rows.swap(log.rows_to_write);
  }
  if (log.rows_to_write.empty()) {  // an idle thread keeps no memory
    log.rows_to_write = {};
    log.chunk = wire::ChunkRows(wire::ChunkKind::kRanges);
    return;
  }
  encode(log.rows_to_write, log.chunk);
  written_.fetch_add(log.rows_to_write.size(), std::memory_order_relaxed);
  log.rows_to_write.clear();
  file_->write(log.chunk);
}

void NvtxRanges::encode(std::span<const RangeRow> rows, wire::ChunkRows& chunk) noexcept {
  // Most rows have the thread and the domain of the row before.
  std::uint32_t thread_id = rows.front().thread_id;
  std::uint64_t thread = threads_->of(thread_id);
  std::uint16_t domain = rows.front().domain;
  std::uint64_t domain_text = text_of_domain(domain);
  for (const RangeRow& row : rows) {
    if (row.thread_id != thread_id) thread = threads_->of(thread_id = row.thread_id);
    if (row.domain != domain) domain_text = text_of_domain(domain = row.domain);
    chunk.add({thread, text_in_file(row.name), domain_text, static_cast<std::uint64_t>(row.what),
               row.category == 0 ? kNoText : text_of_category(row),
               static_cast<std::uint64_t>(row.start_ns),
               static_cast<std::uint64_t>(row.duration_ns),
               static_cast<std::uint64_t>(row.payload_type), row.payload});
  }
}

std::uint64_t NvtxRanges::text_of_domain(std::uint16_t index) noexcept {
  return text_in_file(domains_[index].load(std::memory_order_acquire)->name);
}

std::uint64_t NvtxRanges::text_in_file(NvtxNames::Number name) noexcept {
  return names_.number_in_file(name, file_number_,
                               [this](const std::string& text) { return file_->text(text); });
}

// A category is looked up when it is written: programs name them when they like. One without a
// name is told by its number.
std::uint64_t NvtxRanges::text_of_category(const RangeRow& row) noexcept {
  Domain& domain = *domains_[row.domain].load(std::memory_order_acquire);
  const std::lock_guard lock(domain.mutex);
  const auto known = domain.categories.find(row.category);
  if (known != domain.categories.end()) return text_in_file(known->second);
  const std::string number = std::to_string(row.category);
  return text_in_file(names_.of(NvtxMessage::text(number.c_str())));
}

void NvtxRanges::flush() noexcept {
  const Visit visit;
  if ((state() & (kHasEnded | kIsAbandoned)) != 0) return;
  for (const auto& log : all_logs()) write(*log);
}

void NvtxRanges::hold_file() noexcept {
  const Visit visit;
  file_mutex_.lock();
  for (const auto& log : all_logs()) write_held(*log);
}

void NvtxRanges::restart() noexcept {
  const Visit visit;
  ++file_number_;
  {
    const std::lock_guard lock(thread_names_mutex_);
    for (const auto& [thread_id, name] : thread_names_) write_thread_name(thread_id, name);
  }
  file_mutex_.unlock();
}

void NvtxRanges::close_open(RangeLog& log, std::uint32_t now) noexcept {
  if ((now & kHasEnded) != 0) return;
  const std::int64_t end_ns = wire::run_clock_ns();
  const std::lock_guard lock(log.lock);
  if (std::exchange(log.is_closed, true)) return;  // a thread may end while the process does
  for (std::size_t domain = 0; domain < log.stacks.size(); ++domain) {
    const RangeStack& stack = log.stacks[domain];
    lost_.fetch_add(stack.not_kept(), std::memory_order_relaxed);
    for (const OpenRange& range : stack.open()) {
      if (!is_wanted(now, range.state)) continue;
      fill_in_row(log.rows.emplace_back(), range, wire::RangeWhat::kNested, log.thread_id,
                  static_cast<std::uint16_t>(domain), end_ns);
      open_at_end_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void NvtxRanges::close_free(std::uint32_t now) noexcept {
  const std::int64_t end_ns = wire::run_clock_ns();
  RangeLog& log = my_log();
  for (FreeRanges& part : free_ranges_) {
    const std::lock_guard part_lock(part.mutex);
    for (const auto& [id, free] : part.open) {
      if (!is_wanted(now, free.range.state)) continue;
      add(log, free.range, wire::RangeWhat::kFree, free.thread_id, free.domain, end_ns);
      open_at_end_.fetch_add(1, std::memory_order_relaxed);
    }
    part.open.clear();
  }
}

void NvtxRanges::finish() noexcept {
  const Visit visit;
  const std::uint32_t before = state_.fetch_or(kHasEnded, std::memory_order_acq_rel);
  if ((before & (kHasEnded | kIsAbandoned)) != 0) return;
  close_free(before);
  for (const auto& log : all_logs()) {
    close_open(*log, before);
    write(*log);
  }
  write_notes();
}

void NvtxRanges::write_notes() noexcept {
  const std::shared_lock file(file_mutex_);
  const Counts all = counts();
  if (all.open_at_end > 0) {
    file_->note(wire::NoteWhat::kRemark,
                "ranges that were open when their thread or the process ended are recorded up to "
                "there",
                all.open_at_end);
  }
  if (all.lost > 0) {
    file_->note(wire::NoteWhat::kDropped, "ranges are missing: too many were open at once",
                all.lost);
  }
  if (names_.is_crowded()) {
    file_->note(wire::NoteWhat::kRemark,
                "the program made more different range names than are kept; later ones are "
                "recorded without their numbers",
                NvtxNames::kMostNames);
  }
}

void NvtxRanges::abandon() noexcept {
  state_.fetch_or(kIsAbandoned | kHasEnded, std::memory_order_acq_rel);
}

NvtxRanges::Counts NvtxRanges::counts() const noexcept {
  return {written_.load(std::memory_order_relaxed), open_at_end_.load(std::memory_order_relaxed),
          lost_.load(std::memory_order_relaxed)};
}

}  // namespace strobe::record
