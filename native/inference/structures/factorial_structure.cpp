#include "inference/structures/factorial_structure.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "inference/offered.hpp"
#include "inference/structures/factorial_potentials.hpp"

namespace riata {

template <class Real>
void FactorialModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  const Instances& instances = corpus.instances;
  bool ok = static_cast<std::int64_t>(size) >= weights.layout.size &&
            static_cast<std::int32_t>(instances.ngrams.size()) == corpus.index.families();
  for (std::int32_t f = 0; ok && f < corpus.index.families(); ++f) ok = instances.sizes[f] <= corpus.index.size(f);
  ok = ok && FactorialLayout(corpus.index, templates, weights.coding).size == weights.layout.size;
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
  ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == instances.tokens();
  for (const std::int32_t code : corpus.gold) ok = ok && code >= 0 && code < weights.coding.combinations();
  if (!ok) throw Error("RiataError", "the labels do not fit the sentences or the weights");
}

template <class Real>
void FactorialModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  const FactorialLayout now(corpus.index, templates, weights.coding);
  if (now.size < weights.layout.size) throw Error("RiataError", "the instances were made with another feature index than the weights");
  if (now.size > weights.layout.size) vector.rearrange([&](const Numbers<Real>& old) { return now.moved(old, weights.layout); });
  weights.layout = now;
  vector.grow(static_cast<std::size_t>(now.size));
}

template <class Real>
std::unique_ptr<Structure<Real>> FactorialModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool) {
  return std::make_unique<FactorialStructure<Real>>(*this, corpus, vector);
}

template <class Real>
void FactorialModel<Real>::match(Model<Real>& other, const typename Model<Real>::Matched& visit) const {
  const FactorialWeights<Real>& to = dynamic_cast<FactorialModel&>(other).weights;
  if (weights.coding.combinations() != to.coding.combinations() || weights.layout.size != to.layout.size)
    throw Error("RiataError", "the weights belong to different models");
  visit(0, 0, weights.layout.size);
}

template <class Real>
FactorialScores<Real>& FactorialStructure<Real>::scores() {
  if (!opened_) scorer_(sentence_, vector_.data(), static_cast<Real>(vector_.scale()), scores_);
  opened_ = true;
  return scores_;
}

template <class Real>
double FactorialStructure<Real>::best(std::span<std::int32_t> out) {
  forward_.fill(scores());
  return double(forward_.best_output(out.data()));
}

template <class Real>
std::optional<double> FactorialStructure<Real>::next(std::span<std::int32_t> out) {
  const std::optional<Real> score = kbest_.next(out.data());
  return score ? std::optional<double>(*score) : std::nullopt;
}

template <class Real>
void FactorialStructure<Real>::augment(double times) {
  const Codes gold = target();
  FactorialScores<Real>& all = scores();
  for (std::int32_t t = 0; t < all.length; ++t) {
    each_column(shape(), [&](ColumnId c) {
      const std::int32_t truth = shape().label(gold[static_cast<std::size_t>(t)], c).number();
      for (std::int32_t j = 0; j < shape().labels(c); ++j) all.nodes(c, t)[j] += j == truth ? Real{0} : static_cast<Real>(times);
    });
  }
}

template <class Real>
double FactorialStructure<Real>::loss(Codes output) {
  const Codes gold = target();
  double sum = 0;
  for (std::size_t t = 0; t < gold.size(); ++t)
    each_column(shape(), [&](ColumnId c) { sum += shape().label(gold[t], c) != shape().label(output[t], c); });
  return sum;
}

template <class Real>
double FactorialStructure<Real>::sums(double sharpness) {
  summed_ = scores();
  summed_.multiply(static_cast<Real>(sharpness));
  FactorialInference<Real> inference(shape(), SumsBy::exact);
  const double log_z = inference.open(summed_);
  inference.add(posteriors_.open(summed_), 1);
  return log_z;
}

template <class Real>
ExpectedRight FactorialStructure<Real>::least_risk(std::span<std::int32_t> out) {
  summed_ = scores();
  summed_.multiply(static_cast<Real>(risk_->sharpness()));
  const std::optional<ExpectedRight> found = (*risk_)(summed_, out.data());
  if (!found) best(out);  // nothing is allowed
  return found.value_or(ExpectedRight{});
}

template <class Real>
double FactorialStructure<Real>::expected_loss() {
  const Codes gold = target();
  double sum = 0;
  for (std::int32_t t = 0; t < summed_.length; ++t) {
    each_column(shape(), [&](ColumnId c) {
      sum += 1 - double(posteriors_.tables().nodes(shape(), c, t)[shape().label(gold[static_cast<std::size_t>(t)], c).place()]);
    });
  }
  return sum;
}

template <class Real>
void FactorialStructure<Real>::take_expected(Difference& out) {
  for (std::int32_t t = 0; t < summed_.length; ++t) {
    scorer_.each_part(sentence_, t, posteriors_.tables(), [&](std::int64_t row, const Real* numbers, std::int64_t count) {
      for (std::int64_t x = 0; x < count; ++x) {
        if (numbers[x] != 0) out.push_back({row + x, -double(numbers[x])});
      }
    });
  }
}

template <class Real>
void FactorialStructure<Real>::difference(Codes towards, Codes away, bool, Difference& out) {
  for (std::size_t t = 0; t < towards.size(); ++t) {
    if (towards[t] == away[t] && (t == 0 || towards[t - 1] == away[t - 1])) continue;
    scorer_.each_weight(sentence_, static_cast<std::int64_t>(t), towards.data(), [&](std::int64_t place) { out.push_back({place, 1.0}); });
    scorer_.each_weight(sentence_, static_cast<std::int64_t>(t), away.data(), [&](std::int64_t place) { out.push_back({place, -1.0}); });
  }
  sum_up(out);  // labels of some columns may be the same in both outputs
}

template <class Real>
void FactorialStructure<Real>::features(Codes output, Difference& out) {
  for (std::size_t t = 0; t < output.size(); ++t)
    scorer_.each_weight(sentence_, static_cast<std::int64_t>(t), output.data(), [&](std::int64_t place) { out.push_back({place, 1.0}); });
}

template <class Real>
double FactorialStructure<Real>::score(Codes output) {
  FactorialScores<Real> plain;  // scores_ may have a loss added
  scorer_(sentence_, vector_.data(), static_cast<Real>(vector_.scale()), plain);
  return plain.of(output.data());
}

template class FactorialModel<float>;
template class FactorialModel<double>;
template class FactorialStructure<float>;
template class FactorialStructure<double>;

namespace {
const RegisteredStructure entered("factorial", operations_of<FactorialStructure<float>, FactorialPotentials<float>>());
}

}  // namespace riata
