// What learners and decoders ask of a structure: questions about the one sentence that is open, under weights that may change in between.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "inference/corpus.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "models/difference.hpp"
#include "models/vector.hpp"

namespace riata {

// A structure over a corpus. It is made for one thread, and answers the questions of the operations that it offers; the others are refused.
// Virtual calls are per sentence: what is done inside one knows its own types.
template <class Real>
class Structure {
 public:
  explicit Structure(const Corpus& corpus) : corpus_(corpus) {}
  virtual ~Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  const Corpus& corpus() const noexcept { return corpus_; }

  // Every question but those about spaces is about the sentence that was opened last, which has a token.
  virtual void open(std::int64_t s) = 0;

  // The output to learn: the truth or, where nothing can give it, what comes closest under the present weights.
  virtual Codes target() = 0;
  // How many tokens have another label than the truth; -1 where outputs are no labels of tokens.
  virtual std::int64_t wrong(Codes) const { return -1; }

  // The best output, and its score.
  virtual double best(std::span<std::int32_t>) { return refuse("the best output"); }

  // The best, the second best, …: `open_list` finds at most so many, `next` gives one after the other.
  virtual void open_list(std::int64_t) { refuse("a list of the best outputs"); }
  virtual std::optional<double> next(std::span<std::int32_t>) { return refuse("a list of the best outputs"); }

  // Adds so many times the loss to the score of every output, until another sentence is opened; and the loss of one.
  virtual void augment(double) { refuse("a loss that adds up over parts"); }
  virtual double loss(Codes) { return refuse("a loss"); }
  // The least loss of any output.
  virtual double least_loss() { return 0; }

  // log Z over all outputs, each of which has the probability exp(sharpness * score) / Z.
  virtual double sums(double) { return refuse("sums over all outputs"); }
  // After `sums`: the expected loss; and adding minus the expected features to a difference, where features that are new enter the weights.
  virtual double expected_loss() { return refuse("sums over all outputs"); }
  virtual void take_expected(Difference&) { refuse("sums over all outputs"); }

  // Appends features of one output, less those of another; features that are new enter the weights, as zeros. Where both have the same
  // feature, it may be left out. Some places may come several times. by_class: what differs at a token counts as much as its true label
  // weighs; `towards` is then the target.
  virtual void difference(Codes towards, Codes away, bool by_class, Difference& out) = 0;
  // Features of one output alone.
  virtual void features(Codes output, Difference& out) = 0;
  // The score of one output; minus infinity where the output is not allowed.
  virtual double score(Codes output) = 0;

  // Weights of labels, for losses and for differences by class.
  virtual void weigh_classes(std::span<const double> weights) {
    if (!weights.empty()) refuse("weights of labels");
  }

  // The output that contradicts the target most: the best one, if it is another; or else the second best, if that is within the margin.
  // False: there is none. away: [tokens]. The target may change with it.
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

  // The space in which a queue searches.
  virtual std::unique_ptr<CorpusSpace> space(const QueueSpec&) { refuse("a search space"); }

 protected:
  // What is missing is named by Python, which asks first.
  [[noreturn]] static double refuse(const std::string& operation) {
    throw Error("UnsupportedError", "this structure does not offer " + operation + ".");
  }

 private:
  Corpus corpus_;
};

}  // namespace riata
