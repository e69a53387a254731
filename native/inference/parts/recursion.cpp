#include "inference/parts/recursion.hpp"

#include <algorithm>

#include "inference/tape/list.hpp"
#include "inference/tape/sums.hpp"

namespace riata {
namespace {

class RecursionSolver final : public PartSolver {
 public:
  void open(const OutputSet& set, std::span<const double> scores) override {
    tape_ = &static_cast<const Recursion&>(set).tape();
    scores_ = scores;
  }
  std::optional<double> best(std::vector<std::int32_t>& parts) override {
    open_list();
    return next(parts);
  }
  void open_list() override { std::ranges::copy(scores_, list_.open(*tape_)); }
  std::optional<double> next(std::vector<std::int32_t>& parts) override {
    const std::optional<double> score = list_.next(found_);
    parts.clear();
    for (const auto& part : found_) parts.push_back(part.cell);
    if (!score) parts.clear();
    return score;
  }
  double sums(std::span<double> shares) override {
    std::ranges::copy(scores_, sums_.open(*tape_));
    const double log_z = sums_.fill();
    for (std::size_t p = 0; p < shares.size(); ++p) shares[p] = sums_.share(static_cast<Cell>(p));
    return log_z;
  }
  void draw(Rng& rng, std::vector<std::int32_t>& parts) override {
    parts.clear();
    sums_.draw(rng, [&](Cell part) { parts.push_back(part); });
  }

 private:
  const Tape* tape_ = nullptr;
  std::span<const double> scores_;
  TapeList<double> list_;
  TapeSums sums_;
  std::vector<TapeList<double>::Part> found_;
};

}  // namespace

std::unique_ptr<PartSolver> Recursion::solver() const { return std::make_unique<RecursionSolver>(); }

}  // namespace riata
