#include "inference/structures/joint_structure.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "inference/offered.hpp"

namespace riata {

template <class Real>
void JointModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  const Instances& instances = corpus.instances;
  const JointCoding& coding = weights.coding;
  bool ok = instances.choices.count <= coding.tags && static_cast<std::int64_t>(size) >= weights.layout.whole(weights.rows) &&
            static_cast<std::int32_t>(instances.ngrams.size()) == corpus.index.families();
  for (std::int32_t f = 0; ok && f < corpus.index.families(); ++f) ok = instances.sizes[f] <= corpus.index.size(f);
  ok = ok && JointLayout(corpus.index, templates, coding).size == weights.layout.size;
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
  ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == instances.tokens();
  for (const std::int32_t code : corpus.gold) ok = ok && code >= 0 && code < coding.tags * coding.chunks;
  if (!ok) throw Error("RiataError", "the tags and chunk labels do not fit the sentences or the weights");
}

template <class Real>
void JointModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  const JointLayout now(corpus.index, templates, weights.coding);
  if (now.size < weights.layout.size) throw Error("RiataError", "the instances were made with another feature index than the weights");
  if (now.size > weights.layout.size) vector.rearrange([&](const Numbers<Real>& old) { return now.moved(old, weights.layout); });
  weights.layout = now;
  vector.grow(static_cast<std::size_t>(now.whole(weights.rows)));
}

template <class Real>
std::unique_ptr<Structure<Real>> JointModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  return std::make_unique<JointStructure<Real>>(*this, corpus, vector, grows);
}

// Rows that grow may be in another order in the other model, so they are matched by what they stand for.
template <class Real>
void JointModel<Real>::match(Model<Real>& other, const typename Model<Real>::Matched& visit) const {
  const JointWeights<Real>& from = weights;
  JointWeights<Real>& to = dynamic_cast<JointModel&>(other).weights;
  const std::int64_t before = to.layout.size;
  if (from.coding.tags != to.coding.tags || from.coding.chunks != to.coding.chunks || from.coding.ahead != to.coding.ahead ||
      from.layout.size != before)
    throw Error("RiataError", "the weights belong to different models");
  visit(0, 0, before);
  for (RowId row(0); row.number() < from.rows.rows(); ++row) {
    const ContextId context = to.rows.add_context(from.rows.group(row), from.rows.packed(row));
    const std::int32_t width = from.rows.width(row);
    const RowId same = to.rows.add(from.rows.slot(row), from.rows.ngram(row), context, width);
    visit(before + from.rows.start(row), before + to.rows.start(same), width);
  }
}

template class JointModel<float>;
template class JointModel<double>;

namespace {
const RegisteredStructure entered("joint", operations_of<JointStructure<float>>());
}

}  // namespace riata
