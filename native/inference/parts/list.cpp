#include "inference/parts/list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace riata {
namespace {

class Chooser final : public PartSolver {
 public:
  void open(const OutputSet&, std::span<const double> scores) override { scores_ = scores; }

  std::optional<double> best(std::vector<std::int32_t>& parts) override {
    const auto found = std::ranges::max_element(scores_);
    return give(found == scores_.end() ? -1 : static_cast<std::int32_t>(found - scores_.begin()), parts);
  }
  void open_list() override {
    ranked_.resize(scores_.size());
    std::iota(ranked_.begin(), ranked_.end(), 0);
    std::ranges::stable_sort(ranked_, std::greater<>(), [&](std::int32_t part) { return at(part); });
    given_ = 0;
  }
  std::optional<double> next(std::vector<std::int32_t>& parts) override {
    return give(given_ == ranked_.size() ? -1 : ranked_[given_++], parts);
  }
  double sums(std::span<double> shares) override {
    const double most = scores_.empty() ? never : *std::ranges::max_element(scores_);
    std::ranges::fill(shares, 0);
    shares_ = shares;
    if (most == never) return never;
    double sum = 0;
    for (std::size_t p = 0; p < scores_.size(); ++p) sum += shares[p] = std::exp(scores_[p] - most);
    for (double& share : shares) share /= sum;
    return most + std::log(sum);
  }
  void draw(Rng& rng, std::vector<std::int32_t>& parts) override {
    double left = static_cast<double>(rng.next() >> 11) * 0x1p-53;
    std::int32_t chosen = -1;
    for (std::size_t p = 0; p < shares_.size() && left >= 0; ++p) {
      if (shares_[p] > 0) chosen = static_cast<std::int32_t>(p);
      left -= shares_[p];
    }
    parts.assign(1, chosen);
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  double at(std::int32_t part) const noexcept { return scores_[static_cast<std::size_t>(part)]; }
  std::optional<double> give(std::int32_t part, std::vector<std::int32_t>& parts) const {
    parts.clear();
    if (part < 0 || at(part) == never) return std::nullopt;
    parts.push_back(part);
    return at(part);
  }

  std::span<const double> scores_;
  std::span<double> shares_;
  std::vector<std::int32_t> ranked_;
  std::size_t given_ = 0;
};

}  // namespace

std::unique_ptr<PartSolver> CandidateList::solver() const { return std::make_unique<Chooser>(); }

}  // namespace riata
