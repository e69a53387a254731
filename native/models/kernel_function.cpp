#include "models/kernel_function.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"

namespace riata {
namespace {

double power(double base, std::int32_t exponent) noexcept {
  double out = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) out *= base;
  }
  return out;
}

// Functions of x.z, |x|^2 and |z|^2.
template <class Of>
class OfProducts : public KernelFunction {
 public:
  explicit OfProducts(Of of) : of_(of) {}

  void row(const SparseVector& token, std::span<const SparseVector* const> others, std::int32_t width, double* out) const override {
    thread_local std::vector<float> dense;  // zeros between two calls
    if (dense.size() < static_cast<std::size_t>(width)) dense.resize(static_cast<std::size_t>(width), 0.0f);
    for (std::size_t k = 0; k < token.ids.size(); ++k) dense[static_cast<std::size_t>(token.ids[k])] = token.values[k];
    for (std::size_t i = 0; i < others.size(); ++i) out[i] = of_(product(dense.data(), *others[i]), token.squared, others[i]->squared);
    for (const std::int32_t id : token.ids) dense[static_cast<std::size_t>(id)] = 0.0f;
  }

 private:
  // Four sums at a time, in a fixed order.
  static double product(const float* dense, const SparseVector& other) noexcept {
    const std::int32_t* ids = other.ids.data();
    const float* values = other.values.data();
    const std::size_t size = other.ids.size(), fours = size / 4 * 4;
    double sums[4] = {0, 0, 0, 0};
    for (std::size_t k = 0; k < fours; k += 4) {
      for (std::size_t j = 0; j < 4; ++j) sums[j] += double(dense[ids[k + j]]) * double(values[k + j]);
    }
    for (std::size_t k = fours; k < size; ++k) sums[0] += double(dense[ids[k]]) * double(values[k]);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }

  Of of_;
};

template <class Of>
std::shared_ptr<const KernelFunction> of_products(Of of) {
  return std::make_shared<OfProducts<Of>>(of);
}

}  // namespace

std::shared_ptr<const KernelFunction> kernel_function(const KernelSpec& spec) {
  if (spec.name == "linear") return of_products([](double product, double, double) noexcept { return product; });
  if (spec.name == "poly")
    return of_products(
        [=](double product, double, double) noexcept { return power(spec.gamma * product + spec.coefficient, spec.degree); });
  if (spec.name == "rbf")
    return of_products([gamma = spec.gamma](double product, double one, double other) noexcept {
      return std::exp(-gamma * std::max(one + other - 2 * product, 0.0));
    });
  throw Error("RiataError", "there is no kernel function '" + spec.name + "'");
}

}  // namespace riata
