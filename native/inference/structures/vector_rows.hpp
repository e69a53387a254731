// The weights of tokens' vectors in a batch objective on chains, as one table, and their gradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "core/tasks.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/structures/vector_products.hpp"
#include "models/layout.hpp"
#include "models/row_weights.hpp"

namespace riata {

template <class Real>
class VectorRows {
 public:
  // instances and there must outlive the object.
  VectorRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const RowWeights& there)
      : instances_(instances), there_(there), products_(instances, layout.stride), stride_(layout.stride) {
    const HashTable table = index.table(layout.labels);
    for (const std::int32_t name : instances.vectors.names)
      rows_.push_back(layout.named_row(index.hashed() ? table.row(name, Reader::named) : static_cast<std::size_t>(name)));
    weights_.assign(rows_.size() * static_cast<std::size_t>(stride_), Real{0});
  }

  // Stores the weights.
  void begin(std::span<const double> at) noexcept {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for (std::int32_t i = there_.first(rows_[k]); i < there_.end(rows_[k]); ++i)
        weights_[k * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(there_.label(i))] =
            static_cast<Real>(at[static_cast<std::size_t>(i)]);
    }
  }
  // Adds the products of all tokens of sentence s to out, [length][stride].
  void read(std::int64_t s, Real* out) const { products_.add(weights_.data(), instances_.starts[s], instances_.length(s), stride_, out); }
  // Adds the gradient of the tokens from `from` to `to` - 1, whose differences are [tokens][stride], in the same order for any number of
  // threads.
  void write(std::int64_t from, std::int64_t to, const Real* differences, std::span<double> gradient, std::int64_t threads) const {
    constexpr std::size_t piece = 64;  // columns of a task
    Tasks work;
    for (std::size_t k = 0; k < rows_.size(); k += piece) {
      work.add([this, k, from, to, differences, gradient] {
        write_columns(k, std::min(k + piece, rows_.size()), from, to, differences, gradient);
      });
    }
    work.run(threads);
  }

 private:
  void write_columns(std::size_t first, std::size_t end, std::int64_t from, std::int64_t to, const Real* differences,
                     std::span<double> gradient) const {
    const TokenVectors& vectors = instances_.vectors;
    std::vector<float> room;
    Numbers<Real> totals((end - first) * static_cast<std::size_t>(stride_), Real{0});
    const float* read[TokenVectors::together];
    for (std::int64_t n = from; n < to; n += TokenVectors::together) {
      const std::int64_t here = std::min(TokenVectors::together, to - n);
      vectors.read(n, here, first, end, room, read);
      add_vectors(read, here, vectors.columns.data() + first, static_cast<std::int64_t>(end - first), differences + (n - from) * stride_,
                  stride_, totals.data());
    }
    for (std::size_t k = first; k < end; ++k) {
      const Real* total = totals.data() + (k - first) * static_cast<std::size_t>(stride_);
      for (std::int32_t i = there_.first(rows_[k]); i < there_.end(rows_[k]); ++i)
        gradient[static_cast<std::size_t>(i)] += double(total[there_.label(i)]);
    }
  }

  const Instances& instances_;
  const RowWeights& there_;
  VectorProducts products_;
  std::int32_t stride_;
  std::vector<std::int64_t> rows_;  // [columns] where the row of each stands in the long vector
  Numbers<Real> weights_;           // [columns][stride]
};

}  // namespace riata
