// Exact probabilities of labels and chunks of a sentence under a chain that reads two labels back, over all labellings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inference/exact/second_order.hpp"
#include "inference/exact/second_order_log_sums.hpp"
#include "inference/exact/second_order_sums.hpp"
#include "inference/search/corpus_space.hpp"

namespace riata {

// Sums over labellings are computed with factors or, if these underflow or overflow, with logarithms.
template <class Real>
class SecondOrderPosteriors {
 public:
  explicit SecondOrderPosteriors(std::int32_t labels);

  // Divides all scores by the temperature and returns log Z. The scores must not change while probabilities are asked for.
  double open(const SecondOrderScores<Real>& scores, double temperature);

  // The probability of label j at token t.
  double of(std::size_t t, std::size_t j) const noexcept {
    return logarithms_ ? logs_.posterior(t, j) : double(posterior_[t * stride_ + j]);
  }

  // The probability of the labels h, i and j at tokens t - 2 to t; at token 1, h must be 0.
  double of(std::size_t t, std::size_t h, std::size_t i, std::size_t j) const;
  // Writes the probability of every pair of labels at tokens t - 1 and t to out, [labels][labels], the earlier label first; at token 0 the
  // earlier label is 0.
  void fill_pairs(std::size_t t, std::vector<double>& out);

  // The probability that the tokens from first to end - 1 are a chunk of the type that the labels `found`, [tokens of the sentence], give
  // it.
  double unit(const ChunkFlags& chunks, const std::int32_t* found, std::size_t first, std::size_t end);

 private:
  double own(std::size_t t, std::size_t j) const noexcept { return double(scores_->chain.node[t * stride_ + j]) / temperature_; }
  std::size_t height(std::size_t t) const noexcept { return t == 1 ? 1 : labels_; }
  void make_room();
  void score(std::size_t t, Real* out) const;
  TripleFactors<Real> cube(std::size_t t);
  // The score of the labels h, i and j at tokens t - 2 to t.
  double triple(std::size_t t, std::size_t h, std::size_t i, std::size_t j) const;
  // Tables of label pairs are [labels][labels], the earlier label first; at token 0 the earlier label is 0.
  // Carries probabilities one token further. shares: for every pair at tokens t - 2 and t - 1, the share of its probability that counts.
  // out: for every pair at tokens t - 1 and t, the probability that comes from these shares.
  void step(std::size_t t, const std::vector<double>& shares, std::vector<double>& out);

  std::size_t labels_, stride_, length_ = 0;
  const SecondOrderScores<Real>* scores_ = nullptr;
  double temperature_ = 1;
  bool logarithms_ = false;
  SecondOrderSums<Real> sums_;
  SecondOrderLogSums logs_;
  std::vector<Real> node_, posterior_, from_, into_;  // as SecondOrderSums writes them
  std::vector<Real> pairs_;                           // [length][label before][stride] probabilities of pairs; not used at token 0
  bool shared_ = false;                               // whether all tokens from 2 on have the same scores of three labels
  std::vector<Real> cubes_;          // [slots][labels][height][stride] factors of the steps into tokens, as far as they are kept
  std::vector<std::size_t> filled_;  // [slots] the token whose factors a slot contains; 0: none
  std::vector<double> highest_at_;   // [length] the highest score of the step into a token; if they are shared, that of token 2
  std::vector<Real> rows_;           // the highest score of each row of a cube
};

extern template class SecondOrderPosteriors<float>;
extern template class SecondOrderPosteriors<double>;

}  // namespace riata
