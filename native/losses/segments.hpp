// The loss of segmentations: the number of wrong segments plus the number of missed true segments. Also the least loss that the rest of a
// sentence can add.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/segment_weights.hpp"

namespace riata {

// Writes to least, [T + 1], the least loss that the tokens from each token on can add. gold: [T] as in SegmentLoss::open.
// of_wrong(t, length): what a wrong segment adds to the loss.
template <class Number, class OfWrong>
void find_least_loss(const SegmentCoding& coding, std::span<const std::int32_t> gold, OfWrong of_wrong, std::vector<Number>& least) {
  const auto length = static_cast<std::int32_t>(gold.size());
  const bool longer = coding.labels > (coding.outside ? 1 : 0);  // whether there is a label that longer segments may have
  const Length most = longer ? coding.most : Length(1);
  least.assign(gold.size() + 1, Number{0});
  for (std::int32_t t = length - 1; t >= 0; --t) {
    const bool reachable = gold[t] >= 0 && coding.allows(coding.length(gold[t]), coding.label(gold[t]));
    Number best = reachable ? least[t + coding.length(gold[t])] : std::numeric_limits<Number>::max();
    for (Length l(1); l <= std::min(most, Length(length - t)); ++l) best = std::min(best, of_wrong(t, l) + least[t + l]);
    least[t] = best;
  }
}

class SegmentLoss {
 public:
  explicit SegmentLoss(const SegmentCoding& coding) : coding_(coding) {}

  // gold: [T] the code of the segment that starts at each token, -1 inside segments.
  void open(std::span<const std::int32_t> gold) {
    gold_ = gold;
    const auto length = static_cast<std::int32_t>(gold.size());
    before_.assign(gold.size() + 1, 0);
    for (std::int32_t t = 0; t < length; ++t) before_[t + 1] = before_[t] + (gold[t] >= 0);
    find_least_loss(coding_, gold, [&](std::int32_t t, Length l) { return of_wrong(t, l); }, least_);
  }

  // What a segment adds to the loss: 0 if it is true; otherwise 1, plus the number of true segments that begin within it.
  std::int32_t of(std::int32_t t, Length length, LabelId label) const noexcept {
    return coding_.code(length, label) == gold_[t] ? 0 : of_wrong(t, length);
  }
  std::int32_t of_wrong(std::int32_t t, Length length) const noexcept { return 1 + starts_in(t, length); }
  std::int32_t gold(std::int32_t t) const noexcept { return gold_[t]; }

  // The least loss that the tokens from t on can add.
  std::int32_t least(std::int32_t t) const noexcept { return least_[t]; }
  // Whether a segment at token t belongs to an output with the least loss that the tokens from t on can add.
  bool is_least(std::int32_t t, Length length, LabelId label) const noexcept {
    return of(t, length, label) + least_[t + length] == least_[t];
  }

 private:
  std::int32_t starts_in(std::int32_t t, Length length) const noexcept { return before_[t + length] - before_[t]; }

  const SegmentCoding& coding_;
  std::span<const std::int32_t> gold_;
  std::vector<std::int32_t> before_;  // [T + 1] number of true segments that begin before each token
  std::vector<std::int32_t> least_;   // [T + 1] the least loss from each token on
};

}  // namespace riata
