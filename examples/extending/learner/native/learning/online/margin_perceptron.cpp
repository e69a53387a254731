// The perceptron with a margin: a step wherever the truth is not far enough ahead of the best other output.
#include <cstdint>
#include <functional>
#include <vector>

#include "learning/online/learner.hpp"

namespace riata {

template <class Real>
class MarginPerceptron : public OnlineLearner<Real> {
 public:
  explicit MarginPerceptron(const Settings& settings) : margin_(settings.number("margin")) {}

  void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()>) override {
    structure_ = &structure;
    weights_ = &weights;
  }

  typename OnlineLearner<Real>::Seen visit(std::int64_t s, double weight) override {
    found_.resize(static_cast<std::size_t>(structure_->corpus().length(s)));
    structure_->open(s);
    if (!structure_->rival(margin_, found_)) return {};
    const std::int64_t wrong = structure_->wrong(found_);
    delta_.clear();
    structure_->difference(structure_->target(), found_, true, delta_);
    weights_->add(delta_, weight);
    return {true, wrong};
  }

 private:
  double margin_;
  Structure<Real>* structure_ = nullptr;
  Vector<Real>* weights_ = nullptr;
  std::vector<std::int32_t> found_;
  Difference delta_;
};

RIATA_ONLINE_LEARNER("margin-perceptron", MarginPerceptron)

}  // namespace riata
