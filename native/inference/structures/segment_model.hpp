// A model of labelled segments: its templates, its segments and their codes, and the weights.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "inference/model.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// Throws if the weights or the sentences were made with another feature index. size: the number of weights.
void check_fit(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentCoding& coding, const GrownRows& grown,
               std::size_t size, const Instances& instances);

// Whether codes cover a corpus without gaps. free: segments may be longer than the longest that the coding allows, as true segments may be.
bool covers(const SegmentCoding& coding, std::span<const std::int64_t> starts, Codes codes, bool free);

template <class Real>
class SegmentModel : public Model<Real> {
 public:
  SegmentModel(SegmentTemplates the_templates, SegmentWeights<Real> the_weights)
      : templates(std::move(the_templates)), weights(std::move(the_weights)) {}

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<SegmentModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const SegmentModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights.flat; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus& corpus, Vector<Real>& vector) override;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::vector<std::int32_t> part_tracks() const override { return {weights.coding.labels}; }
  void parts(Codes output, std::vector<Part>& out) const override {
    for (std::size_t t = 0; t < output.size(); ++t) {
      if (output[t] >= 0) out.push_back({static_cast<std::int32_t>(t), weights.coding.label(output[t]).number()});
    }
  }
  std::int32_t work() const noexcept override { return weights.coding.labels * weights.coding.most.number(); }

  SegmentTemplates templates;
  SegmentWeights<Real> weights;
};

extern template class SegmentModel<float>;
extern template class SegmentModel<double>;

}  // namespace riata
