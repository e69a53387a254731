#include "models/weights_sum.hpp"

#include <cmath>

#include "core/error.hpp"

namespace riata {
namespace {

template <class Real>
void add_block(Numbers<Real>& to, const Numbers<Real>& from, double scale) {
  if (to.size() != from.size()) throw Error("RiataError", "the weights belong to different feature indices");
  for (std::size_t k = 0; k < from.size(); ++k) to[k] += static_cast<Real>(scale * from[k]);
}

template <class Real>
void add_history(Weights<Real>& to, const Weights<Real>& from, double scale) {
  std::vector<std::int32_t> before(static_cast<std::size_t>(from.history.order()), HistoryIndex::outside);
  for (std::int32_t r = 0; r < from.history.rows(); ++r) {
    const auto [slot, ngram, labels] = from.history.entry(r);
    const std::vector<std::int32_t>& back = from.history.slots()[slot].back;
    for (std::size_t b = 0; b < back.size(); ++b) before[static_cast<std::size_t>(back[b]) - 1] = labels[b];
    const std::size_t row = std::size_t(to.history.add(slot, ngram, before)) * to.stride;
    if (row >= to.history_rows.size()) to.history_rows.resize(row + to.stride, Real{0});
    for (std::int32_t j = 0; j < to.stride; ++j)
      to.history_rows[row + j] += static_cast<Real>(scale * from.history_rows[std::size_t(r) * to.stride + j]);
  }
}

}  // namespace

template <class Real>
double norm_of(const Weights<Real>& weights) noexcept {
  double sum = 0;
  const auto add = [&](const Numbers<Real>& block) {
    for (const Real value : block) sum += double(value) * value;
  };
  each_block(add, weights);
  add(weights.history_rows);
  return std::sqrt(sum);
}

template <class Real>
Weights<Real> normalised_sum(std::span<const Weights<Real>* const> parts) {
  if (parts.empty()) throw Error("RiataError", "there are no weights to sum");
  std::vector<double> norms;
  double total = 0;
  for (const Weights<Real>* part : parts) total += norms.emplace_back(norm_of(*part));
  const double number = static_cast<double>(parts.size());

  Weights<Real> out = *parts[0];
  each_block([](Numbers<Real>& block) { block.assign(block.size(), Real{0}); }, out);
  out.history_rows.assign(out.history_rows.size(), Real{0});
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Weights<Real>& part = *parts[p];
    if (part.labels != out.labels || part.node.size() != out.node.size())
      throw Error("RiataError", "the weights belong to different models");
    if (norms[p] == 0) continue;
    const double scale = total / number / number / norms[p];
    each_block([scale](Numbers<Real>& to, const Numbers<Real>& from) { add_block(to, from, scale); }, out, part);
    add_history(out, part, scale);
  }
  return out;
}

template double norm_of(const Weights<float>&) noexcept;
template double norm_of(const Weights<double>&) noexcept;
template Weights<float> normalised_sum(std::span<const Weights<float>* const>);
template Weights<double> normalised_sum(std::span<const Weights<double>* const>);

}  // namespace riata
