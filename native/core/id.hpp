// Numbers of things of one kind. The compiler does not let them be confused with numbers of another kind (see core/kinds.hpp).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace riata {

// The number of a thing: 0 or more, or -1 for none. Kind: a type that names the kind of things. An Id costs no more than an int32.
template <class Kind>
class Id {
 public:
  constexpr Id() noexcept = default;
  constexpr explicit Id(std::int32_t number) noexcept : number_(number) {}
  constexpr explicit Id(std::size_t number) noexcept : number_(static_cast<std::int32_t>(number)) {}

  // From a value as templates read it: from 1 on, or 0 for none.
  static constexpr Id of_value(std::int32_t value) noexcept { return Id(value - 1); }

  constexpr std::int32_t number() const noexcept { return number_; }
  constexpr std::int32_t value() const noexcept { return number_ + 1; }
  constexpr std::size_t place() const noexcept { return static_cast<std::size_t>(number_); }  // index in an array of such things
  constexpr explicit operator bool() const noexcept { return number_ >= 0; }                  // false for -1

  constexpr auto operator<=>(const Id&) const noexcept = default;
  constexpr Id& operator++() noexcept {
    ++number_;
    return *this;
  }

 private:
  std::int32_t number_ = -1;
};

}  // namespace riata

template <class Kind>
struct std::hash<riata::Id<Kind>> {
  std::size_t operator()(riata::Id<Kind> id) const noexcept { return std::hash<std::int32_t>()(id.number()); }
};
