// The input with output and truth beneath: token by token, or in rows where they are not of one length.

const MOST_TOKENS = 1000;

function showSentence(data, jump) {
  const box = byId("sentence");
  const fits = (labels) => labels === null || labels.length === data.input.length;
  const byToken = fits(data.output) && fits(data.best) && fits(data.without) && fits(data.restarted) && fits(data.truth) && (data.output !== null || data.truth !== null);
  box.append(byToken ? tokenByToken(data, jump) : inRows(data));
}

// The tokens at which things went wrong: where the search lost the truth or, of an exact model, the first error.
function lostTokens(data) {
  const first = () => data.input.findIndex((_, i) => said(data.output[i]) !== said(data.truth[i]));
  data.lostTokens ??= new Set(!data.exact ? data.verdict.losses.map((loss) => loss.token) : isWrong(data) ? [first()] : []);
  return data.lostTokens;
}

// Outputs may be written in more than one way: what the search calls right is not compared with the truth.
function isWrong(data) {
  return data.output !== null && data.truth !== null && data.verdict.kind !== "right";
}

function tokenByToken(data, jump) {
  const tokens = data.input.slice(0, MOST_TOKENS).map((token, i) => oneToken(data, i, jump));
  const rest = data.input.length - MOST_TOKENS;
  if (rest > 0) tokens.push(theOthers(rest, (list) => list.append(...data.input.slice(MOST_TOKENS).map((token, i) => oneToken(data, MOST_TOKENS + i, jump)))));
  const named = ["without", "output", "restarted", "best", "truth"].filter((name) => data[name]);
  const heads = make("li", { class: "token heads", "aria-hidden": "true" },
    make("span", { class: "word" }, "input"), ...named.map((name) => make("span", { class: "label" }, name === "restarted" ? "with restarts" : name)));
  return make("ol", { class: "tokens" }, heads, ...tokens);
}

// A button that brings the rest of a long sentence.
function theOthers(count, show) {
  const item = make("li", { class: "token" }, make("button", { type: "button", click: () => {
    const list = item.parentElement;
    item.remove();
    show(list);
  } }, `Show ${counted(count, "more token", "more tokens")}`));
  return item;
}

function oneToken(data, i, jump) {
  const lost = lostTokens(data).has(i);
  const wrong = isWrong(data) && said(data.output[i]) !== said(data.truth[i]);
  const word = quoted(data.input[i], jump ? "button" : "span", jump
    ? { class: "word", type: "button", title: `To the step of token ${i + 1}`, click: () => jump(i) } : { class: "word" });
  return make("li", { class: `token${wrong ? " wrong" : ""}${lost ? " lost" : ""}` }, word,
    data.without && label(data.without[i], said(data.without[i]) === said(data.output[i]) ? "without" : "without differs", ""),
    data.output && label(data.output[i], wrong ? "output wrong" : "output", wrong ? "≠ " : ""),
    data.restarted && label(data.restarted[i], said(data.restarted[i]) === said(data.output[i]) ? "restarted" : "restarted differs", ""),
    data.best && label(data.best[i], said(data.best[i]) === said(data.output[i]) ? "best" : "best differs", ""),
    data.truth && label(data.truth[i], "truth", wrong ? "✓ " : ""),
    lost ? data.exact ? make("span", { class: "first-error", title: "The first label that is wrong" }, "first error")
      : make("span", { class: "fell", title: "The search lost the truth here" }, "lost here") : null);
}

function label(value, kind, mark) {
  const name = kind.split(" ")[0];
  return make("span", { class: `label ${kind}` }, make("span", { class: "unseen" }, ` ${name} ${mark ? "(differs) " : ""}`), mark, quoted(value));
}

function inRows(data) {
  const wrong = isWrong(data);
  const row = (name, values, mark = "") => values && [
    make("dt", {}, name), make("dd", { class: mark ? "wrong" : "" }, mark, ...values.map((value) => quoted(value, "span", { class: "value" }))),
  ];
  const rows = [row("input", data.input), row("without constraints", data.without), row("output", data.output, wrong ? "≠ " : ""), row("with restarts", data.restarted), row("best", data.best), row("truth", data.truth)];
  return make("dl", { class: "rows" }, ...rows.filter(Boolean).flat());
}
