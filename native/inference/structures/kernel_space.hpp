// The space of a chain scored by a kernel function: that of its inner chain, with the places of support tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "inference/search/corpus_space.hpp"
#include "inference/structures/kernel_structure.hpp"

namespace riata {

template <class Real>
class KernelSpace : public CorpusSpace {
 public:
  KernelSpace(KernelStructure<Real>& structure, std::unique_ptr<CorpusSpace> inner) : structure_(structure), inner_(std::move(inner)) {}

  void open(std::int64_t sentence, bool with_truth) override {
    sentence_ = sentence;
    structure_.score_tokens(sentence);
    inner_->open(sentence, with_truth);
  }
  void check_truth(std::int64_t sentence) const override { inner_->check_truth(sentence); }
  void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const override { inner_->codes(path, out); }
  void parts(StateId from, ActionId action, std::vector<Part>& out) const override { inner_->parts(from, action, out); }
  std::int32_t decided(StateId state) const override { return inner_->decided(state); }
  void regrets(std::span<const std::int32_t> output, std::vector<double>& out) override { inner_->regrets(output, out); }
  std::size_t tracks() const override { return inner_->tracks(); }
  void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t apart,
             double* out) override {
    inner_->units(lattice, output, chunks, apart, out);
  }

  StateId initial() override { return inner_->initial(); }
  bool is_goal(StateId state) override { return inner_->is_goal(state); }
  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override {
    inner_->expand(tree, frontier, ranking, learning, out);
  }
  StateId apply(StateId state, ActionId action) override { return inner_->apply(state, action); }
  double initial_regret() override { return inner_->initial_regret(); }
  double regret(const Tree& tree, NodeId node) override { return inner_->regret(tree, node); }
  bool merges() const override { return inner_->merges(); }
  std::int64_t key(const Tree& tree, NodeId node) override { return inner_->key(tree, node); }
  bool keyed() const override { return inner_->keyed(); }
  std::int32_t covered(const Tree& tree, NodeId node) const override { return inner_->covered(tree, node); }
  double step_score(const Tree& tree, NodeId node) override { return inner_->step_score(tree, node); }
  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    const std::size_t from = out.size();
    inner_->features(tree, node, out);
    for (std::size_t k = from; k < out.size(); ++k) out[k].first = structure_.outer(sentence_, out[k].first);
    structure_.make_room();
  }
  std::int64_t step_identity(const Tree& tree, NodeId node) override { return inner_->step_identity(tree, node); }
  void looking_aside(bool is) override { inner_->looking_aside(is); }
  void weights_changed() override {
    structure_.score_tokens(sentence_);
    inner_->weights_changed();
  }

 private:
  KernelStructure<Real>& structure_;
  std::unique_ptr<CorpusSpace> inner_;
  std::int64_t sentence_ = 0;
};

}  // namespace riata
