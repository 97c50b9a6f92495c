#pragma once

#include <type_traits>

// Whether a call in one of our tables equals the one that a vendor's header declares.
namespace strobe::bench {

// Two parameters that use the same register with the same meaning.
template <class A, class B>
constexpr bool kSameSlot =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> ==
                                  std::is_pointer_v<B>&& std::is_floating_point_v<A> ==
                                  std::is_floating_point_v<B>;
template <class A, class B>
struct SameCall : std::false_type {};
template <class RA, class... A, class RB, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<RA (*)(A...), RB (*)(B...)>
    : std::bool_constant<kSameSlot<RA, RB> && (kSameSlot<A, B> && ...)> {
};

}  // namespace strobe::bench
