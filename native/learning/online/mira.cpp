// MIRA: the smallest step after which the truth beats the outputs found by their loss.
#include <algorithm>
#include <span>
#include <vector>

#include "learning/chosen_loss.hpp"
#include "learning/hildreth.hpp"
#include "learning/online/learner.hpp"

namespace riata {

// Crammer & Singer 2003 and McDonald, Crammer & Pereira 2005: for the k outputs with the highest score plus loss, the weights move as
// little as necessary for the truth to beat each of them by its loss; multipliers are at most C, as if violating a constraint cost C.
// Differs: the outputs are found with the loss added to their scores, if it adds up over the parts of an output; otherwise, as in the
// second paper, by their scores alone. With the zero-one loss, the truth is not one of the k. Sentence weights multiply C, weights of
// labels multiply the loss. An update is a sentence that changed the weights; wrong tokens are those of the best output, found with the
// loss added.
template <class Real>
class Mira : public OnlineLearner<Real> {
 public:
  using typename OnlineLearner<Real>::Seen;

  explicit Mira(const Settings& settings)
      : c_(settings.number("C")), cost_(settings.number("cost")), k_(settings.whole("k")), loss_(settings) {}

  void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()>) override {
    structure_ = &structure;
    weights_ = &weights;
    loss_.begin(structure);
  }

  Seen visit(std::int64_t s, double weight) override {
    count_ = 0;
    const auto length = static_cast<std::size_t>(structure_->corpus().length(s));
    structure_->open(s);
    if (loss_.adds_up()) structure_->augment(cost_);
    find(length);
    if (found_.empty()) return {};  // the list is empty: no output is allowed
    const std::int64_t wrong = structure_->wrong(std::span(found_).first(length));
    for (std::size_t from = 0; from < found_.size(); from += length) add_rival(std::span(found_).subspan(from, length));
    return {step(c_ * weight), wrong};
  }

 private:
  // An output that the truth must beat: its difference from the truth, and by how much the margin falls short of its loss.
  struct Rival {
    SummedDifference difference;
    double shortfall = 0;
    double squared_norm = 0;
  };

  // Finds the outputs with the highest score plus loss, one after the other.
  void find(std::size_t length) {
    found_.clear();
    const std::int64_t most = loss_.is_zero_one() ? k_ + 1 : k_;
    if (most > 1) structure_->open_list(most);
    for (std::int64_t n = 0; n < most; ++n) {
      found_.resize(found_.size() + length);
      const auto out = std::span(found_).last(length);
      if (most == 1) {
        structure_->best(out);
      } else if (!structure_->next(out)) {
        found_.resize(found_.size() - length);
        break;
      }
    }
  }

  void add_rival(Codes found) {
    const Codes truth = structure_->target();
    if (count_ == static_cast<std::size_t>(k_) || std::equal(truth.begin(), truth.end(), found.begin())) return;
    if (rivals_.size() == count_) rivals_.emplace_back();
    Rival& rival = rivals_[count_];
    rival.difference.clear();
    delta_.clear();
    structure_->difference(truth, found, false, delta_);
    rival.difference.add(delta_);
    rival.squared_norm = squared_norm(rival.difference.entries());
    rival.shortfall = cost_ * loss_.above_target(*structure_, found) - weights_->dot(rival.difference.entries());
    if (rival.squared_norm > 0) ++count_;  // otherwise no step could separate them
  }

  // Returns whether the weights have changed.
  bool step(double cap) {
    constexpr double rounding = 1e-6;  // a margin that was just reached may fall short by this share of the cost
    const auto rivals = std::span(rivals_).first(count_);
    if (std::ranges::none_of(rivals, [&](const Rival& rival) { return rival.shortfall > rounding * cost_; })) return false;
    std::vector<double> steps{std::clamp(rivals[0].shortfall / rivals[0].squared_norm, 0.0, cap)};
    if (count_ > 1) steps = hildreth_steps(rivals, cap);
    bool changed = false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (steps[i] == 0) continue;
      changed = true;
      weights_->add(rivals[i].difference.entries(), steps[i]);
    }
    return changed;
  }

  static std::vector<double> hildreth_steps(std::span<const Rival> rivals, double cap) {
    const std::size_t n = rivals.size();
    std::vector<double> shortfalls, products(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      shortfalls.push_back(rivals[i].shortfall);
      products[i * n + i] = rivals[i].squared_norm;
      for (std::size_t j = 0; j < i; ++j) products[i * n + j] = products[j * n + i] = rivals[i].difference.dot(rivals[j].difference);
    }
    return hildreth(shortfalls, products, cap);
  }

  double c_, cost_;
  std::int64_t k_;
  ChosenLoss loss_;
  Structure<Real>* structure_ = nullptr;
  Vector<Real>* weights_ = nullptr;

  // Members that are reused to save allocations.
  std::vector<std::int32_t> found_;  // [outputs][length]
  std::vector<Rival> rivals_;        // the first count_ are those of the present sentence
  std::size_t count_ = 0;
  Difference delta_;
};

RIATA_ONLINE_LEARNER("mira", Mira)

}  // namespace riata
