// What learners and decoders ask of a structure: questions about the one open sentence, under weights that may change between two
// questions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "inference/corpus.hpp"
#include "inference/risk.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "inference/single_weights.hpp"
#include "models/difference.hpp"
#include "models/vector.hpp"

namespace riata {

// A structure over a corpus, for one thread. It answers the questions of the operations that it offers, and refuses the others. Virtual
// calls are made per sentence; the code within a call knows the types of its structure.
template <class Real>
class Structure {
 public:
  explicit Structure(const Corpus& corpus) : corpus_(corpus) {}
  virtual ~Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  const Corpus& corpus() const noexcept { return corpus_; }

  // Sets a function that long questions call now and then; it throws to end them.
  void hear(std::function<void()> poll) { poll_ = std::move(poll); }

  // Tells which sentences will be opened, in this order, so that work for them can be done ahead; without it, all in their order.
  virtual void expect(std::span<const std::int64_t>) {}
  // Called after every example that is learnt from one by one: the structure may drop features, so that it stays small.
  virtual void settle() {}

  // All questions except `single_weights` and `space` are about the sentence that was opened last, which must have a token.
  virtual void open(std::int64_t s) = 0;

  // The output to learn: the truth or, if the structure cannot give it, the output closest to it under the present weights.
  virtual Codes target() = 0;
  // How many tokens have another label than the truth; -1 if outputs are not labels of tokens.
  virtual std::int64_t wrong(Codes) const { return -1; }

  // Writes the best output and returns its score.
  virtual double best(std::span<std::int32_t>) { return refuse("the best output"); }

  // Lists the best output, the second best, and so on: `open_list` is given the largest number of outputs that will be needed; `next`
  // writes one after the other and returns its score, or nothing after the last.
  virtual void open_list(std::int64_t) { refuse("a list of the best outputs"); }
  virtual std::optional<double> next(std::span<std::int32_t>) { return refuse("a list of the best outputs"); }

  // `augment` adds `times` times the loss to the score of every output, until another sentence is opened; `loss` is the loss of one output.
  virtual void augment(double) { refuse("a loss that adds up over parts"); }
  virtual double loss(Codes) { return refuse("a loss"); }
  // The least loss of any output.
  virtual double least_loss() { return 0; }

  // What `augment`, `loss` and `least_loss` count, for all sentences that are opened from now on. At first, this is the structure's own
  // loss. count_tokens: the number of tokens with a wrong label. cost_labels: [labels][labels] the cost of every label by the true label
  // before it, added up over tokens; the diagonal is 0.
  virtual void count_tokens() { refuse("a loss that counts tokens"); }
  virtual void cost_labels(std::span<const double>) { refuse("costs of labels"); }
  // Writes the output with the largest loss * (1 + score - score of the target), where the loss counts wrong tokens, and returns this
  // number; 0 for the target itself.
  virtual double best_by_slack(std::span<std::int32_t>) { return refuse("a search for the largest rescaled slack"); }
  // 1 - F1 of the chunks of an output.
  virtual double span_loss(Codes) { return refuse("chunks"); }

  // log Z over all outputs, each of which has the probability exp(sharpness * score) / Z. Scores include what `augment` has added.
  virtual double sums(double) { return refuse("sums over all outputs"); }
  // After `sums`: the expected loss; and subtracting the expected features from a difference. New features are added to the weights.
  virtual double expected_loss() { return refuse("sums over all outputs"); }
  virtual void take_expected(Difference&) { refuse("sums over all outputs"); }
  // Makes both count parts of outputs that are hardly probable, which a structure may leave out otherwise.
  virtual void count_improbable() {}

  // `set_risk` says what counts as an error, for all sentences that are opened from now on, and may be called again; what the flags view
  // must outlive it. `least_risk` then writes the output of least expected loss, over all outputs.
  virtual void set_risk(const Risk&) { refuse("probabilities of labels"); }
  virtual ExpectedRight least_risk(std::span<std::int32_t>) { return refuse("probabilities of labels"), ExpectedRight{}; }

  // Appends the features of one output minus those of another. New features are added to the weights, as zeros. Features that both outputs
  // have may be left out, and a place may occur several times. by_class: whether the features of a token are multiplied by the class weight
  // of its true label; `towards` must then be the target.
  virtual void difference(Codes towards, Codes away, bool by_class, Difference& out) = 0;
  // Appends the features of one output.
  virtual void features(Codes output, Difference& out) = 0;
  // The score of one output. A structure may return minus infinity for an output that its constraint forbids; not all of them check this.
  virtual double score(Codes output) = 0;

  // Sets weights of labels, which multiply losses and differences by class; empty: all labels weigh 1.
  virtual void weigh_classes(std::span<const double> weights) {
    if (!weights.empty()) refuse("weights of labels");
  }

  // Finds the output that contradicts the target most: the best output, if it is not the target; otherwise the second best, if its score is
  // within `margin` of the best. Returns false if there is none. away: [tokens]. The target may change by this call.
  virtual bool rival(double margin, std::span<std::int32_t> away) {
    const double score = best(away);
    const Codes truth = target();
    if (!std::equal(truth.begin(), truth.end(), away.begin())) return true;
    if (margin <= 0) return false;
    open_list(2);
    next(away);
    const std::optional<double> second = next(away);
    return second && *second >= score - margin;
  }

  // The features of all sentences, for learning one weight at a time from the present weights on. sentence_weights: [sentences] or empty;
  // sentences of weight 0 are left out. The structure must outlive it.
  virtual std::unique_ptr<SingleWeights> single_weights(std::span<const double>) { refuse("changes of single weights"); }

  // The space that a queue searches.
  virtual std::unique_ptr<CorpusSpace> space(const QueueSpec&) { refuse("a search space"); }

 protected:
  void poll() const {
    if (poll_) poll_();
  }

  // A last resort: Python asks for the operations beforehand, and names the missing one.
  [[noreturn]] static double refuse(const std::string& operation) {
    throw Error("UnsupportedError", "this structure does not offer " + operation + ".");
  }

 private:
  Corpus corpus_;
  std::function<void()> poll_;
};

}  // namespace riata
