// The scores of the parts of a chain as arrays, for decoders in Python.
#include <cstdint>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/chain_scores.hpp"

namespace riata::bind {
namespace {

// The first `labels` numbers of every row.
template <class Real>
std::vector<double> unpadded(const std::vector<Real>& rows, std::int32_t labels, std::int32_t stride) {
  std::vector<double> out;
  for (std::size_t from = 0; from < rows.size(); from += static_cast<std::size_t>(stride))
    out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(from), rows.begin() + static_cast<std::ptrdiff_t>(from) + labels);
  return out;
}

template <class Real>
nb::tuple scores(const ChainModel<Real>& model, const FeatureIndex& index, const Instances& instances, std::int64_t sentence) {
  if (sentence < 0 || sentence >= instances.sentences() || instances.length(sentence) == 0)
    throw Error("RiataError", "there is no such sentence, or it has no tokens");
  const Vector<Real> weights = Vector<Real>::of(model.weights.flat);
  model.check(without_truth(index, instances), model.weights.flat.size());
  const Weights<Real>& of = model.weights;
  ChainScorer<Real> scorer(index, {of.layout, of.history, weights, of.local, of.truncated}, model.constraint, instances);
  ChainScores<Real> found;
  scorer(sentence, found);
  return nb::make_tuple(give(unpadded(found.node, found.labels, found.stride)), give(unpadded(found.edge, found.labels, found.stride)));
}

template <class Real>
void bind_precision(nb::module_& m) {
  m.def(
      "chain_scores", &scores<Real>, nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("sentence"),
      "The scores of the labels of one sentence, [T][L], and of pairs of labels, [L][L] or [T][L][L]; minus infinity where a label is not "
      "allowed. Features of earlier labels are not included.");
}

void chain_scores(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

const Bindings entered(chain_scores);

}  // namespace
}  // namespace riata::bind
