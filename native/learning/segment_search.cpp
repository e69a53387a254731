#include "learning/segment_search.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "models/fixed_weights.hpp"

namespace riata {
namespace {

void check_size(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentKinds& kinds, const GrownRows& grown,
                std::size_t size, const Instances& instances) {
  bool ok = size >= std::size_t(grown.rows()) * kinds.stride() && static_cast<std::int32_t>(instances.ngrams.size()) == index.families() &&
            grown.slots() == templates.slots();
  for (std::int32_t f = 0; ok && f < index.families(); ++f) ok = instances.sizes[f] <= index.size(f);
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
}

constexpr double least_posterior = 1e-6;  // what is less likely does not count in a lattice update

template <class Real>
Numbers<Real> with_room(Numbers<Real> flat, const SegmentKinds& kinds, const GrownRows& grown) {
  flat.resize(std::max(flat.size(), std::size_t(grown.rows()) * kinds.stride()), Real{0});
  return flat;
}

}  // namespace

template <class Real>
void check_fit(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
               const Instances& instances) {
  check_size(index, templates, weights.kinds, weights.grown, weights.flat.size(), instances);
}

template <class Real>
SegmentSearch<Real>::SegmentSearch(SegmentTemplates templates, const SegmentWeights<Real>& initial, const QueueSpec& queue,
                                   const LearnerSpec& learner, const Limits& limits)
    : templates_(std::move(templates)),
      kinds_(initial.kinds),
      weights_(with_room(initial.flat, kinds_, initial.grown), learner.p),
      grown_(initial.grown),
      queue_spec_(queue),
      queue_(queue.name == "exact" ? nullptr : make_queue(queue)),
      learner_(learner, weights_),
      exact_(kinds_, kinds_.stride(), templates_.order()),
      closest_(kinds_, kinds_.stride(), templates_.order()),
      two_best_(kinds_, kinds_.stride(), templates_.order()),
      sums_(kinds_, kinds_.stride(), templates_.order()),
      lattice_(kinds_, templates_.order(), sums_, least_posterior),
      loss_(kinds_),
      limits_(limits),
      truncate_(learner.truncate) {
  if (queue_ == nullptr) check_exact(templates_);
}

template <class Real>
EpochResult SegmentSearch<Real>::epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int32_t> gold,
                                       std::span<const std::int64_t> order, std::span<const double> sentence_weights, const Poll& poll) {
  check_size(index, templates_, kinds_, grown_, weights_.size(), instances);
  if (grown_.rows() == 0) weights_.reserve(std::size_t(templates_.most_rows(index)) * kinds_.stride());
  EpochResult result;
  Limits limits = limits_;
  limits.poll = [&] { poll(result.sentences); };
  SegmentSpace<Real> space(templates_, kinds_, instances, weights_, grown_, &grown_, queue_spec_);
  PollClock clock(kinds_.labels * kinds_.most);
  std::unique_ptr<Search> search;
  if (queue_ != nullptr) search = std::make_unique<Search>(space, *queue_, limits);
  for (const std::int64_t s : order) {
    if (clock.due(instances.length(s)) && !poll(result.sentences)) break;
    ++result.sentences;
    if (instances.length(s) > 0) {
      const auto truth = gold.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s)));
      const double weight = sentence_weights.empty() ? 1.0 : sentence_weights[static_cast<std::size_t>(s)];
      space.open(s, truth);
      learner_.begin(weight);
      if (search != nullptr)
        run_on(s, *search, &learner_);
      else
        learn_exactly(space, truth);
      result.updates += learner_.updated();
      result.tokens += instances.length(s);
    }
    weights_.tick();
  }
  return result;
}

// The margin of ALMA is taken off the truth once, as the paper has it, not once per segment.
template <class Real>
void SegmentSearch<Real>::learn_exactly(SegmentSpace<Real>& space, std::span<const std::int32_t> gold) {
  std::vector<std::int32_t> rival(gold.size()), target(gold.begin(), gold.end());
  if (!find_rival(space.steps(), target, rival)) return;
  const bool from_all = learner_.spec().what == What::lattice;
  Difference truth, delta;
  add_features(space, target, 1, truth);
  delta = truth;
  add_features(space, rival, -1, delta);
  sum_up(delta);
  if (from_all) delta = from_lattice(space.steps(), std::move(truth), learner_.pace(p_norm(delta, weights_.p())));
  double cost = 0;
  if (learner_.spec().how == How::mira) {
    loss_.open(gold);
    if (from_all)
      cost = lattice_.expected_loss(space.steps(), loss_);
    else
      each_segment(kinds_, rival, [&](std::int32_t t, std::int32_t code, const Before&) { cost += loss_.of(t, code); });
    cost -= loss_.least(0);
  }
  learner_.step(delta, cost);
}

// Features of the truth - expected features. Scores count in steps of the learner: ALMA's weights stay in the unit ball, where all
// outputs would be about equally likely.
template <class Real>
Difference SegmentSearch<Real>::from_lattice(SegmentSteps<Real>& steps, Difference delta, double pace) {
  sums_.open(steps, 1 / pace);
  lattice_.add_features(steps, -1, AddedRows{grown_}, delta);
  weights_.grow(std::size_t(grown_.rows()) * kinds_.stride());
  sum_up(delta);
  std::erase_if(delta, [](const auto& entry) { return std::abs(entry.second) < least_posterior; });
  return delta;
}

// The best segmentation if it is wrong. If it is right but ALMA asks for a margin, the second best, where that is within it.
template <class Real>
bool SegmentSearch<Real>::find_rival(SegmentSteps<Real>& steps, std::span<std::int32_t> gold, std::vector<std::int32_t>& found) {
  if (!std::ranges::all_of(gold, [&](std::int32_t code) { return code < 0 || kinds_.allows(kinds_.length(code), kinds_.label(code)); }))
    return find_closest(steps, gold, found);
  const double best = exact_(steps, found.data());
  if (!std::equal(gold.begin(), gold.end(), found.begin())) return true;
  if (learner_.margin() <= 0 || two_best_.open(steps, 2) < 2) return false;
  return two_best_(1, found.data()) >= best - learner_.margin();
}

// Where the truth cannot be reached, what comes closest to it takes its place: of the segmentations of least loss the one that scores best.
// The rival is the best of all others.
template <class Real>
bool SegmentSearch<Real>::find_closest(SegmentSteps<Real>& steps, std::span<std::int32_t> gold, std::vector<std::int32_t>& found) {
  loss_.open(gold);
  closest_.open(steps, loss_);
  const double rival = closest_.other(found.data());
  std::vector<std::int32_t> target(gold.size());
  const double best = closest_.closest(target.data());
  if (std::isinf(rival) || rival < best - learner_.margin()) return false;
  std::ranges::copy(target, gold.begin());
  return true;
}

template <class Real>
void SegmentSearch<Real>::add_features(SegmentSpace<Real>& space, std::span<const std::int32_t> codes, double sign, Difference& delta) {
  StepFeatures features;
  each_segment(kinds_, codes, [&](std::int32_t t, std::int32_t code, const Before& before) {
    features.clear();
    space.features_of(t, code, before, features);
    for (const auto& [id, value] : features) delta.push_back({id, sign * value});
  });
}

template <class Real>
std::vector<std::int32_t> decode_segments(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                          const Instances& instances, const QueueSpec& queue, const Limits& limits, const Poll& poll) {
  check_fit(index, templates, weights, instances);
  const FixedWeights<Real> flat(weights.flat);
  SegmentSpace<Real, const FixedWeights<Real>> space(templates, weights.kinds, instances, flat, weights.grown, nullptr, queue);
  const bool exactly = queue.name == "exact";
  if (exactly) check_exact(templates);
  SemiMarkov<Real> exact(weights.kinds, weights.kinds.stride(), templates.order());
  const std::unique_ptr<Queue> pending = exactly ? nullptr : make_queue(queue);
  std::int64_t done = 0;
  Limits polled = limits;
  polled.poll = [&] { poll(done); };
  std::unique_ptr<Search> search;
  if (!exactly) search = std::make_unique<Search>(space, *pending, polled);
  PollClock clock(weights.kinds.labels * weights.kinds.most);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(instances.tokens()), -1);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s);
    std::int32_t* out = codes.data() + instances.starts[s];
    if (exactly) {
      exact(space.steps(), out);
      continue;
    }
    for (const ActionId code : search->tree().path(run_on(s, *search))) {
      *out = code;
      out += weights.kinds.length(code);
    }
  }
  return codes;
}

template <class Real>
Confidences segment_confidences(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                const Instances& instances, const QueueSpec& queue, const Limits& limits,
                                std::span<const double> temperatures, std::span<const std::int32_t> given, const Poll& poll) {
  check_fit(index, templates, weights, instances);
  const FixedWeights<Real> flat(weights.flat);
  const SegmentKinds& kinds = weights.kinds;
  SegmentSpace<Real, const FixedWeights<Real>> space(templates, kinds, instances, flat, weights.grown, nullptr, queue);
  return with_confidences(
      space, instances, queue, limits, temperatures, given, 1, kinds.labels * kinds.most, poll,
      [&](const std::vector<ActionId>& path, std::span<std::int32_t> codes) {
        std::size_t t = 0;
        for (const ActionId code : path) {
          codes[t] = code;
          t += static_cast<std::size_t>(kinds.length(code));
        }
      },
      [](const Lattice& lattice, std::span<const std::int32_t> codes, double* out) {
        for (const Lattice::Edge& edge : lattice.edges()) {  // that are segments of the output
          const StateId start = lattice.nodes()[static_cast<std::size_t>(edge.from)].state;
          if (codes[static_cast<std::size_t>(start)] == edge.action) out[start] += lattice.probability(edge.from) * edge.probability;
        }
        for (std::size_t t = 0; t < codes.size(); ++t) out[t] = codes[t] < 0 ? out[t - 1] : std::min(out[t], 1.0);
      });
}

template <class Real>
std::vector<double> segment_scores(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                   const Instances& instances, std::span<const std::int32_t> codes) {
  check_fit(index, templates, weights, instances);
  const FixedWeights<Real> flat(weights.flat);
  SegmentSpace<Real, const FixedWeights<Real>> space(templates, weights.kinds, instances, flat, weights.grown, nullptr, {});
  std::vector<double> scores;
  StepFeatures features;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    space.open(s);
    double score = 0;
    const auto own = codes.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s)));
    each_segment(weights.kinds, own, [&](std::int32_t t, std::int32_t code, const Before& before) {
      features.clear();
      space.features_of(t, code, before, features);
      for (const auto& [id, value] : features) score += double(weights.flat[static_cast<std::size_t>(id)]) * value;
    });
    scores.push_back(score);
  }
  return scores;
}

template <class Real>
SegmentRows segment_rows(const FeatureIndex& index, const SegmentTemplates& templates, SegmentWeights<Real>& weights,
                         const Instances& instances, std::span<const std::int32_t> codes) {
  weights.flat = with_room(std::move(weights.flat), weights.kinds, weights.grown);
  check_fit(index, templates, weights, instances);
  const FixedWeights<Real> nothing(weights.flat);
  SegmentSteps<Real, FixedWeights<Real>> steps(templates, weights.kinds, weights.grown, instances, nothing);
  SegmentRows out;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    steps.open(s);
    const auto own = codes.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s)));
    each_segment(weights.kinds, own, [&](std::int32_t t, std::int32_t code, const Before& before) {
      const std::size_t known = out.rows.size();
      steps.each_row(t, weights.kinds.length(code), before, AddedRows{weights.grown},
                     [&](std::int32_t row) { out.rows.push_back(std::int64_t{row} * weights.kinds.stride()); });
      out.counts.push_back(static_cast<std::int32_t>(out.rows.size() - known));
    });
  }
  weights.flat = with_room(std::move(weights.flat), weights.kinds, weights.grown);
  return out;
}

template <class Real>
SegmentSums segment_sums(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                         const Instances& instances, double sharpness) {
  check_fit(index, templates, weights, instances);
  check_exact(templates);
  const FixedWeights<Real> flat(weights.flat);
  SegmentSteps<Real, FixedWeights<Real>> steps(templates, weights.kinds, weights.grown, instances, flat);
  SemiMarkovSums<Real> sums(weights.kinds, weights.kinds.stride(), templates.order());
  SegmentLattice<Real> lattice(weights.kinds, templates.order(), sums, 0);
  SegmentSums out;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    steps.open(s);
    out.log_z.push_back(instances.length(s) == 0 ? 0 : sums.open(steps, sharpness));
    Difference expected;
    if (instances.length(s) > 0) lattice.add_features(steps, 1, KnownRows{weights.grown}, expected);
    sum_up(expected);
    out.counts.push_back(static_cast<std::int64_t>(expected.size()));
    out.expected.insert(out.expected.end(), expected.begin(), expected.end());
  }
  return out;
}

template <class Real>
BestSegments best_segments(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                           const Instances& instances, std::int64_t k, const Poll& poll) {
  check_fit(index, templates, weights, instances);
  check_exact(templates);
  const FixedWeights<Real> flat(weights.flat);
  SegmentSteps<Real, FixedWeights<Real>> steps(templates, weights.kinds, weights.grown, instances, flat);
  SemiMarkovKBest<Real> best(weights.kinds, weights.kinds.stride(), templates.order());
  BestSegments out;
  for (std::int64_t s = 0; s < instances.sentences() && poll(s); ++s) {
    const auto length = static_cast<std::size_t>(instances.length(s));
    steps.open(s);
    out.counts.push_back(length == 0 ? 1 : best.open(steps, k));
    for (std::int64_t rank = 0; rank < out.counts.back(); ++rank) {
      out.codes.resize(out.codes.size() + length);
      out.scores.push_back(length == 0 ? 0 : best(rank, out.codes.data() + out.codes.size() - length));
    }
  }
  return out;
}

std::vector<std::int32_t> segment_regrets(const SegmentKinds& kinds, std::span<const std::int64_t> starts,
                                          std::span<const std::int32_t> gold, std::span<const std::int32_t> codes) {
  SegmentLoss loss(kinds);
  std::vector<std::int32_t> regrets(codes.size(), -1);
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const auto from = static_cast<std::size_t>(starts[s]), length = static_cast<std::size_t>(starts[s + 1]) - from;
    loss.open(gold.subspan(from, length));
    std::int32_t sum = 0;
    for (std::size_t t = 0; t < length; ++t) {
      if (codes[from + t] < 0) continue;
      regrets[from + t] = sum + loss.least(static_cast<std::int32_t>(t));
      sum += loss.of(static_cast<std::int32_t>(t), codes[from + t]);
    }
  }
  return regrets;
}

template void check_fit(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&);
template void check_fit(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&);
template class SegmentSearch<float>;
template class SegmentSearch<double>;
template std::vector<std::int32_t> decode_segments(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&,
                                                   const Instances&, const QueueSpec&, const Limits&, const Poll&);
template std::vector<std::int32_t> decode_segments(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&,
                                                   const Instances&, const QueueSpec&, const Limits&, const Poll&);
template Confidences segment_confidences(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&,
                                         const QueueSpec&, const Limits&, std::span<const double>, std::span<const std::int32_t>,
                                         const Poll&);
template Confidences segment_confidences(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&,
                                         const QueueSpec&, const Limits&, std::span<const double>, std::span<const std::int32_t>,
                                         const Poll&);
template SegmentSums segment_sums(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&, double);
template SegmentSums segment_sums(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&, double);
template BestSegments best_segments(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&,
                                    std::int64_t, const Poll&);
template BestSegments best_segments(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&,
                                    std::int64_t, const Poll&);
template SegmentRows segment_rows(const FeatureIndex&, const SegmentTemplates&, SegmentWeights<float>&, const Instances&,
                                  std::span<const std::int32_t>);
template SegmentRows segment_rows(const FeatureIndex&, const SegmentTemplates&, SegmentWeights<double>&, const Instances&,
                                  std::span<const std::int32_t>);
template std::vector<double> segment_scores(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&,
                                            std::span<const std::int32_t>);
template std::vector<double> segment_scores(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&,
                                            std::span<const std::int32_t>);

}  // namespace riata
