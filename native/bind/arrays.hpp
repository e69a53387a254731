// NumPy arrays in and out: arrays are copied on the way in, and their shapes are checked.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace riata::bind {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using In3 = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> copy(const In<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

// Passes a vector to NumPy without copying it.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace riata::bind
