// Labelled segments over a corpus: exact search one label back, sums, losses, features, and the space of the other searches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/exact/closest_segments.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/exact/semi_markov_list.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "inference/structure.hpp"
#include "inference/structures/segment_class_weights.hpp"
#include "inference/structures/segment_lattice.hpp"
#include "inference/structures/segment_model.hpp"
#include "inference/structures/segment_risk.hpp"
#include "inference/structures/segment_steps.hpp"
#include "losses/segment_tokens.hpp"
#include "losses/segments.hpp"

namespace riata {

template <class Real>
class SegmentStructure : public Structure<Real> {
 public:
  SegmentStructure(SegmentModel<Real>& model, const Corpus& over, Vector<Real>& vector, bool grows);

  void open(std::int64_t s) override;
  Codes target() override;
  double best(std::span<std::int32_t> out) override { return exact_(exact_steps(), out.data()); }
  void open_list(std::int64_t) override { list_.open(exact_steps()); }
  std::optional<double> next(std::span<std::int32_t> out) override { return list_.next(out.data()); }
  void augment(double times) override;
  double loss(Codes output) override;
  double least_loss() override {
    return by_loss([](const auto& loss) -> double { return loss.least(0); });
  }
  void count_tokens() override { counts_tokens_ = true; }
  double span_loss(Codes output) override;
  double sums(double sharpness) override { return sums_.open(exact_steps(), sharpness); }
  double expected_loss() override {
    return by_loss([&](const auto& loss) { return lattice_.expected_loss(steps_, loss); });
  }
  void take_expected(Difference& out) override;
  void count_improbable() override { lattice_.count_above(0); }
  void set_risk(const Risk& risk) override { risk_.set(risk); }
  ExpectedRight least_risk(std::span<std::int32_t> out) override;
  void weigh_classes(std::span<const double> weights) override;
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override;
  double score(Codes output) override;
  bool rival(double margin, std::span<std::int32_t> away) override;
  std::unique_ptr<CorpusSpace> space(const QueueSpec& queue) override;

  // Features with a smaller posterior are ignored in steps that move away from all outputs.
  static constexpr double least_posterior = 1e-6;

 private:
  using Structure<Real>::corpus;
  SegmentSteps<Real>& exact_steps();
  const SegmentLoss& loss_of_truth();
  const SegmentTokenLoss& token_loss_of_truth();
  // ask(loss): with the loss that counts, which class weights change.
  template <class Ask>
  auto by_loss(Ask ask) {
    if (counts_tokens_) return ask(token_loss_of_truth());
    return class_weights_.any() ? ask(class_weights_) : ask(loss_of_truth());
  }
  bool reachable() const;
  double find_closest();
  void find_shared(Codes one, Codes other);
  enum class Adds { nothing, rows, all };  // rows: new rows are added to the model, without a number in the difference
  template <class What>
  void add_features(Codes output, double sign, bool by_class, What what, Difference& out);

  SegmentModel<Real>& model_;
  const SegmentCoding& coding_;
  Vector<Real>& vector_;
  bool grows_;
  SegmentSteps<Real> steps_;
  SemiMarkov<Real> exact_;
  ClosestSegments<Real> closest_;
  SemiMarkovList list_;
  SemiMarkovSums<Real> sums_;
  SegmentLattice<Real> lattice_;
  SegmentRisk<Real> risk_;
  SegmentLoss loss_;
  SegmentTokenLoss token_loss_;
  bool counts_tokens_ = false;
  SegmentClassWeights class_weights_;
  Codes gold_;
  bool loss_open_ = false;
  std::vector<std::uint8_t> shared_;  // [T] whether two outputs share the segment that starts at the token
  std::vector<std::int32_t> target_;  // the segmentation closest to a truth that cannot be reached,
  bool closest_known_ = false;        // if it has been computed
};

extern template class SegmentStructure<float>;
extern template class SegmentStructure<double>;

}  // namespace riata
