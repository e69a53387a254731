// Outputs that are sets of parts: the weights of the features of parts.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "inference/model.hpp"
#include "inference/parts/output_set.hpp"

namespace riata {

// A part is a place with one of `labels` labels; places are the tokens of a corpus, and have its named features. An output gives every
// place the code 0, if it has no part there, or 1 + its label. Part number t * labels + label of a sentence is place t with that label.
template <class Real>
class PartModel final : public Model<Real> {
 public:
  PartModel(std::int32_t labels, std::int64_t features) : weights(static_cast<std::size_t>(features * labels), Real{0}), labels_(labels) {}

  std::int32_t labels() const noexcept { return labels_; }
  std::int64_t features() const noexcept { return static_cast<std::int64_t>(weights.size()) / labels_; }
  // Where the weights of a feature begin, one per label.
  std::int64_t row(std::int32_t feature) const noexcept { return std::int64_t{feature} * labels_; }

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<PartModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const PartModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus& corpus, Vector<Real>& vector) override {
    vector.grow(static_cast<std::size_t>(row(corpus.instances.named_size)));
  }
  using Model<Real>::over;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::int32_t work() const noexcept override { return 32; }  // a place costs about as much as a token with so many labels

  Numbers<Real> weights;  // [features][labels]

 private:
  std::int32_t labels_;
};

// Calls visit(feature, value) for all features of place t of sentence s.
template <class Visit>
void each_feature(const Instances& instances, std::int64_t s, std::int64_t t, Visit visit) {
  const std::int64_t place = instances.starts[static_cast<std::size_t>(s)] + t;
  if (!instances.named_starts.empty()) {
    const std::int64_t end = instances.named_starts[static_cast<std::size_t>(place) + 1];
    for (std::int64_t k = instances.named_starts[static_cast<std::size_t>(place)]; k < end; ++k)
      visit(instances.named_ids[static_cast<std::size_t>(k)], instances.named_values[static_cast<std::size_t>(k)]);
  }
  if (!instances.vectors.empty()) instances.vectors.each(place, visit);
}

// The scores of all parts of a sentence, [length * labels].
template <class Number>
void score_parts(const Instances& instances, std::int64_t s, std::int32_t labels, const Number* weights, double scale,
                 std::vector<double>& out) {
  const std::int64_t length = instances.length(s);
  out.assign(static_cast<std::size_t>(length * labels), 0);
  double* scores = out.data();
  for (std::int64_t t = 0; t < length; ++t, scores += labels) {
    each_feature(instances, s, t, [&](std::int32_t feature, float value) {
      const Number* row = weights + std::int64_t{feature} * labels;
      for (std::int32_t label = 0; label < labels; ++label) scores[label] += double(row[label]) * double(value);
    });
    for (std::int32_t label = 0; label < labels; ++label) scores[label] *= scale;
  }
}

// The solver of the set that was opened last. A new one is made where sets are of another class.
class OpenSet {
 public:
  PartSolver& open(const OutputSet& set, std::span<const double> scores);

 private:
  std::unique_ptr<PartSolver> solver_;
  const void* kind_ = nullptr;
};

extern template class PartModel<float>;
extern template class PartModel<double>;

}  // namespace riata
