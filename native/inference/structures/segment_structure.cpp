#include "inference/structures/segment_structure.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "inference/offered.hpp"
#include "inference/structures/segment_potentials.hpp"
#include "inference/structures/segment_space.hpp"

namespace riata {

void check_fit(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentCoding& coding, const GrownRows& grown,
               std::size_t size, const Instances& instances) {
  bool ok = size >= std::size_t(grown.rows()) * coding.stride() && static_cast<std::int32_t>(instances.ngrams.size()) == index.families() &&
            grown.slots() == templates.slots();
  for (std::int32_t f = 0; ok && f < index.families(); ++f) ok = instances.sizes[f] <= index.size(f);
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
}

bool covers(const SegmentCoding& coding, std::span<const std::int64_t> starts, Codes codes, bool free) {
  if (starts.empty() || static_cast<std::int64_t>(codes.size()) != starts.back()) return false;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    std::int64_t next = starts[s];
    for (std::int64_t t = starts[s]; t < starts[s + 1]; ++t) {
      const std::int32_t code = codes[static_cast<std::size_t>(t)];
      if ((code >= 0) != (t == next)) return false;
      if (code < 0) continue;
      const Length length = coding.length(code);
      if (length > Length(1) && coding.label(code) == coding.outside) return false;
      if (!free && length > coding.most) return false;
      next = t + length.number();
      if (next > starts[s + 1]) return false;
    }
  }
  return true;
}

template <class Real>
void SegmentModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  check_fit(corpus.index, templates, weights.coding, weights.grown, size, corpus.instances);
  if (!corpus.gold.empty() && !covers(weights.coding, corpus.instances.starts, corpus.gold, true))
    throw Error("RiataError", "the segments do not fit the sentences or the weights");
}

template <class Real>
void SegmentModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  const auto stride = static_cast<std::size_t>(weights.coding.stride());
  if (weights.grown.rows() == 0) vector.reserve(static_cast<std::size_t>(templates.most_rows(corpus.index)) * stride);
  vector.grow(static_cast<std::size_t>(weights.grown.rows()) * stride);
}

template <class Real>
std::unique_ptr<Structure<Real>> SegmentModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  return std::make_unique<SegmentStructure<Real>>(*this, corpus, vector, grows);
}

// Rows may be in another order in the other model, so they are matched by what they stand for.
template <class Real>
void SegmentModel<Real>::match(Model<Real>& other, const typename Model<Real>::Matched& visit) const {
  const SegmentWeights<Real>& from = weights;
  SegmentWeights<Real>& to = dynamic_cast<SegmentModel&>(other).weights;
  if (from.coding.labels != to.coding.labels || from.coding.most != to.coding.most || from.grown.slots() != to.grown.slots())
    throw Error("RiataError", "the weights belong to different models");
  const std::int64_t stride = to.coding.stride();
  std::vector<RowId> same(static_cast<std::size_t>(from.grown.rows()));
  for (RowId row(0); row.number() < from.grown.rows(); ++row) {
    const RowId parent = from.grown.parent(row);
    const RootId root = from.grown.root(row);
    const std::int32_t value = from.grown.value(row);
    RowId& there = same[row.place()];
    there = parent ? to.grown.add_next(same[parent.place()], value) : to.grown.add(from.grown.slot(root), from.grown.context(root), value);
    visit(row.number() * stride, there.number() * stride, stride);
  }
}

template <class Real>
SegmentStructure<Real>::SegmentStructure(SegmentModel<Real>& model, const Corpus& over, Vector<Real>& vector, bool grows)
    : Structure<Real>(over),
      model_(model),
      coding_(model.weights.coding),
      vector_(vector),
      grows_(grows),
      steps_(model.templates, coding_, model.weights.grown, over.instances, vector),
      exact_(coding_, model.templates.order()),
      closest_(coding_, model.templates.order()),
      list_(coding_, model.templates.order()),
      sums_(coding_, model.templates.order()),
      lattice_(coding_, model.templates.order(), sums_, grows ? least_posterior : 0),
      risk_(coding_),
      loss_(coding_),
      token_loss_(coding_),
      class_weights_(coding_) {}

template <class Real>
void SegmentStructure<Real>::open(std::int64_t s) {
  steps_.open(s);
  gold_ = corpus().gold_of(s);
  loss_open_ = closest_known_ = false;
  if (class_weights_.any()) class_weights_.open(corpus().part(std::span(corpus().instances.labels), s), gold_);
}

template <class Real>
void SegmentStructure<Real>::weigh_classes(std::span<const double> weights) {
  const Codes labels = corpus().instances.labels;
  const auto weighed = [&](std::int32_t label) { return label >= 0 && static_cast<std::size_t>(label) < weights.size(); };
  if (!weights.empty() && (labels.size() != corpus().gold.size() || !std::ranges::all_of(labels, weighed)))
    throw Error("RiataError", "the weights of labels do not fit the labels of the sentences");
  class_weights_.set(weights);
}

template <class Real>
SegmentSteps<Real>& SegmentStructure<Real>::exact_steps() {
  check_exact(model_.templates);
  return steps_;
}

template <class Real>
const SegmentLoss& SegmentStructure<Real>::loss_of_truth() {
  if (!loss_open_) loss_.open(gold_);
  loss_open_ = true;
  return loss_;
}

template <class Real>
const SegmentTokenLoss& SegmentStructure<Real>::token_loss_of_truth() {
  if (!loss_open_) {
    std::vector<double> weights;
    for (std::size_t t = 0; class_weights_.any() && t < gold_.size(); ++t)
      weights.push_back(class_weights_.weight(static_cast<std::int32_t>(t), Length(1)));
    token_loss_.open(gold_, weights);
  }
  loss_open_ = true;
  return token_loss_;
}

template <class Real>
double SegmentStructure<Real>::span_loss(Codes output) {
  std::int64_t both = 0, found = 0, gold = 0;
  const auto is_chunk = [&](std::int32_t code) { return code >= 0 && coding_.label(code) != coding_.outside; };
  for (std::size_t t = 0; t < output.size(); ++t) {
    found += is_chunk(output[t]);
    gold += is_chunk(gold_[t]);
    both += is_chunk(output[t]) && output[t] == gold_[t];
  }
  return found + gold == 0 ? 0 : 1 - 2 * double(both) / double(found + gold);
}

template <class Real>
bool SegmentStructure<Real>::reachable() const {
  return std::ranges::all_of(gold_,
                             [&](std::int32_t code) { return code < 0 || coding_.allows(coding_.length(code), coding_.label(code)); });
}

template <class Real>
void SegmentStructure<Real>::augment(double times) {
  by_loss([&](const auto& loss) {
    exact_steps().raise([&](std::int32_t t, Length length, LabelId label) { return times * loss.of(t, length, label); });
  });
}

template <class Real>
double SegmentStructure<Real>::loss(Codes output) {
  return by_loss([&](const auto& loss) {
    double sum = 0;
    each_segment(coding_, output, [&](std::int32_t t, Length length, LabelId label, const Before&) { sum += loss.of(t, length, label); });
    return sum;
  });
}

template <class Real>
ExpectedRight SegmentStructure<Real>::least_risk(std::span<std::int32_t> out) {
  if (std::isfinite(sums(risk_.sharpness()))) return risk_(steps_, sums_, out.data());
  best(out);  // nothing is allowed
  return {};
}

template <class Real>
void SegmentStructure<Real>::take_expected(Difference& out) {
  if (!grows_) return lattice_.add_features(steps_, -1, KnownRows{model_.weights.grown}, out);
  lattice_.add_features(steps_, -1, AddedRows{model_.weights.grown}, out);
  vector_.grow(std::size_t(model_.weights.grown.rows()) * coding_.stride());
}

template <class Real>
void SegmentStructure<Real>::difference(Codes towards, Codes away, bool by_class, Difference& out) {
  find_shared(towards, away);
  by_class = by_class && class_weights_.any();
  add_features(towards, 1, by_class, [&](std::int32_t t) { return shared_[static_cast<std::size_t>(t)] ? Adds::rows : Adds::all; }, out);
  add_features(away, -1, by_class, [&](std::int32_t t) { return shared_[static_cast<std::size_t>(t)] ? Adds::nothing : Adds::all; }, out);
  sum_up(out);
}

// Segments that both outputs contain have the same features if templates cannot distinguish the segments before them.
template <class Real>
void SegmentStructure<Real>::find_shared(Codes one, Codes other) {
  Before before_one, before_other;
  shared_.assign(one.size(), false);
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto t = static_cast<std::int32_t>(i);
    shared_[i] = one[i] >= 0 && one[i] == other[i] && steps_.same(t, before_one, before_other);
    if (one[i] >= 0) before_one.append(coding_.label(one[i]), t);
    if (other[i] >= 0) before_other.append(coding_.label(other[i]), t);
  }
}

template <class Real>
void SegmentStructure<Real>::features(Codes output, Difference& out) {
  add_features(output, 1, false, [](std::int32_t) { return Adds::all; }, out);
}

// what(t): what the segment from token t adds. by_class: multiplied by the class weight of the segment.
template <class Real>
template <class What>
void SegmentStructure<Real>::add_features(Codes output, double sign, bool by_class, What what, Difference& out) {
  GrownRows& grown = model_.weights.grown;
  const std::int64_t stride = coding_.stride();
  each_segment(coding_, output, [&](std::int32_t t, Length length, LabelId label, const Before& before) {
    const Adds adds = what(t);
    if (adds == Adds::nothing) return;
    const double value = by_class ? sign * class_weights_.weight(t, length) : sign;
    const auto visit = [&](RowId row) {
      if (adds == Adds::all) out.push_back({weight_place(row, label, stride), value});
    };
    if (grows_)
      steps_.each_row(t, length, before, AddedRows{grown}, visit);
    else
      steps_.each_row(t, length, before, KnownRows{grown}, visit);
  });
  if (grows_) vector_.grow(std::size_t(grown.rows()) * coding_.stride());
}

template <class Real>
double SegmentStructure<Real>::score(Codes output) {
  Difference features;
  each_segment(coding_, output, [&](std::int32_t t, Length length, LabelId label, const Before& before) {
    steps_.each_row(t, length, before, KnownRows{model_.weights.grown},
                    [&](RowId row) { features.push_back({weight_place(row, label, coding_.stride()), 1.0}); });
  });
  return vector_.dot(features);
}

// If the truth cannot be reached, its place is taken by the segmentation with the best score among those with the least loss. The rival is
// the best of all others.
template <class Real>
bool SegmentStructure<Real>::rival(double margin, std::span<std::int32_t> away) {
  if (reachable()) return Structure<Real>::rival(margin, away);
  const double best = find_closest(), rival = closest_.other(away.data());
  return !std::isinf(rival) && rival >= best - margin;
}

template <class Real>
double SegmentStructure<Real>::find_closest() {
  by_loss([&](const auto& loss) { closest_.open(exact_steps(), loss); });
  target_.resize(gold_.size());
  closest_known_ = true;
  return closest_.closest(target_.data());
}

template <class Real>
Codes SegmentStructure<Real>::target() {
  if (!closest_known_ && reachable()) return gold_;
  if (!closest_known_) find_closest();
  return target_;
}

template <class Real>
std::unique_ptr<CorpusSpace> SegmentStructure<Real>::space(const QueueSpec& queue) {
  return std::make_unique<SegmentSpace<Real>>(corpus(), model_, vector_, grows_, queue);
}

template class SegmentModel<float>;
template class SegmentModel<double>;
template class SegmentStructure<float>;
template class SegmentStructure<double>;

namespace {
const RegisteredStructure entered("segments", operations_of<SegmentStructure<float>, SegmentPotentials<float>>());
}

}  // namespace riata
