#include "inference/structures/second_order_potentials.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "core/tasks.hpp"
#include "inference/structures/exact_chain.hpp"
#include "inference/structures/second_order_gradient.hpp"
#include "inference/structures/second_order_visitor.hpp"

namespace riata {
namespace {

constexpr std::int64_t few_at_once = std::int64_t{1} << 20;  // bytes of tables per context, if the caller does not give a limit

HistoryIndex empty_history(const FeatureIndex& index, std::int32_t labels) {
  check_exact(index, labels);
  if (index.hashed())
    throw Error("UnsupportedError", "the likelihood does not read earlier labels whose features are hashed.", "Leave out bits.");
  return HistoryIndex(index.history_slots());
}

}  // namespace

template <class Real>
SecondOrderPotentials<Real>::SecondOrderPotentials(const FeatureIndex& index, const Instances& instances, std::int32_t labels,
                                                   std::int32_t named_size, const Constraint<Real>& constraint, FeatureLabels which,
                                                   std::int64_t kept, std::int64_t at_once, double often_read)
    : BatchedPotentials(instances),
      layout_(index, labels, named_size),
      constraint_(constraint),
      at_once_(at_once),
      history_(empty_history(index, labels)),
      there_(chain_weights(index, layout_, instances, which, enter_history(history_, layout_, instances, which, sizeof(Real)))),
      steps_(index, layout_, history_, instances, constraint, there_, often_read),
      tokens_(index, layout_, instances, constraint_, there_, std::span<const std::int32_t>()),
      points_(index, layout_, history_, there_, named_size) {
  for (std::int64_t s = 0; s < instances.sentences(); ++s) complete_.push_back(!instances.partly_labelled(s));
  if (at_once_ == 0) at_once_ = std::clamp<std::int64_t>(steps_.contexts() * few_at_once, 2 * few_at_once, most_at_once);
  make_tables();
  keep_cubes(kept);
  gold_.assign(static_cast<std::size_t>(steps_.table_size()), 0);
  table_.assign(gold_.size(), Real{0});
}

template <class Real>
void SecondOrderPotentials<Real>::check_length(std::int64_t s) const {
  constexpr double most = 4.0 * (1 << 30);  // bytes
  const double need = 2.0 * double(square()) * sizeof(Real) * double(rows_needed(s));
  if (need <= most) return;
  throw Error("UnsupportedError",
              "sentence " + std::to_string(s) + " (from 0) has " + std::to_string(instances_.length(s)) +
                  " tokens: too many for sums two labels back with " + std::to_string(layout_.labels) + " labels.",
              "Split it, or leave out templates that read label[-2].");
}

template <class Real>
void SecondOrderPotentials<Real>::make_tables() {
  const std::int64_t per_row = 2 * square() * static_cast<std::int64_t>(sizeof(Real));
  batches_ = cut_batches(sentences(), at_once_, [&](std::int64_t s) {
    check_length(s);
    return rows_needed(s) * per_row;
  });
  std::int64_t longest = 0, most_tokens = 0, most_sparse = 0;
  std::vector<std::int32_t> contexts;
  for (const SentenceRange& batch : batches_) {
    contexts.clear();
    for (std::int64_t s = batch.first; s < batch.end; ++s) {
      rows_of_.push_back(static_cast<std::int64_t>(contexts.size()));
      for (std::int64_t pass = 0; pass < (complete(s) ? 1 : 2); ++pass) {
        for (std::int64_t n = instances_.starts[s]; n < instances_.starts[s + 1]; ++n) contexts.push_back(steps_.context(n));
      }
    }
    chunks_.emplace_back(contexts);
    const std::int64_t from = instances_.starts[batch.first], to = instances_.starts[batch.end];
    longest = std::max(longest, static_cast<std::int64_t>(contexts.size()));
    most_tokens = std::max(most_tokens, to - from);
    most_sparse = std::max(most_sparse, steps_.sparse().before(to) - steps_.sparse().before(from));
  }
  for (auto* table : {&from_, &into_}) table->assign(static_cast<std::size_t>(longest * square()), Real{0});
  sparse_.assign(static_cast<std::size_t>(most_sparse), Real{0});
  difference_.assign(static_cast<std::size_t>(most_tokens * layout_.stride), Real{0});
}

template <class Real>
void SecondOrderPotentials<Real>::keep_cubes(std::int64_t bytes) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(steps_.contexts()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return steps_.tokens(a) > steps_.tokens(b); });
  kept_.assign(order.size(), -1);
  highest_.assign(order.size(), 0);
  std::int64_t next = 0;
  for (const std::int32_t context : order) {
    const std::int64_t end = next + steps_.rows(context) * layout_.stride;
    if (end * static_cast<std::int64_t>(sizeof(Real)) > bytes) break;
    kept_[static_cast<std::size_t>(context)] = next;
    next = end;
  }
  cubes_.assign(static_cast<std::size_t>(next), Real{0});
}

// Counts the true pairs and triples of labels. Single true labels are not counted here, since visitors subtract them from the posteriors;
// nor are the rows that first tokens read for earlier labels.
template <class Real>
void SecondOrderPotentials<Real>::count_truth(std::span<const double> weights) {
  std::ranges::fill(gold_, 0);
  steps_.sparse().forget_counts();
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(weights.size()); ++s) {
    const double weight = weights[static_cast<std::size_t>(s)];
    each_true_step(
        s, [&](std::size_t place) { gold_[place] += weight; },
        [&](std::int64_t n, LabelId before, LabelId label) { steps_.sparse().count(n, before, label, weight); });
  }
}

template <class Real>
double SecondOrderPotentials<Real>::begin(std::span<const double> at, std::int64_t threads) {
  steps_.read(there_, at, table_.data());
  double truth = steps_.sparse().read(at);
  totals_.resize(gold_.size());
  for (std::size_t k = 0; k < gold_.size(); ++k) {
    totals_[k] = -gold_[k];
    if (gold_[k] != 0) truth += gold_[k] * double(table_[k]);
  }
  make_cubes(threads);
  tokens_.begin(at, threads);
  return truth;
}

template <class Real>
void SecondOrderPotentials<Real>::make_cubes(std::int64_t threads) {
  hand_out(
      steps_.contexts(), threads, [] { return std::vector<Real>(); },
      [&](std::int64_t context, std::vector<Real>& rows) {
        const std::int64_t place = kept_[static_cast<std::size_t>(context)];
        if (place >= 0)
          highest_[static_cast<std::size_t>(context)] = make_cube(static_cast<std::int32_t>(context), cubes_.data() + place, rows);
      });
}

template <class Real>
double SecondOrderPotentials<Real>::make_cube(std::int32_t context, Real* cube, std::vector<Real>& rows) const {
  steps_.score(context, table_.data(), cube);
  return make_factors(cube, steps_.rows(context), layout_.stride, rows);
}

template <class Real>
TripleFactors<Real> SecondOrderPotentials<Real>::cube(std::int32_t context, Cube& made) const {
  const std::int64_t place = kept_[static_cast<std::size_t>(context)];
  if (place >= 0) return {cubes_.data() + place, highest_[static_cast<std::size_t>(context)]};
  made.factors.resize(static_cast<std::size_t>(cube_size()));
  const double highest = make_cube(context, made.factors.data(), made.rows);
  return {made.factors.data(), highest};
}

template <class Real>
std::unique_ptr<Visitor> SecondOrderPotentials<Real>::visitor() {
  return std::make_unique<SecondOrderVisitor<Real>>(*this);
}

// Writes the score of every label at every token of a sentence to node, [length][stride]; minus infinity if a label is not allowed.
template <class Real>
void SecondOrderPotentials<Real>::score(std::int64_t s, Real* node) const {
  tokens_.score(s, node);
  steps_.each_first(s, [&](std::int64_t row) {
    for (std::int64_t j = 0; j < layout_.stride; ++j) node[j] += table_[static_cast<std::size_t>(row + j)];
  });
}

template <class Real>
void SecondOrderPotentials<Real>::gather(std::span<double> gradient, std::int64_t threads) {
  tokens_.gather(batch(), difference_.data(), gradient, threads);
  gather_first();
  sum_steps(threads);
  steps_.sparse().gather(base(), instances_.starts[batch().end], sparse_.data());
}

// Adds the differences of first tokens to the rows of earlier labels outside the sentence, which first tokens read too.
template <class Real>
void SecondOrderPotentials<Real>::gather_first() {
  for (std::int64_t s = batch().first; s < batch().end; ++s) {
    if (instances_.length(s) == 0) continue;
    const Real* from = difference_.data() + (instances_.starts[s] - base()) * layout_.stride;
    steps_.each_first(s, [&](std::int64_t row) {
      for (std::int64_t j = 0; j < layout_.stride; ++j) totals_[static_cast<std::size_t>(row + j)] += double(from[j]);
    });
  }
}

// Adds the posteriors of all label triples of a batch to totals_. The posterior of a triple is the product of an entry of from_, an entry
// of into_ and a factor of its context. The products of from_ and into_ are added up over the steps of a context, and multiplied by the
// factors once.
template <class Real>
void SecondOrderPotentials<Real>::sum_steps(std::int64_t threads) {
  const std::vector<StepChunks::Chunk>& chunks = chunks_[batch_].chunks;
  // The number of chunks that are summed at a time: each needs a cube of memory.
  const auto together = std::clamp<std::int64_t>(at_once_ / (cube_size() * static_cast<std::int64_t>(sizeof(Real))), 1, 256);
  const auto count = static_cast<std::int64_t>(chunks.size());
  std::vector<Real> cubes(static_cast<std::size_t>(std::min(together, count) * cube_size()));
  for (std::int64_t from = 0; from < count; from += together) {
    const std::int64_t to = std::min(from + together, count);
    Tasks parts;
    for (std::int64_t c = from; c < to; ++c) {
      const StepChunks::Chunk& chunk = chunks[static_cast<std::size_t>(c)];
      // A large chunk whose cube of factors is stored is divided among threads. If the cube is not stored, one thread handles the chunk and
      // computes the cube.
      const std::int64_t work = (chunk.high - chunk.low) * cube_size() >> 20, labels = layout_.labels;
      const std::int64_t pieces = kept_[static_cast<std::size_t>(chunk.context)] < 0 ? 1 : std::clamp<std::int64_t>(work, 1, labels);
      Real* sum = cubes.data() + (c - from) * cube_size();
      for (std::int64_t piece = 0; piece < pieces; ++piece)
        parts.add(
            [this, &chunk, sum, piece, pieces, labels] { sum_chunk(chunk, labels * piece / pieces, labels * (piece + 1) / pieces, sum); });
    }
    parts.run(threads);
    for (std::int64_t c = from; c < to; ++c)
      steps_.hand_on(chunks[static_cast<std::size_t>(c)].context, cubes.data() + (c - from) * cube_size(), totals_.data());
  }
}

// Sums the steps of a chunk, for the part of the cube whose label before is low to high - 1.
template <class Real>
void SecondOrderPotentials<Real>::sum_chunk(const StepChunks::Chunk& chunk, std::int64_t low, std::int64_t high, Real* sum) const {
  const std::int32_t tall = steps_.height(chunk.context);
  const std::int64_t slab = std::int64_t{tall} * layout_.stride;
  Cube made;
  const Real* factors = cube(chunk.context, made).factors;
  std::fill(sum + low * slab, sum + high * slab, Real{0});
  add_triples(chunks_[batch_].order.data() + chunk.low, chunk.high - chunk.low, from_.data(), into_.data(), layout_.labels, tall,
              layout_.stride, static_cast<std::int32_t>(low), static_cast<std::int32_t>(high), sum);
  for (std::int64_t k = low * slab; k < high * slab; ++k) sum[k] *= factors[k];
}

template <class Real>
void SecondOrderPotentials<Real>::finish(std::span<double> gradient, std::int64_t threads) {
  tokens_.finish(gradient, threads);
  steps_.sparse().add(gradient);
  steps_.add(totals_.data(), there_, gradient);
}

template <class Real>
double SecondOrderPotentials<Real>::shared_score(std::int64_t s) const {
  double score = 0;
  each_true_step(
      s, [&](std::size_t place) { score += double(table_[place]); },
      [&](std::int64_t n, LabelId before, LabelId label) { score += steps_.sparse().score(n, before, label); });
  return score;
}

template <class Real>
void SecondOrderPotentials<Real>::take_truth(std::int64_t s, double times) {
  each_true_step(
      s, [&](std::size_t place) { totals_[place] -= times; },
      [&](std::int64_t n, LabelId before, LabelId label) { steps_.sparse().take(n, before, label, times); });
}

template <class Real>
std::unique_ptr<SentenceGradient<Real>> SecondOrderPotentials<Real>::gradient() {
  return std::make_unique<SecondOrderGradient<Real>>(*this);
}

template class SecondOrderPotentials<float>;
template class SecondOrderPotentials<double>;

}  // namespace riata
