// From what is typed and set to requests, and their answers.

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’.,\-][\p{L}\p{N}\p{M}]+)*|\S/gu;

// The tokens of a sentence. Punctuation is separated unless columns are typed, as in bus/NN.
function tokensOf(text, separate) {
  return (separate ? text.match(WORD) : text.trim().split(/\s+/)) || [];
}

// The input of a request: tokens, or rows where the model reads more. tagger: a model that gives the second column, or null.
async function inputFor(model, text, separate, tagger, signal) {
  if (model.columns === 1) return { tokens: tokensOf(text, separate) };
  if (tagger) {
    const tokens = tokensOf(text, separate);
    const answer = await fetched("predict", { model: tagger, tokens }, signal);
    const [sentence] = answer.sentences;
    return { rows: tokens.map((token, i) => [token, (sentence.labels || sentence.tags)[i]]) };
  }
  const rows = text.trim().split(/\s+/).map((typed) => typed.split("/"));
  const bad = rows.find((row) => row.length !== model.columns || row.includes(""));
  if (bad) throw new Error(`The model ${model.name} reads ${model.columns} columns. Write each token as ${example(model)}; found ${bad.join("/")}.`);
  return { rows };
}

function example(model) {
  return ["bus", "NN", "a", "b", "c"].slice(0, model.columns).join("/");
}

// What to ask of a model: its own search unless a beam is set, and constraints as the switches say.
function request(model, input, set) {
  const ask = { model: model.name, ...input };
  if (set.beam && model.offers.beam) ask.beam = set.beam;
  if (set.rule && model.offers.constraints) ask.constraints = [set.rule];
  else if (model.constraints.length && !set.keep) ask.constraints = false;
  return ask;
}

// Whether a model has all labels that a constraint names, between quotes.
function knowsLabels(model, rule) {
  const named = [...rule.matchAll(/["']([^"']+)["']/g)].map((found) => found[1].replace(/^[BIESLU]-/, ""));
  return named.every((label) => model.labels.includes(label));
}

// With all that is shown beside labels.
function withDetails(model, ask, set) {
  const more = {};
  const exact = model.queue === "exact" && !ask.beam, rules = keepsRules(model, ask);
  if (set.confidence && model.offers.confidence && (exact || !rules)) more.confidence = true;
  if (set.nbest && model.offers.nbest && exact && !rules) more.nbest = 5;
  return { ...ask, ...more };
}

function keepsRules(model, ask) {
  return Array.isArray(ask.constraints) || (model.constraints.length > 0 && ask.constraints !== false);
}

// The same question without any constraint; null if none is kept.
function withoutRules(model, ask) {
  return keepsRules(model, ask) ? { ...ask, constraints: Array.isArray(ask.constraints) && !model.constraints.length ? undefined : false } : null;
}

// What is decided of every token, as text: to tell where two outputs differ.
function decisions(sentence, names) {
  return sentence.tokens.map((_, i) => names.map((name) => sentence[name][i]).join(" "));
}

// The tokens at which two outputs differ, or null if they cannot be compared.
function differences(one, other, names) {
  if (!other || !names.every((name) => other[name]) || one.tokens.length !== other.tokens.length) return null;
  const a = decisions(one, names), b = decisions(other, names);
  return new Set(a.map((_, i) => i).filter((i) => a[i] !== b[i]));
}
