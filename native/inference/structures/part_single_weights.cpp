#include "inference/structures/part_single_weights.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/tasks.hpp"

namespace riata {

// Solves one sentence after another.
template <class Real>
class PartSingleWeights<Real>::Evaluator final : public SentenceEvaluator {
 public:
  explicit Evaluator(PartSingleWeights& of) : of_(of) {}

  double open(std::int64_t s) override {
    sentence_ = s;
    const auto scores = std::span<const double>(of_.scores_).subspan(static_cast<std::size_t>(of_.first(s)), of_.parts(s));
    difference_.resize(scores.size());
    if (scores.empty()) return 0;
    double surprise = set_.open(of_.set(s), scores).sums(difference_);
    for (std::int64_t t = 0; t < of_.instances().length(s); ++t) {
      const std::int64_t right = of_.truth(s, t);
      if (right < 0) continue;
      surprise -= scores[static_cast<std::size_t>(right)];
      difference_[static_cast<std::size_t>(right)] -= 1;
    }
    return surprise;
  }
  void keep() override { std::ranges::copy(difference_, of_.kept_.begin() + of_.first(sentence_)); }
  void replace(SentenceShare before, SentenceShare after, SentenceTotals& totals, BundleSet& touched) override {
    ++replacements_;
    seen_.resize(of_.place_.size(), 0);
    of_.each_possible(sentence_, [&](std::int64_t part, std::int64_t t, std::int32_t label) {
      const auto at = static_cast<std::size_t>(part - of_.first(sentence_));
      // What is added is rounded as what is kept, so that it can be taken away again.
      const double change =
          after.times * double(static_cast<Real>(difference_[at])) - before.times * double(of_.kept_[static_cast<std::size_t>(part)]);
      of_.each(sentence_, t, label, [&](std::int32_t k, double value) {
        totals.gradient[static_cast<std::size_t>(k)] += value * change;
        if (seen_[static_cast<std::size_t>(k)] == replacements_) return;
        seen_[static_cast<std::size_t>(k)] = replacements_;
        totals.mass[static_cast<std::size_t>(k)] += after.mass - before.mass;
        touched.add(k);
      });
    });
    keep();
  }

 private:
  PartSingleWeights& of_;
  OpenSet set_;
  std::int64_t sentence_ = 0;
  std::vector<double> difference_;  // [parts of the open sentence] probability minus the truth
  std::vector<std::int64_t> seen_;  // [features] the last replacement that changed the mass of a feature
  std::int64_t replacements_ = 0;
};

template <class Real>
PartSingleWeights<Real>::PartSingleWeights(const Corpus& corpus, std::int32_t labels, const Numbers<double>& flat,
                                           std::span<const double> sentence_weights)
    : corpus_(corpus),
      labels_(labels),
      possible_(static_cast<std::size_t>(corpus.instances.tokens() * labels), 0),
      scores_(possible_.size(), 0),
      kept_(possible_.size(), Real{0}) {
  number_features(flat.size());
  std::vector<bool> counts(static_cast<std::size_t>(corpus.sentences()), true);
  for (std::size_t s = 0; s < sentence_weights.size(); ++s) counts[s] = sentence_weights[s] > 0;
  OpenSet open;
  std::vector<double> scores;
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    find_possible(s, open);
    score_parts(instances(), s, labels_, flat.data(), 1, scores);
    std::ranges::copy(scores, scores_.begin() + first(s));
  }
  list_occurrences(counts);
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (counts[static_cast<std::size_t>(s)]) add_ranges(s, open);
  }
}

template <class Real>
void PartSingleWeights<Real>::number_features(std::size_t weights) {
  number_.assign(weights, -1);
  for (std::int64_t s = 0; s < corpus_.sentences(); ++s) {
    for (std::int64_t t = 0; t < instances().length(s); ++t) {
      const std::int32_t code = corpus_.gold_of(s)[static_cast<std::size_t>(t)];
      if (code == 0) continue;
      each_feature(instances(), s, t,
                   [&](std::int32_t row, float) { number_[static_cast<std::size_t>(std::int64_t{row} * labels_ + code - 1)] = 0; });
    }
  }
  for (std::size_t w = 0; w < weights; ++w) {
    if (number_[w] < 0) continue;
    number_[w] = static_cast<std::int32_t>(place_.size());
    place_.push_back(static_cast<std::int64_t>(w));
  }
  ranges_.resize(place_.size());
  bundles_.resize(place_.size() + 1);
  for (std::size_t k = 0; k < bundles_.size(); ++k) bundles_[k] = static_cast<std::int32_t>(k);
}

// Under scores of 0, a part has a probability above 0 if it is in some output.
template <class Real>
void PartSingleWeights<Real>::find_possible(std::int64_t s, OpenSet& open) {
  if (parts(s) == 0) return;
  const std::vector<double> none(parts(s), 0);
  std::vector<double> shares(parts(s));
  open.open(set(s), none).sums(shares);
  for (std::size_t p = 0; p < shares.size(); ++p) possible_[static_cast<std::size_t>(first(s)) + p] = shares[p] > 0 ? 1 : 0;
}

template <class Real>
void PartSingleWeights<Real>::list_occurrences(const std::vector<bool>& counts) {
  const auto each_counted = [&](auto visit) {
    for (std::int64_t s = 0; s < corpus_.sentences(); ++s) {
      if (!counts[static_cast<std::size_t>(s)]) continue;
      each_possible(s, [&](std::int64_t part, std::int64_t t, std::int32_t label) {
        each(s, t, label, [&](std::int32_t k, double value) { visit(k, Occurrence{part, static_cast<std::int32_t>(s), value}); });
      });
    }
  };
  starts_.assign(place_.size() + 1, 0);
  each_counted([&](std::int32_t k, const Occurrence&) { ++starts_[static_cast<std::size_t>(k) + 1]; });
  for (std::size_t k = 0; k + 1 < starts_.size(); ++k) starts_[k + 1] += starts_[k];
  occurrences_.resize(static_cast<std::size_t>(starts_.back()));
  std::vector<std::int64_t> to = starts_;
  each_counted(
      [&](std::int32_t k, const Occurrence& found) { occurrences_[static_cast<std::size_t>(to[static_cast<std::size_t>(k)]++)] = found; });
}

// The outputs with the most and the least of a feature are the best ones where its values are the scores.
template <class Real>
void PartSingleWeights<Real>::add_ranges(std::int64_t s, OpenSet& open) {
  std::map<std::int32_t, std::vector<std::pair<std::size_t, double>>> values;  // by feature
  std::map<std::int32_t, double> true_values;
  each_possible(s, [&](std::int64_t part, std::int64_t t, std::int32_t label) {
    const std::int64_t at = part - first(s);
    each(s, t, label, [&](std::int32_t k, double value) {
      values[k].emplace_back(static_cast<std::size_t>(at), value);
      if (truth(s, t) == at) true_values[k] += value;
    });
  });
  std::vector<double> scores(parts(s));
  std::vector<std::int32_t> found;
  for (const auto& [k, parts_with] : values) {
    FeatureRange& range = ranges_[static_cast<std::size_t>(k)];
    for (const double sign : {1.0, -1.0}) {
      std::ranges::fill(scores, 0);
      for (const auto& [at, value] : parts_with) scores[at] += sign * value;
      const std::optional<double> most = open.open(set(s), scores).best(found);
      if (!most) continue;
      const double more = sign * *most - true_values[k];
      range = {std::min(range.low, more), std::max(range.high, more)};
    }
  }
}

template <class Real>
void PartSingleWeights<Real>::sentences(std::int32_t bundle, std::vector<std::int32_t>& out) const {
  out.clear();
  for (const Occurrence& one : of(bundle)) {
    if (out.empty() || out.back() != one.sentence) out.push_back(one.sentence);
  }
}

template <class Real>
void PartSingleWeights<Real>::change(std::int64_t feature, double by) {
  for (const Occurrence& one : of(feature)) scores_[static_cast<std::size_t>(one.part)] += by * one.value;
}

template <class Real>
std::unique_ptr<SentenceEvaluator> PartSingleWeights<Real>::evaluator() {
  return std::make_unique<Evaluator>(*this);
}

template <class Real>
void PartSingleWeights<Real>::gather(std::span<const SentenceShare> shares, SentenceTotals& totals, std::int64_t threads) const {
  constexpr std::int64_t at_once = 64;
  totals.gradient.assign(place_.size(), 0);
  totals.mass.assign(place_.size(), 0);
  hand_out((size() + at_once - 1) / at_once, threads, [] { return 0; },
           [&](std::int64_t piece, int) {
             for (std::int64_t k = piece * at_once; k < std::min(size(), (piece + 1) * at_once); ++k) {
               std::int32_t last = -1;
               for (const Occurrence& one : of(k)) {
                 const SentenceShare share = shares[static_cast<std::size_t>(one.sentence)];
                 totals.gradient[static_cast<std::size_t>(k)] +=
                     share.times * one.value * double(kept_[static_cast<std::size_t>(one.part)]);
                 if (one.sentence != last) totals.mass[static_cast<std::size_t>(k)] += share.mass;
                 last = one.sentence;
               }
             }
           });
}

template class PartSingleWeights<float>;
template class PartSingleWeights<double>;

}  // namespace riata
