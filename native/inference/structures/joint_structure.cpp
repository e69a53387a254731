#include "inference/structures/joint_structure.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "inference/offered.hpp"

namespace riata {

template <class Real>
void JointModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  const Instances& instances = corpus.instances;
  const JointKinds& kinds = weights.kinds;
  bool ok = instances.choices.count <= kinds.tags && static_cast<std::int64_t>(size) >= weights.layout.whole(weights.rows) &&
            static_cast<std::int32_t>(instances.ngrams.size()) == corpus.index.families();
  for (std::int32_t f = 0; ok && f < corpus.index.families(); ++f) ok = instances.sizes[f] <= corpus.index.size(f);
  ok = ok && JointLayout(corpus.index, templates, kinds).size == weights.layout.size;
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
  ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == instances.tokens();
  for (const std::int32_t code : corpus.gold) ok = ok && code >= 0 && code < kinds.tags * kinds.chunks;
  if (!ok) throw Error("RiataError", "the pairs do not fit the sentences or the weights");
}

template <class Real>
void JointModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  const JointLayout now(corpus.index, templates, weights.kinds);
  if (now.size < weights.layout.size) throw Error("RiataError", "the instances were made with another feature index than the weights");
  if (now.size > weights.layout.size) vector.rearrange([&](const Numbers<Real>& old) { return now.moved(old, weights.layout); });
  weights.layout = now;
  vector.grow(static_cast<std::size_t>(now.whole(weights.rows)));
}

template <class Real>
std::unique_ptr<Structure<Real>> JointModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  return std::make_unique<JointStructure<Real>>(*this, corpus, vector, grows);
}

// Rows that grow came in an order of their own, so they are matched by what they stand for.
template <class Real>
void JointModel<Real>::add_scaled(const Model<Real>& other, double scale) {
  const JointWeights<Real>& from = dynamic_cast<const JointModel&>(other).weights;
  JointWeights<Real>& to = weights;
  const std::int64_t before = to.layout.size;
  if (from.kinds.tags != to.kinds.tags || from.kinds.chunks != to.kinds.chunks || from.kinds.ahead != to.kinds.ahead ||
      from.layout.size != before)
    throw Error("RiataError", "the weights belong to different models");
  const auto add = [&](std::int64_t into, std::int64_t source, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j)
      to.flat[static_cast<std::size_t>(into + j)] += static_cast<Real>(scale * from.flat[static_cast<std::size_t>(source + j)]);
  };
  add(0, 0, before);
  for (std::int32_t row = 0; row < from.rows.rows(); ++row) {
    const std::int32_t context = to.rows.add_context(from.rows.group(row), from.rows.packed(row));
    const std::int64_t width = from.rows.width(row);
    const std::int32_t same = to.rows.add(from.rows.slot(row), from.rows.ngram(row), context, static_cast<std::int32_t>(width));
    to.flat.resize(static_cast<std::size_t>(before + to.rows.size()), Real{0});
    add(before + to.rows.start(same), before + from.rows.start(row), width);
  }
}

template class JointModel<float>;
template class JointModel<double>;

namespace {
const RegisteredStructure entered("joint", operations_of<JointStructure<float>>());
}

}  // namespace riata
