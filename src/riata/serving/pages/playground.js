// The playground: what is set, what is asked, and what is shown of the answers.

const WIDTHS = [1, 2, 3, 4, 5, 8, 10, 16, 25, 50, 100];
const EXAMPLES = ["The old man saw the dog with a telescope .", "Ann Baker flew from Paris to New York on Monday .", "It rained, but nobody stayed at home."];
const WATCHED = "Every state that was kept or dropped, step by step, and the features that decided.";
const WAIT = 120; // milliseconds after the last key
const CONTROLS = ["model", "other", "tagger", "beam", "keep", "try", "rule", "confidence", "nbest", "split"];

let models = [];
let pending = null, timer = 0, shownAsk = null;

const named = (name) => models.find((model) => model.name === name);
const titled = (model) => (model.name === model.task ? model.name : `${model.name} (${model.task})`);
const chosen = () => named(byId("model").value);

function settings() {
  const beam = WIDTHS[Number(byId("beam").value)];
  const rule = byId("try").checked ? byId("rule").value.trim() : "";
  return { beam, rule, keep: byId("keep").checked, confidence: byId("confidence").checked, nbest: byId("nbest").checked };
}

// --- controls ---

function fill(select, options, value) {
  const before = select.options.length ? value : undefined;
  select.replaceChildren(...options.map(([key, text, disabled]) => made("option", { value: key, disabled: disabled ? "" : null }, text)));
  if (options.some(([key]) => key === before)) select.value = before;
}

function setUp() {
  const rows = models.map((model) => [model.name, titled(model), model.columns === 0]);
  fill(byId("model"), rows);
  byId("model").value = models.find((model) => model.columns)?.name ?? "";
  byId("beam").max = WIDTHS.length;
  byId("beam").value = WIDTHS.length;
  byId("examples").replaceChildren(...EXAMPLES.map((text, i) => {
    const button = made("button", { type: "button", class: "plain" }, `Example ${i + 1}`);
    button.addEventListener("click", () => { byId("text").value = text; changed(); });
    return button;
  }));
  fit();
}

// Makes the controls those of the model.
function fit() {
  const model = chosen();
  const same = models.filter((one) => one !== model && one.columns && one.task === model.task);
  fill(byId("other"), [["", same.length ? "no other model" : "no other model of this task"], ...same.map((one) => [one.name, titled(one)])], byId("other").value);
  const shown = [model, named(byId("other").value)].filter(Boolean);
  const taggers = models.filter((one) => one.columns === 1 && (one.task === "tag" || one.outputs.includes("tags")));
  byId("tagger-control").hidden = !shown.some((one) => one.columns === 2);
  fill(byId("tagger"), [...taggers.map((one) => [one.name, `given by ${one.name}`]), ["", "typed, as in bus/NN"]], byId("tagger").value);
  byId("beam-control").hidden = !shown.some((one) => one.offers.beam);
  byId("constraint-control").hidden = !shown.some((one) => one.offers.constraints);
  const own = shown.find((one) => one.constraints.length);
  byId("keep-line").hidden = !own;
  byId("own").textContent = own ? own.constraints.join(", ") : "";
  const label = model.labels[0]; // the most frequent one
  if (!byId("rule").value || !byId("try").checked) byId("rule").value = `at_most(1, "${label}")`;
  const rules = model.labels.slice(0, 6).flatMap((one) => [`at_most(1, "${one}")`, `at_least(1, "${one}")`]);
  byId("rules").replaceChildren(...rules.map((rule) => made("option", { value: rule })));
  byId("watch").disabled = !model.offers.trace;
  byId("watch-note").textContent = model.offers.trace ? WATCHED : `There is no search of states to watch: ${model.name} finds its output exactly.`;
  byId("confidence").disabled = !shown.some((one) => one.offers.confidence);
  byId("nbest").disabled = !shown.some((one) => one.offers.nbest);
  const queue = model.queue === "exact" ? "exact search" : model.beam ? `a beam of ${model.beam}` : model.queue;
  byId("about").textContent = `${model.recipe}, ${queue}, ${model.labels.length} labels, ${model.sentences.toLocaleString("en")} sentences of training.`;
  byId("how").textContent = model.columns > 1 && !tagger() ? `This model reads ${model.columns} columns: write each token as ${example(model)}.` : "Labels appear as you type.";
  nameWidth();
}

const tagger = () => (byId("tagger-control").hidden ? null : byId("tagger").value || null);

function nameWidth() {
  const { beam } = settings();
  const text = beam === undefined ? "own search" : beam === 1 ? "1, greedy" : String(beam);
  byId("width").textContent = text;
  byId("beam").setAttribute("aria-valuetext", beam === undefined ? "the model’s own search" : `beam of ${beam}`);
}

// --- asking and showing ---

function changed() {
  clearTimeout(timer);
  timer = setTimeout(update, WAIT);
  for (const panel of document.querySelectorAll(".output")) panel.classList.add("stale");
  remember();
}

async function update() {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const text = byId("text").value;
  if (!text.trim()) {
    show([]);
    return;
  }
  try {
    const asked = [chosen(), named(byId("other").value)].filter(Boolean);
    const answers = [];
    for (const model of asked) answers.push(await answerOf(model, text, signal));
    show(answers);
  } catch (error) {
    if (error.name === "AbortError") return;
    show([]);
    tell(error.message);
  }
}

// The output of a model, and where constraints changed it.
async function answerOf(model, text, signal) {
  const set = settings();
  const unknown = set.rule && model !== chosen() && !knowsLabels(model, set.rule);
  if (unknown) set.rule = "";
  const separate = byId("split").checked;
  const input = await inputFor(model, text, separate, model.columns === 2 ? tagger() : null, signal);
  const ask = request(model, input, set);
  const began = performance.now();
  const { sentences: [sentence] } = await fetched("predict", withDetails(model, ask, set), signal);
  const milliseconds = performance.now() - began;
  const free = withoutRules(model, ask);
  const without = free ? (await fetched("predict", free, signal)).sentences[0] : null;
  return { model, ask, sentence, milliseconds, unknown, byRules: without && differences(sentence, without, model.outputs) };
}

function tell(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = !text;
}

function show(answers) {
  tell("");
  const [first, second] = answers;
  const between = second && String(first.model.outputs) === String(second.model.outputs) ? differences(first.sentence, second.sentence, first.model.outputs) : null;
  byId("outputs").replaceChildren(...answers.map((answer, i) => panelOf(answer, between, i === answers.length - 1)));
  byId("said").textContent = answers.map(inWords).join(" ");
  shownAsk = first?.model.offers.trace ? first.ask : null;
  watch();
}

function panelOf({ model, sentence, milliseconds, unknown, byRules }, between, last) {
  const differing = between ?? byRules;
  const head = made("header", {}, made("h2", {}, model.name), made("span", { class: "quiet small" }, `${model.name === model.task ? "" : `${model.task}, `}answered in ${Math.max(1, Math.round(milliseconds))} ms`));
  const view = sentence.heads ? treeView(sentence, model, differing, byId("outputs").clientWidth - 44) : sentenceView(sentence, model, differing);
  const panel = made("section", { class: "panel output", "aria-label": `Output of ${model.name}` }, head, view);
  const lines = [], marked = sentence.heads ? "in another colour" : "underlined";
  if (between && last) lines.push(between.size ? `The models differ at ${counted(between.size)} of ${sentence.tokens.length}, ${marked}.` : "Both models say the same.");
  if (unknown) lines.push("The constraint names labels that this model does not have.");
  if (byRules) lines.push(byRules.size ? `Without the constraint, ${counted(byRules.size)} would have another label${between ? "." : `, ${marked}.`}` : "The constraint changes nothing here.");
  if (sentence.margin) lines.push("The model is not calibrated, so these are margins: by how much its score falls without a label.");
  if (byId("confidence").checked && !sentence.confidence && !sentence.margin) lines.push("There is no confidence here: with constraints, it needs exact search.");
  if (byId("nbest").checked && !sentence.nbest) lines.push("There is no list of the best outputs here: it needs exact search without constraints.");
  if (lines.length) panel.append(made("p", { class: "summary" }, lines.join(" ")));
  if (sentence.nbest) panel.append(bestView(sentence, model));
  return panel;
}

const counted = (number) => (number === 1 ? "1 token" : `${number} tokens`);

function inWords({ model, sentence }) {
  if (sentence.spans) return `${model.name}: ${sentence.spans.map((span) => `${span.text}, ${span.label}`).join("; ") || "no chunks"}.`;
  if (sentence.heads) return `${model.name}: ${treeInWords(sentence)}.`;
  const labels = sentence[model.outputs[0]];
  return `${model.name}: ${sentence.tokens.map((token, i) => `${token}, ${labels[i]}`).join("; ")}.`;
}

// --- the search ---

function watch() {
  const open = byId("watch").getAttribute("aria-expanded") === "true" && shownAsk !== null;
  byId("own-tab").hidden = !open;
  if (!open) {
    byId("viewer").replaceChildren();
    return;
  }
  const address = `explain?ask=${encodeURIComponent(JSON.stringify(shownAsk))}#search`;
  byId("own-tab").href = address;
  const frame = byId("viewer").querySelector("iframe");
  if (frame?.getAttribute("src") === address) return;
  const made_ = made("iframe", { title: "The search, step by step", sandbox: "allow-scripts allow-downloads", src: address });
  made_.style.colorScheme = isDark() ? "dark" : "light";
  byId("viewer").replaceChildren(made_);
}

byId("watch").addEventListener("click", () => {
  const open = byId("watch").getAttribute("aria-expanded") !== "true";
  byId("watch").setAttribute("aria-expanded", String(open));
  byId("watch").textContent = open ? "Hide the search" : "Watch the search";
  watch();
});

document.addEventListener("theme", () => {
  const frame = byId("viewer").querySelector("iframe");
  if (frame) frame.style.colorScheme = isDark() ? "dark" : "light";
});

// --- the address keeps what is set, so that it can be sent to others ---

function remember() {
  const kept = new URLSearchParams({ text: byId("text").value });
  for (const id of CONTROLS) {
    const control = byId(id);
    kept.set(id, control.type === "checkbox" ? Number(control.checked) : control.value);
  }
  history.replaceState(null, "", `#${kept}`);
}

function recall() {
  const kept = new URLSearchParams(location.hash.slice(1));
  byId("text").value = kept.get("text") ?? EXAMPLES[0];
  for (const pass of [0, 1]) {
    for (const id of CONTROLS) {
      if (!kept.has(id)) continue;
      const control = byId(id), value = kept.get(id);
      if (control.type === "checkbox") control.checked = value === "1";
      else if (control.tagName !== "SELECT" || [...control.options].some((option) => option.value === value)) control.value = value;
    }
    if (pass === 0) fit();
  }
  fit();
}

async function start() {
  try {
    ({ models } = await fetched("models"));
  } catch (error) {
    tell(error.message);
    return;
  }
  setUp();
  recall();
  byId("text").addEventListener("input", changed);
  for (const id of CONTROLS) {
    byId(id).addEventListener("input", () => {
      if (id === "rule") byId("try").checked = true;
      fit();
      changed();
    });
  }
  await update();
}

start();
