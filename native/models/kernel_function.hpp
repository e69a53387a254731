// Kernel functions: products of the feature vectors of two tokens in a space of many more features, which is never built.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "models/supports.hpp"

namespace riata {

class KernelFunction {
 public:
  virtual ~KernelFunction() = default;
  // out[k] = k(token, others[k]). Numbers of features are below `width`.
  virtual void row(const SparseVector& token, std::span<const SparseVector* const> others, std::int32_t width, double* out) const = 0;
  // Whether several threads may compute rows at once.
  virtual bool parallel() const { return true; }
};

// linear: x.z; poly: (gamma x.z + coefficient)^degree; rbf: exp(-gamma |x - z|^2).
struct KernelSpec {
  std::string name = "poly";
  std::int32_t degree = 2;
  double gamma = 1;
  double coefficient = 1;
};

// Throws Error if there is no kernel function of this name.
std::shared_ptr<const KernelFunction> kernel_function(const KernelSpec& spec);

}  // namespace riata
