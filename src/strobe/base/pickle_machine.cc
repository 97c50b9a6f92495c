#include "strobe/base/pickle_machine.h"

#include <algorithm>
#include <span>

namespace strobe {
namespace {

// Writers fill a container in portions of this many; a shorter portion is its last.
constexpr std::size_t kPortion = 1000;
constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
constexpr PickleValue kUnset{PickleKind::kFolded, ~std::uint64_t{0}};

}  // namespace

std::optional<std::size_t> PickleMachine::pop_mark() {
  if (marks_.empty() || marks_.back() > stack_.size()) return std::nullopt;
  const std::size_t first = marks_.back();
  marks_.pop_back();
  return first;
}

PickleValue PickleMachine::new_container(PickleKind kind) {
  std::uint32_t part = 0;
  if (free_parts_.empty()) {
    part = static_cast<std::uint32_t>(data_.parts_.size());
    data_.parts_.emplace_back();
  } else {
    part = free_parts_.back();
    free_parts_.pop_back();
    data_.parts_[part] = {};
  }
  data_.parts_[part].last = part;
  return {kind, part};
}

// From the values on the stack from `first` on, which it takes.
PickleMachine::End PickleMachine::make(PickleKind kind, std::size_t items) {
  if (stack_.size() < items) return broken("it takes more than there is");
  return push(filled(kind, stack_.size() - items));
}

PickleMachine::End PickleMachine::make_from_mark(PickleKind kind) {
  const auto first = pop_mark();
  if (!first) return broken("a group ends that did not begin");
  if (kind == PickleKind::kDict && (stack_.size() - *first) % 2 != 0) {
    return broken("a key without its value");
  }
  return push(filled(kind, *first));
}

PickleValue PickleMachine::filled(PickleKind kind, std::size_t first) {
  const PickleValue container = new_container(kind);
  seal(first);
  store(PickleData::part_of(container), first);
  return container;
}

// Puts the values from `first` on into the container below them.
PickleMachine::End PickleMachine::add(std::size_t first, bool may_be_last) {
  if (first == 0 || first > stack_.size()) return broken("it takes more than there is");
  const PickleValue target = stack_[first - 1];
  if (!target.is(PickleKind::kList) && !target.is(PickleKind::kDict)) {
    return broken("it fills something that is neither a list nor a dict");
  }
  if (target.is(PickleKind::kDict) && (stack_.size() - first) % 2 != 0) {
    return broken("a key without its value");
  }
  seal(first);
  if (data_.parts_[PickleData::part_of(target)].is_sealed) {
    return broken("something that contains itself");
  }
  if (may_be_last && fold(target, first)) return End::kGoOn;
  store(PickleData::part_of(target), first);
  return End::kGoOn;
}

// What is inside of something never changes again, so nothing can contain itself.
void PickleMachine::seal(std::size_t first) {
  for (std::size_t i = first; i < stack_.size(); ++i) {
    if (stack_[i].is_container()) data_.parts_[PickleData::part_of(stack_[i])].is_sealed = true;
  }
}

// Moves the values of the stack from `first` on to the end of the container.
void PickleMachine::store(std::uint32_t head, std::size_t first) {
  const auto count = static_cast<std::uint32_t>(stack_.size() - first);
  if (count == 0) return;
  const std::uint64_t at = data_.items_.size();
  data_.items_.insert(data_.items_.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first),
                      stack_.end());
  stack_.resize(first);
  const std::uint32_t last = data_.parts_[head].last;
  PickleData::Part& tail = data_.parts_[last];
  if (tail.count == 0) {
    tail.first = at;
    tail.count = count;
    return;
  }
  const std::uint64_t end = tail.first + tail.count;
  if (end == at && std::uint64_t{tail.count} + count < kNobody) {
    tail.count += count;
    return;
  }
  const auto next = static_cast<std::uint32_t>(data_.parts_.size());
  tail.next = next;
  data_.parts_[head].last = next;
  PickleData::Part& part = data_.parts_.emplace_back();
  part.first = at;
  part.count = count;
}

bool PickleMachine::fold(PickleValue target, std::size_t first) {
  if (folder_ == nullptr || stack_.size() == first) return false;
  const bool is_dict = target.is(PickleKind::kDict);
  const std::size_t values = stack_.size() - first;
  if (values / (is_dict ? 2 : 1) >= kPortion) return false;
  const std::uint32_t head = PickleData::part_of(target);
  const PickleData::Part& part = data_.parts_[head];
  if (part.count != 0 || part.is_shared) return false;
  const std::span<const PickleValue> items = std::span(stack_).subspan(first);
  const auto number = is_dict ? folder_->fold_dict(data_, items) : folder_->fold_list(data_, items);
  if (!number) return false;
  const PickleValue folded{PickleKind::kFolded, *number};
  if (part.memo != kNobody && memo_[part.memo] == target) memo_[part.memo] = folded;
  free_parts_.push_back(head);
  stack_.resize(first);
  stack_.back() = folded;
  return true;
}

PickleMachine::End PickleMachine::put(std::uint64_t number) {
  if (stack_.empty()) return broken("it takes more than there is");
  // Writers number what they refer to one after the other.
  if (number > at_ + 1024 || number >= kNobody) return broken("a reference is out of order");
  if (number >= memo_.size()) memo_.resize(number + 1, kUnset);
  const PickleValue value = stack_.back();
  memo_[number] = value;
  if (value.is_container()) {
    PickleData::Part& part = data_.parts_[PickleData::part_of(value)];
    if (part.memo != kNobody) part.is_shared = true;
    part.memo = static_cast<std::uint32_t>(number);
  }
  return End::kGoOn;
}

PickleMachine::End PickleMachine::get(std::uint64_t number) {
  if (number >= memo_.size() || memo_[number] == kUnset) {
    return broken("it refers to something that is not there");
  }
  const PickleValue value = memo_[number];
  if (value.is_container()) data_.parts_[PickleData::part_of(value)].is_shared = true;
  return push(value);
}

// Gives everything that is open what it has so far, from the innermost on.
void PickleMachine::close_all() {
  while (!marks_.empty()) {
    const std::size_t first = std::min(marks_.back(), stack_.size());
    marks_.pop_back();
    if (first == 0) continue;
    close_one(first);
  }
  if (stack_.size() > 1) close_one(1);
}

// A container without a mark of its own, which was about to get its only item, lies behind the key
// or beside its neighbours.
void PickleMachine::close_one(std::size_t first) {
  const PickleValue target = stack_[first - 1];
  std::vector<PickleValue> items(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
  stack_.resize(first);
  const bool is_dict = target.is(PickleKind::kDict);
  std::size_t kept = 0;
  for (const PickleValue item : items) {
    const bool is_key = is_dict && (stack_.size() - first) % 2 == 0;
    const bool is_inner = is_key && !item.is(PickleKind::kText) && kept > 0;
    if (is_inner && stack_.back().is(PickleKind::kList)) {
      stack_.push_back(item);
      if (add(stack_.size() - 1, false) != End::kGoOn) stack_.pop_back();
    } else {
      stack_.push_back(item);
      ++kept;
    }
  }
  if (is_dict && (stack_.size() - first) % 2 != 0) stack_.pop_back();
  if (stack_.size() > first && add(first, true) != End::kGoOn) stack_.resize(first);
}

}  // namespace strobe
