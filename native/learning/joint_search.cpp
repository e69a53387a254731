#include "learning/joint_search.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "models/fixed_weights.hpp"

namespace riata {

void check_fit(const FeatureIndex& index, const JointLayout& layout, const JointKinds& kinds, const JointRows& rows, std::size_t size,
               const Instances& instances) {
  bool ok = instances.choices.count <= kinds.tags && static_cast<std::int64_t>(size) >= layout.whole(rows) &&
            static_cast<std::int32_t>(instances.ngrams.size()) == index.families();
  for (std::int32_t f = 0; ok && f < index.families(); ++f) ok = instances.sizes[f] <= index.size(f);
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
}

namespace {

template <class Value>
std::span<const Value> of_sentence(std::span<const Value> all, const Instances& instances, std::int64_t s) {
  return all.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s)));
}

template <class Real>
Numbers<Real> with_room(Numbers<Real> flat, const JointLayout& layout, const JointRows& rows) {
  flat.resize(std::max(flat.size(), static_cast<std::size_t>(layout.whole(rows))), Real{0});
  return flat;
}

}  // namespace

template <class Real>
JointSearch<Real>::JointSearch(const FeatureIndex& index, JointTemplates templates, const JointWeights<Real>& initial,
                               const QueueSpec& queue, const LearnerSpec& learner, const Limits& limits)
    : templates_(std::move(templates)),
      kinds_(initial.kinds),
      layout_(index, templates_, kinds_),
      weights_(with_room(initial.flat, layout_, initial.rows), learner.p),
      rows_(initial.rows),
      queue_spec_(queue),
      queue_(make_queue(queue)),
      learner_(learner, weights_),
      limits_(limits),
      truncate_(learner.truncate) {}

template <class Real>
void JointSearch<Real>::grow(const FeatureIndex& index) {
  const JointLayout now(index, templates_, kinds_);
  if (now.size < layout_.size) throw Error("RiataError", "the instances were made with another feature index than the weights");
  if (now.size > layout_.size) weights_.rearrange([&](const Numbers<Real>& old) { return now.moved(old, layout_); });
  layout_ = now;
}

template <class Real>
EpochResult JointSearch<Real>::epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                                     std::span<const double> sentence_weights, const Poll& poll) {
  grow(index);
  check_fit(index, layout_, kinds_, rows_, weights_.size(), instances);
  EpochResult result;
  Limits limits = limits_;
  limits.poll = [&] { poll(result.sentences); };
  JointSpace<Real> space(templates_, layout_, kinds_, instances, weights_, rows_, &rows_, queue_spec_);
  Search search(space, *queue_, limits);
  PollClock clock(kinds_.tags + kinds_.chunks);
  for (const std::int64_t s : order) {
    if (clock.due(instances.length(s)) && !poll(result.sentences)) break;
    ++result.sentences;
    if (instances.length(s) > 0) {
      space.open(s, of_sentence(std::span<const std::int32_t>(instances.labels), instances, s));
      learner_.begin(sentence_weights.empty() ? 1.0 : sentence_weights[static_cast<std::size_t>(s)]);
      run_on(s, search, &learner_);
      result.updates += learner_.updated();
      result.tokens += instances.length(s);
    }
    weights_.tick();
  }
  return result;
}

template <class Real>
std::vector<std::int32_t> decode_joint(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                                       const Instances& instances, const QueueSpec& queue, const Limits& limits, const Poll& poll) {
  const JointLayout layout(index, templates, weights.kinds);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  const FixedWeights<Real> flat(weights.flat);
  JointSpace<Real, const FixedWeights<Real>> space(templates, layout, weights.kinds, instances, flat, weights.rows, nullptr, queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits polled = limits;
  polled.poll = [&] { poll(done); };
  Search search(space, *pending, polled);
  PollClock clock(weights.kinds.tags + weights.kinds.chunks);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(instances.tokens()), 0);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s);
    space.codes_of(search.tree().path(run_on(s, search)), codes.data() + instances.starts[s]);
  }
  return codes;
}

template <class Real>
Confidences joint_confidences(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                              const Instances& instances, const QueueSpec& queue, const Limits& limits, const ChunkFlags& chunks,
                              std::span<const double> temperatures, const Poll& poll) {
  const JointKinds& kinds = weights.kinds;
  const JointLayout layout(index, templates, kinds);
  check_fit(index, layout, kinds, weights.rows, weights.flat.size(), instances);
  const FixedWeights<Real> flat(weights.flat);
  JointSpace<Real, const FixedWeights<Real>> space(templates, layout, kinds, instances, flat, weights.rows, nullptr, queue);
  std::vector<std::int32_t> each(static_cast<std::size_t>(kinds.tags));
  std::iota(each.begin(), each.end(), 0);
  const std::vector<std::uint8_t> never(each.size() * each.size(), 0);
  const auto tag = [&](ActionId code) { return kinds.tag(code); };
  const auto chunk = [&](ActionId code) { return kinds.chunk(code); };
  Units tags(Track{0, each, never, tag});
  Units spans(Track{kinds.ahead, chunks.kinds, chunks.continues, chunk});
  const std::int64_t tokens = instances.tokens();
  return with_confidences(
      space, instances, queue, limits, temperatures, {}, 2, kinds.tags + kinds.chunks, poll,
      [&](const std::vector<ActionId>& path, std::span<std::int32_t> codes) { space.codes_of(path, codes.data()); },
      [&](const Lattice& lattice, std::span<const std::int32_t> codes, double* out) {
        std::vector<std::int32_t> of_tags, of_chunks;
        for (const std::int32_t code : codes) {
          of_tags.push_back(kinds.tag(code));
          of_chunks.push_back(kinds.chunk(code));
        }
        tags(lattice, of_tags, out);
        spans(lattice, of_chunks, out + tokens);
      });
}

template <class Real>
std::vector<double> joint_scores(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                                 const Instances& instances, std::span<const std::int32_t> codes) {
  const JointLayout layout(index, templates, weights.kinds);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  const FixedWeights<Real> flat(weights.flat);
  JointSpace<Real, const FixedWeights<Real>> space(templates, layout, weights.kinds, instances, flat, weights.rows, nullptr, {});
  std::vector<double> scores;
  StepFeatures features;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    space.open(s);
    features.clear();
    if (instances.length(s) > 0) space.features_of(of_sentence(codes, instances, s), features);
    double score = 0;
    for (const auto& [id, value] : features) score += double(weights.flat[static_cast<std::size_t>(id)]) * value;
    scores.push_back(score);
  }
  return scores;
}

template <class Real>
JointPlaces joint_places(const FeatureIndex& index, const JointTemplates& templates, JointWeights<Real>& weights,
                         const Instances& instances, std::span<const std::int32_t> codes) {
  const JointLayout layout(index, templates, weights.kinds);
  weights.flat = with_room(std::move(weights.flat), layout, weights.rows);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  const FixedWeights<Real> nothing(weights.flat);
  JointSpace<Real, const FixedWeights<Real>> space(templates, layout, weights.kinds, instances, nothing, weights.rows, &weights.rows, {});
  JointPlaces out;
  StepFeatures features;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    space.open(s);
    features.clear();
    if (instances.length(s) > 0) space.features_of(of_sentence(codes, instances, s), features);
    for (const auto& [id, value] : features) out.places.push_back(id);
    out.counts.push_back(static_cast<std::int32_t>(features.size()));
  }
  weights.flat = with_room(std::move(weights.flat), layout, weights.rows);
  return out;
}

template <class Real>
std::vector<std::int32_t> joint_regrets(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                                        const Instances& instances, std::span<const std::int32_t> codes) {
  const JointLayout layout(index, templates, weights.kinds);
  const FixedWeights<Real> nothing(weights.flat);
  JointSpace<Real, const FixedWeights<Real>> space(templates, layout, weights.kinds, instances, nothing, weights.rows, nullptr, {});
  std::vector<std::int32_t> regrets;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (instances.length(s) == 0) continue;
    space.open(s, of_sentence(std::span<const std::int32_t>(instances.labels), instances, s));
    space.regrets_of(of_sentence(codes, instances, s), regrets);
  }
  return regrets;
}

template class JointSearch<float>;
template class JointSearch<double>;
#define RIATA_JOINT(Real)                                                                                                                  \
  template std::vector<std::int32_t> decode_joint(const FeatureIndex&, const JointTemplates&, const JointWeights<Real>&, const Instances&, \
                                                  const QueueSpec&, const Limits&, const Poll&);                                           \
  template Confidences joint_confidences(const FeatureIndex&, const JointTemplates&, const JointWeights<Real>&, const Instances&,          \
                                         const QueueSpec&, const Limits&, const ChunkFlags&, std::span<const double>, const Poll&);        \
  template std::vector<double> joint_scores(const FeatureIndex&, const JointTemplates&, const JointWeights<Real>&, const Instances&,       \
                                            std::span<const std::int32_t>);                                                                \
  template JointPlaces joint_places(const FeatureIndex&, const JointTemplates&, JointWeights<Real>&, const Instances&,                     \
                                    std::span<const std::int32_t>);                                                                        \
  template std::vector<std::int32_t> joint_regrets(const FeatureIndex&, const JointTemplates&, const JointWeights<Real>&,                  \
                                                   const Instances&, std::span<const std::int32_t>);
RIATA_JOINT(float)
RIATA_JOINT(double)
#undef RIATA_JOINT

}  // namespace riata
