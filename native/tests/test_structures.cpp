// Every structure compared with the list of all its outputs, operation by operation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "inference/offered.hpp"
#include "inference/questions.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

const Poll go_on = [](std::int64_t) { return true; };

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

// Entries of the same place are added up; places that are left out count as 0.
bool same(Difference a, const Difference& b) {
  for (const auto& [place, value] : b) a.push_back({place, -value});
  sum_up(a);
  for (const auto& [place, value] : a) {
    if (std::abs(value) > 1e-8) return false;  // sums over trees leave out several arcs of less than 1e-9
  }
  return true;
}

// Whether the structure answers. An operation that it does not offer must be refused.
template <class Question>
bool answers(Question question) {
  try {
    question();
  } catch (const Error& error) {
    CHECK(error.kind() == "UnsupportedError");
    return false;
  }
  return true;
}

struct Both {
  const Enumerated& in;
  Structure<double>& real;
  ListedStructure<double>& listed;
  Rng& rng;
  std::int64_t s = 0;

  std::size_t length() const { return static_cast<std::size_t>(in.instances.length(s)); }
  const std::vector<ListedOutput>& outputs() const { return in.listing[static_cast<std::size_t>(s)]; }
  void open() {
    real.open(s);
    listed.open(s);
  }

  void check_scores() {
    open();
    for (const ListedOutput& output : outputs()) CHECK(near(real.score(output.codes), listed.score(output.codes)));
  }

  void check_features() {
    open();
    for (int pair = 0; pair < 5; ++pair) {
      const Codes a = outputs()[rng.below(outputs().size())].codes, b = outputs()[rng.below(outputs().size())].codes;
      Difference found, expected, alone;
      real.difference(a, b, false, found);
      listed.difference(a, b, false, expected);
      CHECK(same(found, expected));
      real.features(a, alone);
      real.features(b, expected);  // a - b + b
      CHECK(same(alone, expected));
    }
  }

  void check_loss() {
    open();
    for (const ListedOutput& output : outputs()) CHECK(near(real.loss(output.codes), output.loss));
    CHECK(near(real.least_loss(), listed.least_loss()));
    for (const ListedOutput& output : outputs()) {
      const std::int64_t wrong = real.wrong(output.codes);
      CHECK(wrong == -1 || wrong == static_cast<std::int64_t>(output.loss));  // the Hamming loss counts wrong labels of tokens
    }
  }

  // times: factor of the loss.
  void check_best(double times) {
    open();
    if (times != 0) {
      real.augment(times);
      listed.augment(times);
    }
    Output found(length()), other(length());
    const double score = real.best(found);
    CHECK(near(score, listed.best(other)));
    CHECK(near(score, listed.score(found) + times * listed.loss(found)));
  }

  void check_list(double times) {
    open();
    if (times != 0) {
      real.augment(times);
      listed.augment(times);
    }
    constexpr std::int64_t most = 6;
    real.open_list(most);
    listed.open_list(most);
    std::set<Output> seen;
    Output found(length()), other(length());
    for (std::int64_t n = 0; n < most; ++n) {
      const std::optional<double> score = real.next(found), expected = listed.next(other);
      CHECK(score.has_value() == expected.has_value());
      if (!score) break;
      CHECK(near(*score, *expected) && near(*score, listed.score(found) + times * listed.loss(found)));
      CHECK(seen.insert(found).second);
    }
  }

  void check_sums(double times) {
    for (const double sharpness : {0.3, 1.0, 2.5}) {
      open();
      if (times != 0) {
        real.augment(times);
        listed.augment(times);
      }
      CHECK(near(real.sums(sharpness), listed.sums(sharpness)));
      Difference found, expected;
      real.take_expected(found);
      listed.take_expected(expected);
      CHECK(same(found, expected));
      CHECK(near(real.expected_loss(), listed.expected_loss()));
    }
  }

  // The output with the least expected number of wrong labels.
  void check_risk() {
    const std::vector<double> ones(3, 1);
    const auto loss = [&](Codes gold, Codes output) { return in.token_loss ? in.token_loss(gold, output, ones) : in.loss(gold, output); };
    for (const double sharpness : {0.3, 1.0, 2.5}) {
      open();
      Output found(length());
      real.set_risk({.sharpness = sharpness});
      const ExpectedRight expected = real.least_risk(found);
      const double log_z = listed.sums(sharpness);
      std::vector<double> shares;
      for (const ListedOutput& output : outputs()) shares.push_back(std::exp(sharpness * listed.score(output.codes) - log_z));
      const auto risk = [&](const Output& output) {
        double sum = 0;
        for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] * loss(outputs()[i].codes, output);
        return sum;
      };
      double least = std::numeric_limits<double>::infinity();
      for (const ListedOutput& output : outputs()) least = std::min(least, risk(output.codes));
      CHECK(!std::isinf(listed.score(found)));
      CHECK(near(risk(found), least) && near(expected.all - expected.right, least) && expected.found == expected.all);
    }
  }

  void check_rival() {
    for (const double margin : {0.0, 0.7, 50.0}) {
      open();
      Output found(length()), other(length());
      const bool there = real.rival(margin, found);
      CHECK(there == listed.rival(margin, other));
      CHECK(std::ranges::equal(real.target(), listed.target()));
      if (there) CHECK(near(listed.score(found), listed.score(other)));
    }
  }
};

Output searched(const Enumerated& in, const std::string& queue, std::int64_t width, const std::string& by) {
  return decode(*in.model, in.corpus(), {queue, width, by}, {}, go_on);
}

// A beam that is wide enough for all states must find the best output.
void check_wide_beam(const Enumerated& in, std::int64_t width, const std::string& by) {
  const std::vector<double> scores = scores_of(*in.model, in.corpus(), searched(in, "beam", width, by));
  for (const std::int64_t s : in.order()) {
    double best = in.instances.length(s) == 0 ? 0 : -std::numeric_limits<double>::infinity();
    const Vector<double> weights = Vector<double>::of(in.model->flat());
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) best = std::max(best, weights.dot(output.features));
    CHECK(near(scores[static_cast<std::size_t>(s)], best));
  }
}

void check_space(const Enumerated& in) {
  std::size_t most = 1;  // number of outputs of a sentence; no length has more states
  for (const std::vector<ListedOutput>& outputs : in.listing) most = std::max(most, outputs.size());
  for (const char* by : {"operations", "prefix"}) {
    if (!in.all_ways) break;
    check_wide_beam(in, std::numeric_limits<std::int64_t>::max(), by);
    check_wide_beam(in, static_cast<std::int64_t>(most), by);
  }
  CHECK(searched(in, "beam", 1, "operations") == searched(in, "greedy", 1, "operations"));
}

// What a structure counts after `choose` must be the loss of the last argument, in single outputs and in the best sum of score and loss.
template <class Choose, class LossOf>
void check_chosen_loss(const Enumerated& in, Choose choose, LossOf loss_of) {
  Listing weighed = in.listing;
  for (std::size_t s = 0; s < weighed.size(); ++s) {
    for (ListedOutput& output : weighed[s]) output.loss = loss_of(in.corpus().gold_of(static_cast<std::int64_t>(s)), output.codes);
  }
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto real = std::as_const(*in.model).over(in.corpus(), weights);
  choose(*real);
  ListedStructure<double> listed(weighed, in.corpus(), weights);
  for (const std::int64_t s : in.order()) {
    Output found(static_cast<std::size_t>(in.instances.length(s))), other = found;
    if (found.empty()) continue;
    real->open(s);
    listed.open(s);
    for (const ListedOutput& output : weighed[static_cast<std::size_t>(s)]) CHECK(near(real->loss(output.codes), output.loss));
    if (!in.exact) continue;
    CHECK(near(real->least_loss(), listed.least_loss()));
    CHECK(std::ranges::equal(real->target(), listed.target()));
    CHECK(real->rival(0.7, found) == listed.rival(0.7, other));
    real->open(s);
    real->augment(0.8);
    CHECK(std::ranges::equal(real->target(), listed.target()));
    listed.augment(0.8);
    CHECK(near(real->best(found), listed.best(other)));
  }
}

// Weights of labels must change losses, and the best output of score plus loss.
void check_class_weights(const Enumerated& in) {
  const std::vector<double> by_label{0.5, 2, 1.25};
  check_chosen_loss(
      in, [&](Structure<double>& real) { real.weigh_classes(by_label); },
      [&](Codes gold, Codes output) { return in.weighted_loss(gold, output, by_label); });
}

// The largest product of wrong labels and shortfall, over all outputs.
void check_slack(const Enumerated& in) {
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto real = std::as_const(*in.model).over(in.corpus(), weights);
  ListedStructure<double> listed(in.listing, in.corpus(), weights);
  for (const std::int64_t s : in.order()) {
    Output found(static_cast<std::size_t>(in.instances.length(s)));
    if (found.empty()) continue;
    real->open(s);
    listed.open(s);
    const double truth = listed.score(in.corpus().gold_of(s));
    const auto slack = [&](const ListedOutput& output) { return output.loss * (1 + listed.score(output.codes) - truth); };
    double expected = 0;
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) expected = std::max(expected, slack(output));
    double best = 0;
    if (!answers([&] { best = real->best_by_slack(found); })) return;  // it looks one label back
    CHECK(near(best, expected) && near(best, listed.loss(found) * (1 + listed.score(found) - truth)));
  }
}

void check_other_losses(const Enumerated& in, const std::set<std::string>& offers) {
  const std::vector<double> by_label{0.5, 2, 1.25}, costs{0, 0.5, 2, 3, 0, 0.25, 1, 0, 0};
  CHECK(offers.contains("losses of tokens") == bool(in.token_loss));
  CHECK(offers.contains("costs of labels") == bool(in.cost_loss));
  CHECK(offers.contains("losses of chunks") == bool(in.span_loss));
  for (const std::vector<double>& classes : {std::vector<double>(3, 1), by_label}) {
    if (in.token_loss)
      check_chosen_loss(
          in,
          [&](Structure<double>& real) {
            real.count_tokens();
            real.weigh_classes(classes);
          },
          [&](Codes gold, Codes output) { return in.token_loss(gold, output, classes); });
  }
  if (in.cost_loss)
    check_chosen_loss(
        in, [&](Structure<double>& real) { real.cost_labels(costs); },
        [&](Codes gold, Codes output) { return in.cost_loss(gold, output, costs); });
  if (offers.contains("slack-rescaled argmax") && in.exact) check_slack(in);
  if (!in.span_loss) return;
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto real = std::as_const(*in.model).over(in.corpus(), weights);
  for (const std::int64_t s : in.order()) {
    if (in.instances.length(s) == 0) continue;
    real->open(s);
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)])
      CHECK(near(real->span_loss(output.codes), in.span_loss(in.corpus().gold_of(s), output.codes)));
  }
}

// Differences by class are linear in the weights of labels: a difference is the sum of those in which one label weighs 1 and all others 0,
// each multiplied by the weight of the label. If the structure cannot give the truth, its target may depend on the weights of labels; then
// nothing is compared.
void check_class_differences(const Enumerated& in, Rng& rng) {
  const std::vector<double> by_label{0.5, 2, 1.25}, ones(by_label.size(), 1);
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto real = std::as_const(*in.model).over(in.corpus(), weights);
  for (const std::int64_t s : in.order()) {
    const std::vector<ListedOutput>& outputs = in.listing[static_cast<std::size_t>(s)];
    if (in.instances.length(s) == 0) continue;
    const Codes labels = in.corpus().part(Codes(in.instances.labels), s);
    for (int drawn = 0; drawn < 3; ++drawn) {
      const Output& away = outputs[rng.below(outputs.size())].codes;
      Output target;
      bool same_target = true;
      const auto difference = [&](const std::vector<double>& of_labels, bool by_class) {
        Difference out;
        real->weigh_classes(of_labels);
        real->open(s);
        const Codes now = real->target();
        if (target.empty()) target.assign(now.begin(), now.end());
        same_target = same_target && std::ranges::equal(target, now);
        real->difference(now, away, by_class, out);
        return out;
      };
      const Difference plain = difference({}, false), of_ones = difference(ones, true), unweighted = difference(by_label, false);
      std::vector<Difference> parts;
      for (std::size_t label = 0; label < by_label.size(); ++label) {
        std::vector<double> one(by_label.size(), 0);
        one[label] = by_label[label];
        parts.push_back(difference(one, true));
      }
      const Difference weighted = difference(by_label, true);
      if (!same_target) continue;
      CHECK(same(of_ones, plain));
      CHECK(same(unweighted, plain));
      Difference sum;
      for (std::size_t label = 0; label < by_label.size(); ++label) {
        if (std::ranges::find(labels, static_cast<std::int32_t>(label)) == labels.end()) CHECK(same(parts[label], {}));
        sum.insert(sum.end(), parts[label].begin(), parts[label].end());
      }
      CHECK(same(weighted, sum));
    }
  }
}

void check_structure(const Enumerated& in, Rng& rng) {
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto real = std::as_const(*in.model).over(in.corpus(), weights);
  ListedStructure<double> listed(in.listing, in.corpus(), weights);
  Both both{in, *real, listed, rng};
  const std::set<std::string>& offers = structure_operations().at(in.structure);
  for (both.s = 0; both.s < in.instances.sentences(); ++both.s) {
    if (in.instances.length(both.s) == 0) continue;
    both.check_scores();
    both.check_features();
    CHECK(answers([&] { both.check_loss(); }) || !offers.contains("loss-augmented argmax"));
    const auto checks = [&](const char* operation, auto check) { CHECK(answers(check) == (in.exact && offers.contains(operation))); };
    checks("argmax", [&] { both.check_best(0); });
    checks("k best", [&] { both.check_list(0); });
    checks("loss-augmented argmax", [&] { both.check_best(0.8); });
    checks("loss-augmented argmax", [&] { both.check_list(0.8); });
    checks("argmax", [&] { both.check_rival(); });
    checks("posteriors", [&] { both.check_risk(); });
    checks("expected features", [&] { both.check_sums(0); });
    checks("expected features", [&] { both.check_sums(0.8); });
  }
  if (offers.contains("a search space")) check_space(in);
  CHECK(offers.contains("class weights") == bool(in.weighted_loss));
  check_other_losses(in, offers);
  if (!in.weighted_loss) return;
  check_class_weights(in);
  check_class_differences(in, rng);
}

}  // namespace

int main() {
  Rng rng(5);
  std::set<std::string> checked;
  for (const Case& in : enumerated(rng)) {
    check_structure(*in, rng);
    checked.insert(in->structure);
  }
  checked.insert("kernel-chain");  // whose products are not sums over entries: test_kernel_chain.cpp
  for (const auto& [name, operations] : structure_operations()) CHECK(checked.contains(name));
  return 0;
}
