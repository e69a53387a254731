#include "inference/structures/factorial_potentials.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "inference/structures/factorial_gradient.hpp"

namespace riata {
namespace {

constexpr std::int64_t batch_numbers = std::int64_t{1} << 22;  // of all tables of a batch

// How many numbers the tables of a sentence have.
std::int64_t numbers(const FactorialTemplates& templates, const FactorialCoding& coding, std::int64_t length) {
  const FactorialShape shape = shape_of(templates, coding);
  const std::vector<std::uint8_t> per_token = tables_per_token(templates);
  std::int64_t sum = 0;
  each_column(shape, [&](ColumnId c) { sum += length * shape.stride(c); });
  each_factor(shape, [&](FactorId k) { sum += (per_token[k.place()] ? length : 1) * shape.table(k); });
  return sum;
}

std::vector<SentenceRange> batches_of(const FactorialTemplates& templates, const FactorialCoding& coding, const Instances& instances) {
  const std::int64_t fixed = numbers(templates, coding, 0), each = numbers(templates, coding, 1) - fixed;
  const std::int64_t most =
      std::clamp<std::int64_t>((std::int64_t{1} << 34) / std::max<std::int64_t>(coding.combinations(), 1), 1, batch_numbers);
  return cut_batches(instances.sentences(), most, [&](std::int64_t s) { return fixed + each * instances.length(s); });
}

}  // namespace

// Visits sentences. If factors underflow or overflow, logarithms are used at once, since no table is shared with other sentences.
template <class Real>
class FactorialVisitor final : public Visitor {
 public:
  explicit FactorialVisitor(FactorialPotentials<Real>& of) : of_(of), inference_(of.rows_.shape(), of.how_) {}

  std::optional<double> open(std::int64_t s) override {
    s_ = s;
    if (of_.instances_.length(s) == 0) return 0;
    const FactorialShape& shape = of_.rows_.shape();
    of_.rows_.read(s, scores_);
    constrain_nodes(of_.coding_, scores_);
    each_factor(shape, [&](FactorId k) {
      if (!scores_.per_token[k.place()]) {
        scores_.shared[k.place()] = of_.shared_[k.place()].data();
      } else if (shape.pair(k).within()) {
        for (std::int32_t t = 1; t < scores_.length; ++t) constrain_table(of_.coding_.columns[k.place()], scores_.own_table(k, t));
      }
    });
    const double log_z = inference_.open(scores_, &of_.factors_);
    if (!inference_.converged()) ++of_.unsettled_;
    return scores_.of(gold()) - log_z;
  }

  void take(double times) override {
    const FactorialTables<Real> to = of_.tables(s_);
    const FactorialShape& shape = of_.rows_.shape();
    const std::int64_t length = of_.instances_.length(s_);
    each_column(shape, [&](ColumnId c) { std::fill_n(to.node[c.place()], length * shape.stride(c), Real{0}); });
    each_factor(shape,
                [&](FactorId k) { std::fill_n(to.pair[k.place()], (to.per_token[k.place()] ? length : 1) * shape.table(k), Real{0}); });
    if (length == 0) return;
    inference_.add(to, times);
    to.add(shape, gold(), static_cast<std::int32_t>(length), -static_cast<Real>(times));
  }

  double open_in_logarithms(std::int64_t s) override { return *open(s); }
  void take_in_logarithms(double times) override { take(times); }

 private:
  const std::int32_t* gold() const noexcept { return of_.gold_.data() + of_.instances_.starts[s_]; }

  FactorialPotentials<Real>& of_;
  FactorialInference<Real> inference_;
  FactorialScores<Real> scores_;
  std::int64_t s_ = 0;
};

template <class Real>
FactorialPotentials<Real>::FactorialPotentials(const FeatureIndex& index, const FactorialTemplates& templates,
                                               const FactorialCoding& coding, const Instances& instances,
                                               std::span<const std::int32_t> gold, FeatureLabels which, SumsBy how)
    : BatchedPotentials(instances, batches_of(templates, coding, instances)),
      coding_(coding),
      gold_(gold.begin(), gold.end()),
      how_(how),
      rows_(index, templates, coding, instances, gold, which),
      factors_(coding.columns.size()) {
  const FactorialShape& shape = rows_.shape();
  std::int64_t tokens = 0, sentences = 0;
  for (const SentenceRange& batch : batches_) {
    tokens = std::max(tokens, instances.starts[batch.end] - instances.starts[batch.first]);
    sentences = std::max(sentences, batch.end - batch.first);
  }
  for (std::int64_t s = 0; s < instances.sentences(); ++s) check_room(shape, instances.length(s));
  each_column(shape, [&](ColumnId c) { node_.emplace_back(static_cast<std::size_t>(tokens * shape.stride(c)), Real{0}); });
  each_factor(shape, [&](FactorId k) {
    pair_.emplace_back(static_cast<std::size_t>((rows_.per_token()[k.place()] ? tokens : sentences) * shape.table(k)), Real{0});
    shared_.emplace_back(static_cast<std::size_t>(shape.table(k)), Real{0});
  });
}

template <class Real>
double FactorialPotentials<Real>::begin(std::span<const double> at, std::int64_t threads) {
  rows_.begin(at, threads);
  unsettled_ = 0;
  const FactorialShape& shape = rows_.shape();
  each_factor(shape, [&](FactorId k) {
    std::copy_n(rows_.shared_table(k), shape.table(k), shared_[k.place()].data());
    if (!shape.pair(k).within()) return;
    constrain_table(coding_.columns[k.place()], shared_[k.place()].data());
    factors_[k.place()].fill(shared_[k.place()].data(), shape.labels(ColumnId(k.number())));
  });
  return 0;
}

// The tables of a sentence of the present batch.
template <class Real>
FactorialTables<Real> FactorialPotentials<Real>::tables(std::int64_t s) {
  const FactorialShape& shape = rows_.shape();
  FactorialTables<Real> out{{}, {}, rows_.per_token()};
  const std::int64_t token = instances_.starts[s] - base();
  each_column(shape, [&](ColumnId c) { out.node.push_back(node_[c.place()].data() + token * shape.stride(c)); });
  each_factor(shape, [&](FactorId k) {
    out.pair.push_back(pair_[k.place()].data() + (out.per_token[k.place()] ? token : s - batch().first) * shape.table(k));
  });
  return out;
}

template <class Real>
std::unique_ptr<Visitor> FactorialPotentials<Real>::visitor() {
  return std::make_unique<FactorialVisitor<Real>>(*this);
}

template <class Real>
std::unique_ptr<SentenceGradient<Real>> FactorialPotentials<Real>::gradient() {
  return std::make_unique<FactorialGradient<Real>>(rows_, coding_, instances_, gold_, how_);
}

template class FactorialPotentials<float>;
template class FactorialPotentials<double>;

}  // namespace riata
