// Arrays of weights. Rows start at cache lines, and large arrays request huge pages, since rows are read in any order.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace riata {

template <class T>
struct NumberAllocator {
  using value_type = T;

  NumberAllocator() = default;
  template <class U>
  NumberAllocator(const NumberAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(count));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: its failure does not matter
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept { ::operator delete(memory, alignment(count)); }

  template <class U>
  bool operator==(const NumberAllocator<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static std::align_val_t alignment(std::size_t count) noexcept {
    return std::align_val_t{count * sizeof(T) >= huge_page ? huge_page : 64};
  }
};

template <class T>
using Numbers = std::vector<T, NumberAllocator<T>>;

}  // namespace riata
