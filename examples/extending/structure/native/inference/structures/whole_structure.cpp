#include "inference/structures/whole_structure.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "inference/offered.hpp"

namespace riata {

template <class Real>
std::unique_ptr<Structure<Real>> WholeModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool) {
  return std::make_unique<WholeStructure<Real>>(*this, corpus, vector);
}

template <class Real>
void WholeStructure<Real>::open(std::int64_t s) {
  sentence_ = s;
  scores_.clear();
  for (std::int32_t label = 0; label < labels_; ++label) scores_.push_back(score_of(label));
}

template <class Real>
Codes WholeStructure<Real>::target() {
  const Codes truth = corpus().gold_of(sentence_);
  const auto often = [&](std::int32_t label) { return std::ranges::count(truth, label); };
  target_.assign(truth.size(), *std::ranges::max_element(truth, {}, often));
  return target_;
}

template <class Real>
std::int64_t WholeStructure<Real>::wrong(Codes output) const {
  const Codes truth = corpus().gold_of(sentence_);
  return static_cast<std::int64_t>(truth.size()) - std::ranges::count(truth, output[0]);
}

template <class Real>
double WholeStructure<Real>::best(std::span<std::int32_t> out) {
  open_list(1);
  return *next(out);
}

template <class Real>
void WholeStructure<Real>::augment(double times) {
  for (std::int32_t label = 0; label < labels_; ++label) scores_[static_cast<std::size_t>(label)] += times * loss(std::span(&label, 1));
}

template <class Real>
void WholeStructure<Real>::open_list(std::int64_t) {
  ranked_.resize(scores_.size());
  std::iota(ranked_.begin(), ranked_.end(), 0);
  std::ranges::stable_sort(ranked_, std::greater<>(), [&](std::int32_t label) { return scores_[static_cast<std::size_t>(label)]; });
  given_ = 0;
}

template <class Real>
std::optional<double> WholeStructure<Real>::next(std::span<std::int32_t> out) {
  if (given_ == ranked_.size()) return std::nullopt;
  const std::int32_t label = ranked_[given_++];
  std::ranges::fill(out, label);
  return scores_[static_cast<std::size_t>(label)];
}

template <class Real>
void WholeStructure<Real>::difference(Codes towards, Codes away, bool, Difference& out) {
  add(towards[0], 1, out);
  add(away[0], -1, out);
}

template <class Real>
double WholeStructure<Real>::score(Codes output) {
  const bool whole = std::ranges::all_of(output, [&](std::int32_t label) { return label == output[0]; });
  return whole ? score_of(output[0]) : -std::numeric_limits<double>::infinity();
}

template <class Real>
double WholeStructure<Real>::score_of(std::int32_t label) const {
  Difference found;
  add(label, 1, found);
  return vector_.dot(found);
}

// Features of the label at every token.
template <class Real>
void WholeStructure<Real>::add(std::int32_t label, double times, Difference& out) const {
  for (std::int64_t t = 0; t < corpus().length(sentence_); ++t)
    rows_.nodes(sentence_, t, [&](std::int64_t row, float value) { out.push_back({row + label, times * value}); });
}

template class WholeModel<float>;
template class WholeModel<double>;

namespace {
const RegisteredStructure entered("whole", operations_of<WholeStructure<float>>());
}

}  // namespace riata
