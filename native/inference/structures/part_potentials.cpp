#include "inference/structures/part_potentials.hpp"

#include <algorithm>
#include <optional>

namespace riata {
namespace {

constexpr std::int64_t places_at_once = std::int64_t{1} << 18;

// log P of the truth of one sentence, and the probabilities of its parts.
class PartPosteriors {
 public:
  PartPosteriors(const Instances& instances, std::int32_t labels) : instances_(instances), labels_(labels) {}

  template <class Number>
  double open(std::int64_t s, const Number* weights, double scale, Codes gold) {
    score_parts(instances_, s, labels_, weights, scale, scores_);
    shares_.resize(scores_.size());
    double truth = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) {
      if (gold[t] != 0) truth += scores_[place(t, gold[t] - 1)];
    }
    return truth - set_.open(*instances_.sets[static_cast<std::size_t>(s)], scores_).sums(shares_);
  }
  // Calls visit(number of the part, its probability minus 1 if the truth has it).
  template <class Visit>
  void each_change(Codes gold, Visit visit) const {
    for (std::size_t t = 0; t < gold.size(); ++t) {
      for (std::int32_t label = 0; label < labels_; ++label)
        visit(place(t, label), shares_[place(t, label)] - (gold[t] == label + 1 ? 1 : 0));
    }
  }

 private:
  std::size_t place(std::size_t t, std::int32_t label) const noexcept {
    return t * static_cast<std::size_t>(labels_) + static_cast<std::size_t>(label);
  }

  const Instances& instances_;
  std::int32_t labels_;
  OpenSet set_;
  std::vector<double> scores_, shares_;
};

template <class Real>
class PartVisitor final : public Visitor {
 public:
  explicit PartVisitor(PartPotentials<Real>& of) : of_(of), posteriors_(of.instances(), of.labels()) {}

  std::optional<double> open(std::int64_t s) override {
    s_ = s;
    return of_.instances().length(s) == 0 ? 0 : posteriors_.open(s, of_.weights().data(), 1, of_.gold(s));
  }
  void take(double times) override {
    double* changes = of_.changes(s_);
    if (of_.instances().length(s_) > 0)
      posteriors_.each_change(of_.gold(s_), [&](std::size_t part, double by) { changes[part] = times * by; });
  }

  // Solvers turn to logarithms by themselves.
  double open_in_logarithms(std::int64_t s) override { return *open(s); }
  void take_in_logarithms(double times) override { take(times); }

 private:
  PartPotentials<Real>& of_;
  PartPosteriors posteriors_;
  std::int64_t s_ = 0;
};

template <class Real>
class PartGradient final : public SentenceGradient<Real> {
 public:
  explicit PartGradient(const PartPotentials<Real>& of)
      : of_(of), posteriors_(of.instances(), of.labels()), row_(static_cast<std::size_t>(of.labels())) {}

  std::int64_t sentences() const noexcept override { return of_.instances().sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return of_.instances().length(s); }
  std::int32_t work() const noexcept override { return 32; }
  const RowWeights& there() const noexcept override { return of_.there(); }

  double open(std::int64_t s, const Real* weights, double scale) override {
    s_ = s;
    return posteriors_.open(s, weights, scale, of_.gold(s));
  }
  void move(double times, const RowMoves<Real>& to) override {
    const std::size_t labels = row_.size();
    posteriors_.each_change(of_.gold(s_), [&](std::size_t part, double by) {
      row_[part % labels] = static_cast<Real>(by);
      if ((part + 1) % labels != 0) return;
      each_feature(of_.instances(), s_, static_cast<std::int64_t>(part / labels), [&](std::int32_t feature, float value) {
        to.add(std::int64_t{feature} * of_.labels(), row_.data(), times * double(value));
      });
    });
  }

 private:
  const PartPotentials<Real>& of_;
  PartPosteriors posteriors_;
  std::int64_t s_ = 0;
  std::vector<Real> row_;  // [labels]
};

// Which weights exist: those that are not zero, and those of true parts; or all.
template <class Real>
std::vector<bool> existing(const PartModel<Real>& like, const Instances& instances, Codes gold, FeatureLabels which) {
  std::vector<bool> exists(like.weights.size(), which == FeatureLabels::all);
  for (std::size_t place = 0; place < exists.size(); ++place) exists[place] = exists[place] || like.weights[place] != 0;
  for (std::int64_t s = 0, at = 0; s < instances.sentences(); ++s) {
    for (std::int64_t t = 0; t < instances.length(s); ++t, ++at) {
      const std::int32_t code = gold[static_cast<std::size_t>(at)];
      if (code == 0) continue;
      each_feature(instances, s, t,
                   [&](std::int32_t feature, float) { exists[static_cast<std::size_t>(like.row(feature) + code - 1)] = true; });
    }
  }
  return exists;
}

}  // namespace

template <class Real>
PartPotentials<Real>::PartPotentials(const PartModel<Real>& like, const Instances& instances, Codes gold, FeatureLabels which)
    : BatchedPotentials(instances, batches_of_tokens(instances, places_at_once / like.labels() + 1, 1)),
      labels_(like.labels()),
      gold_(gold.begin(), gold.end()),
      there_(labels_, existing(like, instances, gold, which)),
      weights_(like.weights.size(), 0) {
  std::int64_t most = 0;
  for (const SentenceRange& range : batches_)
    most = std::max(most, instances.starts[static_cast<std::size_t>(range.end)] - instances.starts[static_cast<std::size_t>(range.first)]);
  changes_.resize(static_cast<std::size_t>(most * labels_));
}

template <class Real>
double PartPotentials<Real>::begin(std::span<const double> at, std::int64_t) {
  there_.each([&](std::int32_t i, std::int64_t place) { weights_[static_cast<std::size_t>(place)] = at[static_cast<std::size_t>(i)]; });
  return 0;
}

template <class Real>
std::unique_ptr<Visitor> PartPotentials<Real>::visitor() {
  return std::make_unique<PartVisitor<Real>>(*this);
}

template <class Real>
void PartPotentials<Real>::gather(std::span<double> gradient, std::int64_t) {
  for (std::int64_t s = batch().first; s < batch().end; ++s) {
    const double* row = changes(s);
    for (std::int64_t t = 0; t < instances_.length(s); ++t, row += labels_) {
      each_feature(instances_, s, t,
                   [&](std::int32_t feature, float value) { there_.add(std::int64_t{feature} * labels_, row, double(value), gradient); });
    }
  }
}

template <class Real>
std::unique_ptr<SentenceGradient<Real>> PartPotentials<Real>::gradient() {
  return std::make_unique<PartGradient<Real>>(*this);
}

template class PartPotentials<float>;
template class PartPotentials<double>;

}  // namespace riata
