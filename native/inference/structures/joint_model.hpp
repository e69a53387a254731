// A model of tags and chunk labels that are decided together: its templates, its outputs and their codes, and the weights.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "inference/model.hpp"
#include "models/joint_weights.hpp"

namespace riata {

template <class Real>
class JointModel : public Model<Real> {
 public:
  JointModel(JointTemplates the_templates, JointWeights<Real> the_weights)
      : templates(std::move(the_templates)), weights(std::move(the_weights)) {}

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<JointModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const JointModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights.flat; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus& corpus, Vector<Real>& vector) override;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::vector<std::int32_t> part_tracks() const override { return {weights.coding.tags, weights.coding.chunks}; }
  void parts(Codes output, std::vector<Part>& out) const override {
    const JointCoding& coding = weights.coding;
    for (std::size_t t = 0; t < output.size(); ++t) {
      out.push_back({static_cast<std::int32_t>(t), coding.tag(output[t]).number()});
      out.push_back({static_cast<std::int32_t>(t), coding.tags + coding.chunk(output[t]).number()});
    }
  }
  std::int32_t work() const noexcept override { return weights.coding.tags + weights.coding.chunks; }

  JointTemplates templates;
  JointWeights<Real> weights;
};

extern template class JointModel<float>;
extern template class JointModel<double>;

}  // namespace riata
