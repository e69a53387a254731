// Opens the page: shows what does not change, and moves through the steps.

async function start() {
  byId("theme-button").addEventListener("click", switchTheme);
  nameTheme();
  if (tooOld()) {
    tell(`This browser is too old for this page, which needs ${NEEDS} or newer.`);
    return;
  }
  try {
    show(await opened(byId("data").textContent));
  } catch (error) {
    tell(`This page is damaged and cannot be shown: ${error.message}`);
    throw error;
  }
}

function tell(text) {
  byId("verdict").textContent = "";
  byId("notice").textContent = text;
  byId("notice").hidden = false;
}

function show(data) {
  byId("main").hidden = false;
  showVerdict(data);
  const steps = data.trace && data.trace.steps.length ? new Steps(data) : null;
  const fold = steps && data.exact ? folded(steps) : null;
  const jump = (token) => {
    if (fold) fold.open = true;
    steps.begin();
    steps.toToken(token);
  };
  showSentence(data, steps && data.trace.alignment ? jump : null);
  if (data.constraints) {
    byId("constraints-panel").hidden = false;
    showConstraints(data.constraints);
  }
  if (data.arcs) {
    byId("arcs-panel").hidden = false;
    showArcs(data);
  }
  if (data.decision) {
    byId("decision-panel").hidden = false;
    showDecision(data);
  }
  if (fold === null) steps?.begin();
  byId("foot").textContent = data.trace && !data.exact ? `${visible(data.trace.heading)}.` : data.arcs ? "The best of all trees, found exactly: there is no search to watch." : "Exact decoding: there is no queue to watch.";
  showGlossary();
  byId("help-button").hidden = steps === null;
  byId("help-button").addEventListener("click", () => byId("help").showModal());
}

// An exact model has no search: what a beam would have done is there for those who ask.
function folded(steps) {
  const fold = make("details", { class: "fold" }, make("summary", {}, "What a beam would have done"), byId("search"),
    make("div", { class: "panels" }, byId("node-panel"), byId("step-panel")));
  fold.addEventListener("toggle", () => steps.begin());
  byId("panels").after(fold);
  fold.open = location.hash === "#search";
  return fold;
}

function showVerdict(data) {
  const { kind, badge, text } = data.verdict;
  const losses = data.exact ? [] : data.verdict.losses;
  byId("badge").textContent = badge;
  byId("badge").className = kind;
  const more = losses.length > 1 ? ` This is the first of ${losses.length} such places.` : "";
  byId("verdict").textContent = [text, losses.length ? visible(losses[0].text) + more : "", data.note ? visible(data.note) : ""].filter(Boolean).join(" ");
}

function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
}

function nameTheme() {
  byId("theme-button").textContent = isDark() ? "Light" : "Dark";
  byId("theme-button").setAttribute("aria-pressed", String(isDark()));
}
