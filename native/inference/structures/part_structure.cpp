#include "inference/structures/part_structure.hpp"

#include <algorithm>
#include <limits>
#include <typeinfo>

#include "inference/offered.hpp"
#include "inference/structures/part_potentials.hpp"
#include "inference/structures/part_single_weights.hpp"

namespace riata {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

[[noreturn]] void no_output() {
  throw Error("DataError", "an input has no output: no set of its parts is one.",
              "Let outputs() allow at least one, such as the empty set.");
}

}  // namespace

PartSolver& OpenSet::open(const OutputSet& set, std::span<const double> scores) {
  const void* kind = &typeid(set);
  if (kind != kind_) solver_ = set.solver();
  kind_ = kind;
  solver_->open(set, scores);
  return *solver_;
}

template <class Real>
void PartModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  const Instances& in = corpus.instances;
  bool ok = row(in.named_size) <= static_cast<std::int64_t>(size) && static_cast<std::int64_t>(in.sets.size()) == in.sentences();
  for (std::int64_t s = 0; ok && s < in.sentences(); ++s) ok = in.sets[static_cast<std::size_t>(s)]->parts() == in.length(s) * labels_;
  ok = ok && (in.costs.empty() || static_cast<std::int64_t>(in.costs.size()) == in.tokens());
  ok = ok && (corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == in.tokens());
  for (const std::int32_t code : corpus.gold) ok = ok && code >= 0 && code <= labels_;
  if (!ok) throw Error("RiataError", "the parts do not fit the sentences or the weights");
}

template <class Real>
std::unique_ptr<Structure<Real>> PartModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool) {
  return std::make_unique<PartStructure<Real>>(*this, corpus, vector);
}

template <class Real>
void PartModel<Real>::match(Model<Real>& to, const typename Model<Real>::Matched& visit) const {
  if (dynamic_cast<PartModel&>(to).labels_ != labels_) throw Error("RiataError", "the weights belong to different models");
  visit(0, 0, static_cast<std::int64_t>(weights.size()));
}

template <class Real>
void PartStructure<Real>::open(std::int64_t s) {
  sentence_ = s;
  solver_ = nullptr;
  constant_ = 0;
}

template <class Real>
PartSolver& PartStructure<Real>::solver() {
  if (solver_ != nullptr) return *solver_;
  const Instances& in = corpus().instances;
  score_parts(in, sentence_, labels_, vector_.data(), vector_.scale(), scores_);
  solver_ = &set_.open(*in.sets[static_cast<std::size_t>(sentence_)], scores_);
  return *solver_;
}

template <class Real>
void PartStructure<Real>::write(std::span<std::int32_t> out) const {
  std::ranges::fill(out, 0);
  for (const std::int32_t found : found_) {
    std::int32_t& code = out[static_cast<std::size_t>(found / labels_)];
    if (code != 0) throw Error("DataError", "an output has two parts at one place: a recursion must use every part at most once.");
    code = 1 + found % labels_;
  }
}

template <class Real>
double PartStructure<Real>::best(std::span<std::int32_t> out) {
  const std::optional<double> score = solver().best(found_);
  if (!score) no_output();
  write(out);
  return *score + constant_;
}

template <class Real>
std::optional<double> PartStructure<Real>::next(std::span<std::int32_t> out) {
  const std::optional<double> score = solver().next(found_);
  if (!score) return std::nullopt;
  write(out);
  return *score + constant_;
}

template <class Real>
std::int64_t PartStructure<Real>::wrong(Codes output) const {
  const Codes truth = corpus().gold_of(sentence_);
  std::int64_t wrong = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) wrong += truth[t] != output[t];
  return wrong;
}

template <class Real>
double PartStructure<Real>::loss(Codes output) {
  const Codes truth = target();
  double sum = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) sum += truth[t] != output[t] ? cost(static_cast<std::int64_t>(t)) : 0;
  return sum;
}

// A place costs nothing if it has its true part, and otherwise the same whatever is there. So all outputs lose what the true parts cost,
// and true parts win it back.
template <class Real>
void PartStructure<Real>::augment(double times) {
  solver();
  const Codes truth = target();
  for (std::int64_t t = 0; t < length(); ++t) {
    const std::int32_t code = truth[static_cast<std::size_t>(t)];
    const double by = times * cost(t);
    if (code != 0) {
      scores_[part(t, code - 1)] -= by;
      constant_ += by;
    } else {
      for (std::int32_t label = 0; label < labels_; ++label) scores_[part(t, label)] += by;
    }
  }
  solver_ = &set_.open(*corpus().instances.sets[static_cast<std::size_t>(sentence_)], scores_);
}

template <class Real>
double PartStructure<Real>::sums(double sharpness) {
  solver();
  sharpness_ = sharpness;
  scaled_ = scores_;
  for (double& score : scaled_) score *= sharpness;
  shares_.resize(scores_.size());
  return scaled_set_.open(*corpus().instances.sets[static_cast<std::size_t>(sentence_)], scaled_).sums(shares_) + sharpness * constant_;
}

template <class Real>
double PartStructure<Real>::expected_loss() {
  const Codes truth = target();
  double sum = 0;
  for (std::int64_t t = 0; t < length(); ++t) {
    const std::int32_t code = truth[static_cast<std::size_t>(t)];
    double right = 1;  // the probability that the place is as in the truth
    if (code != 0) {
      right = shares_[part(t, code - 1)];
    } else {
      for (std::int32_t label = 0; label < labels_; ++label) right -= shares_[part(t, label)];
    }
    sum += cost(t) * (1 - right);
  }
  return sum;
}

template <class Real>
void PartStructure<Real>::take_expected(Difference& out) {
  for (std::int64_t t = 0; t < length(); ++t) {
    for (std::int32_t label = 0; label < labels_; ++label) {
      if (const double share = shares_[part(t, label)]; share > 0) add(t, 1 + label, -share, out);
    }
  }
}

// A place that is given a label instead of nothing is right with the probability of this label, and was right with that of nothing.
template <class Real>
ExpectedRight PartStructure<Real>::least_risk(std::span<std::int32_t> out) {
  sums(risk_.sharpness);
  ExpectedRight expected;
  std::vector<double> gains(shares_.size());
  for (std::int64_t t = 0; t < length(); ++t) {
    double empty = 1;
    for (std::int32_t label = 0; label < labels_; ++label) empty -= shares_[part(t, label)];
    expected.all += 1;
    expected.right += empty;
    for (std::int32_t label = 0; label < labels_; ++label) {
      const double share = shares_[part(t, label)];
      gains[part(t, label)] = scores_[part(t, label)] == never ? never : share - empty;
    }
  }
  expected.found = expected.all;
  const std::optional<double> gain = scaled_set_.open(*corpus().instances.sets[static_cast<std::size_t>(sentence_)], gains).best(found_);
  if (!gain) no_output();
  write(out);
  expected.right += *gain;
  return expected;
}

template <class Real>
void PartStructure<Real>::add(std::int64_t t, std::int32_t code, double times, Difference& out) const {
  if (code == 0) return;
  each_feature(corpus().instances, sentence_, t, [&](std::int32_t feature, float value) {
    out.push_back({std::int64_t{feature} * labels_ + code - 1, times * double(value)});
  });
}

template <class Real>
void PartStructure<Real>::difference(Codes towards, Codes away, bool, Difference& out) {
  for (std::int64_t t = 0; t < length(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    if (towards[at] == away[at]) continue;
    add(t, towards[at], 1, out);
    add(t, away[at], -1, out);
  }
}

template <class Real>
void PartStructure<Real>::features(Codes output, Difference& out) {
  for (std::int64_t t = 0; t < length(); ++t) add(t, output[static_cast<std::size_t>(t)], 1, out);
}

template <class Real>
double PartStructure<Real>::score(Codes output) {
  Difference found;
  features(output, found);
  return vector_.dot(found);
}

template <class Real>
std::unique_ptr<SingleWeights> PartStructure<Real>::single_weights(std::span<const double> sentence_weights) {
  Numbers<double> flat(vector_.size());
  for (std::size_t k = 0; k < flat.size(); ++k) flat[k] = double(vector_.data()[k]) * vector_.scale();
  return std::make_unique<PartSingleWeights<Real>>(corpus(), labels_, flat, sentence_weights);
}

template class PartModel<float>;
template class PartModel<double>;
template class PartStructure<float>;
template class PartStructure<double>;

namespace {

const RegisteredStructure recursion("recursion", operations_of<PartStructure<float>, PartPotentials<float>>());
const RegisteredStructure list("list", operations_of<PartStructure<float>, PartPotentials<float>>());

}  // namespace
}  // namespace riata
