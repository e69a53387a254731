// A labelled sentence: chunks around words, tags below them.

// Small shares keep a digit, so that they are not shown as nothing.
const percent = (value) => (value >= 0.0995 || value === 0 ? `${Math.round(100 * value)}%` : value < 0.001 ? "< 0.1%" : `${(100 * value).toFixed(1)}%`);

const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

// Where words begin: at the right if the first letter is one of a script that is written from there.
function direction(tokens) {
  const first = tokens.join(" ").match(/\p{L}/u);
  return first && FROM_RIGHT.test(first[0]) ? "rtl" : "ltr";
}

function hued(element, model, label) {
  element.style.setProperty("--h", model.hues[label] ?? 215);
  return element;
}

// How sure a model is of a label: a confidence or, of models that are not calibrated, a margin, which is a difference of scores.
function sureness(confidence, margin) {
  if (confidence !== undefined && confidence !== null) return percent(confidence);
  return margin === undefined || margin === null ? "" : `+${margin.toPrecision(2)}`;
}

function sure(confidence, margin) {
  const text = sureness(confidence, margin);
  return text ? made("span", { class: "sure" }, text) : null;
}

function wordView(sentence, model, at, differing, name) {
  const text = made("span", { class: "text" }, sentence.tokens[at]);
  const word = made("span", { class: differing?.has(at) ? "word differs" : "word" }, text);
  if (name) {
    const label = sentence[name][at];
    const tag = made("span", { class: label === null ? "tag none" : "tag" }, label ?? "–", sure(sentence.confidence?.[name]?.[at], sentence.margin?.[name]?.[at]));
    word.append(hued(tag, model, label));
  }
  return word;
}

// name: the output to show below words, if there is one.
function sentenceView(sentence, model, differing) {
  const name = model.outputs.find((output) => !sentence.spans || output === "tags");
  const row = made("div", { class: "words", dir: direction(sentence.tokens) });
  const starts = new Map((sentence.spans || []).map((span) => [span.start, span]));
  for (let at = 0; at < sentence.tokens.length; at++) {
    const span = starts.get(at);
    if (!span) {
      const word = wordView(sentence, model, at, differing, name);
      word.classList.add("alone");
      row.append(word);
      continue;
    }
    const inside = made("span", { class: "inside" });
    for (; at < span.end; at++) inside.append(wordView(sentence, model, at, differing, name));
    at--;
    const kind = made("span", { class: "kind" }, span.label, sure(span.confidence, span.margin));
    row.append(hued(made("span", { class: "chunk" }, inside, kind), model, span.label));
  }
  return row;
}

// One of several outputs, in a line.
function briefly(one, model, tokens) {
  const bits = made("span", { class: "bits", dir: direction(tokens) });
  if (one.spans) {
    for (const span of one.spans) bits.append(made("span", {}, `${span.text} `, made("b", {}, span.label)));
    if (!one.spans.length) bits.append("nothing");
    return bits;
  }
  const labels = one[model.outputs.at(-1)];
  tokens.forEach((token, i) => bits.append(made("span", {}, `${token} `, made("b", {}, one.heads ? `${labels[i]} ${one.heads[i]}` : labels[i]))));
  return bits;
}

function bestView(sentence, model) {
  const rows = sentence.nbest.map((one, i) => {
    const value = one.probability === undefined ? one.score.toFixed(2) : percent(one.probability);
    return made("tr", {}, made("th", { scope: "row" }, String(i + 1)), made("td", {}, briefly(one, model, sentence.tokens)), made("td", {}, value));
  });
  const what = sentence.nbest[0]?.probability === undefined ? "score" : "probability";
  return made("div", { class: "best" }, made("table", {}, made("caption", {}, `The best outputs, with their ${what}`), made("tbody", {}, ...rows)));
}
