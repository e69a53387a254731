#include "inference/structures/kernel_structure.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "inference/offered.hpp"
#include "inference/structures/kernel_space.hpp"

namespace riata {
namespace {

// The sentences of a corpus, in which the only feature of a token is its position.
Instances positions(const Instances& of) {
  Instances out;
  out.starts = of.starts;
  out.allowed = of.allowed;
  out.choices = of.choices;
  out.named_starts.push_back(0);
  for (std::int64_t s = 0; s < of.sentences(); ++s) {
    for (std::int64_t t = 0; t < of.length(s); ++t) {
      out.named_ids.push_back(static_cast<std::int32_t>(t));
      out.named_starts.push_back(static_cast<std::int64_t>(out.named_ids.size()));
    }
    out.named_size = std::max(out.named_size, static_cast<std::int32_t>(of.length(s)));
  }
  out.named_values.assign(out.named_ids.size(), 1.0f);
  return out;
}

template <class Real>
ChainModel<Real> blank_chain(const KernelModel<Real>& model, const FeatureIndex& index, const Instances& instances) {
  ChainModel<Real> out(Weights<Real>(model.labels), model.constraint);
  out.weights.grow(index, instances.named_size);
  return out;
}

}  // namespace

template <class Real>
KernelModel<Real>::KernelModel(std::int32_t label_count, Constraint<Real> the_constraint,
                               std::shared_ptr<const KernelFunction> the_function)
    : labels(label_count),
      stride(padded(label_count)),
      constraint(std::move(the_constraint)),
      function(std::move(the_function)),
      coefficients(static_cast<std::size_t>(square()), Real{0}) {}

template <class Real>
std::unique_ptr<Model<Real>> KernelModel<Real>::copy() const {
  auto out = std::make_unique<KernelModel>(*this);
  out->rows_.reset();
  return out;
}

template <class Real>
void KernelModel<Real>::take_features(const Model<Real>& other) {
  *this = dynamic_cast<const KernelModel&>(other);
  rows_.reset();
}

template <class Real>
void KernelModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  const bool fits = width == 0 || feature_count(corpus) == width;
  if (!fits || static_cast<std::int64_t>(size) < place(supports.slots()))
    throw Error("RiataError", "the instances were made with another feature index than the support tokens");
  bool ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == corpus.instances.tokens();
  for (const std::int32_t label : corpus.gold) ok = ok && label >= 0 && label < labels;
  if (!ok) throw Error("RiataError", "the labels do not fit the instances");
}

template <class Real>
void KernelModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  if (width == 0) width = feature_count(corpus);
  vector.grow(static_cast<std::size_t>(place(supports.slots())));
}

template <class Real>
std::unique_ptr<Structure<Real>> KernelModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  if (!grows) {
    const auto rows = std::make_shared<KernelRows<Real>>(*this, corpus, false);
    return std::make_unique<KernelStructure<Real>>(*this, corpus, vector, rows, false);
  }
  if (!rows_ || !rows_->is_over(corpus)) rows_ = std::make_shared<KernelRows<Real>>(*this, corpus, true);
  rows_->reset();
  return std::make_unique<KernelStructure<Real>>(*this, corpus, vector, rows_, true);
}

template <class Real>
KernelModel<Real> KernelModel<Real>::compact() const {
  KernelModel out(*this);
  out.rows_.reset();
  out.supports = Supports();
  out.coefficients.resize(static_cast<std::size_t>(square()));
  for (std::int32_t slot = 0; slot < supports.slots(); ++slot) {
    const auto row = coefficients.begin() + place(slot);
    if (supports.since(slot) == 0 || std::all_of(row, row + labels, [](Real value) { return value == 0; })) continue;
    out.supports.add(supports[slot]);
    out.coefficients.insert(out.coefficients.end(), row, row + stride);
  }
  return out;
}

template <class Real>
void KernelModel<Real>::match(Model<Real>&, const typename Model<Real>::Matched&) const {
  throw Error("UnsupportedError", "models with a kernel are not mixed: each has support tokens of its own.");
}

template <class Real>
KernelStructure<Real>::KernelStructure(KernelModel<Real>& model, const Corpus& over, Vector<Real>& vector,
                                       std::shared_ptr<KernelRows<Real>> rows, bool grows)
    : Structure<Real>(over),
      model_(model),
      vector_(vector),
      rows_(std::move(rows)),
      grows_(grows),
      index_({}, {}, 0, over.index.transitions()),
      instances_(positions(over.instances)),
      chain_(blank_chain(model, index_, instances_)),
      scores_(Vector<Real>::of(chain_.weights.flat)),
      inner_(chain_.over({index_, instances_, over.gold}, scores_, false)) {
  vector_.measure_by(rows_.get());
}

template <class Real>
void KernelStructure<Real>::expect(std::span<const std::int64_t> order) {
  order_.assign(order.begin(), order.end());
  next_ = prepared_ = 0;
}

template <class Real>
void KernelStructure<Real>::settle() {
  if (grows_) rows_->keep_budget(vector_);
}

// Computes the rows of the sentences that come next, if this one is not among those that were prepared last.
template <class Real>
void KernelStructure<Real>::prepare(std::int64_t s) {
  if (next_ >= order_.size() || order_[next_] != s) return;
  if (next_++ < prepared_) return;
  std::vector<std::int64_t> tokens;
  for (prepared_ = next_ - 1; prepared_ < order_.size() && static_cast<std::int64_t>(tokens.size()) < ahead; ++prepared_) {
    const std::int64_t sentence = order_[prepared_];
    for (std::int64_t t = 0; t < corpus().length(sentence); ++t) tokens.push_back(corpus().instances.starts[sentence] + t);
  }
  rows_->prepare(tokens);
}

template <class Real>
void KernelStructure<Real>::score_tokens(std::int64_t s) {
  if (grows_) prepare(s);
  const std::int64_t length = corpus().length(s);
  const Real* scores = rows_->scores(corpus().instances.starts[s], length, vector_.data(), vector_.version());
  const auto scale = static_cast<Real>(vector_.scale());
  Real* pairs = chain_.weights.transition_row();
  for (std::int64_t k = 0; k < model_.square(); ++k) pairs[k] = vector_.data()[k] * scale;
  Real* rows = chain_.weights.named_row(0);
  for (std::int64_t k = 0; k < length * model_.stride; ++k) rows[k] = scores[k] * scale;
  scores_.changed();
}

template <class Real>
void KernelStructure<Real>::open(std::int64_t s) {
  sentence_ = s;
  score_tokens(s);
  inner_->open(s);
}

template <class Real>
std::int64_t KernelStructure<Real>::outer(std::int64_t s, std::int64_t place) {
  const std::int64_t named = chain_.weights.layout.named_row(0);
  if (place < named) return place;
  const std::int64_t position = (place - named) / model_.stride, label = (place - named) % model_.stride;
  return rows_->place(corpus().instances.starts[s] + position, static_cast<std::int32_t>(label));
}

template <class Real>
void KernelStructure<Real>::make_room() {
  if (grows_) vector_.grow(static_cast<std::size_t>(model_.place(model_.supports.slots())));
}

template <class Real>
void KernelStructure<Real>::translate(std::size_t from, Difference& delta) {
  for (std::size_t k = from; k < delta.size(); ++k) delta[k].first = outer(sentence_, delta[k].first);
  make_room();
}

template <class Real>
Codes KernelStructure<Real>::within_budget(Codes towards, Codes away) {
  if (!grows_ || model_.budget == 0) return away;
  std::int64_t room = model_.budget - model_.supports.size();
  nearer_.assign(away.begin(), away.end());
  for (std::size_t t = 0; t < away.size(); ++t) {
    const std::int64_t token = corpus().instances.starts[sentence_] + static_cast<std::int64_t>(t);
    if (towards[t] != away[t] && !rows_->is_support(token) && room-- <= 0) nearer_[t] = towards[t];
  }
  return nearer_;
}

template <class Real>
void KernelStructure<Real>::difference(Codes towards, Codes away, bool by_class, Difference& out) {
  const std::size_t from = out.size();
  inner_->difference(towards, within_budget(towards, away), by_class, out);
  translate(from, out);
}

template <class Real>
void KernelStructure<Real>::features(Codes output, Difference& out) {
  const std::size_t from = out.size();
  inner_->features(output, out);
  translate(from, out);
}

template <class Real>
double KernelStructure<Real>::score(Codes output) {
  score_tokens(sentence_);
  return inner_->score(output);
}

template <class Real>
std::unique_ptr<CorpusSpace> KernelStructure<Real>::space(const QueueSpec& queue) {
  return std::make_unique<KernelSpace<Real>>(*this, inner_->space(queue));
}

template class KernelModel<float>;
template class KernelModel<double>;
template class KernelStructure<float>;
template class KernelStructure<double>;

namespace {
const RegisteredStructure entered("kernel-chain", operations_of<KernelStructure<float>>());
}

}  // namespace riata
