// What all pages of the server share: making elements, asking the server, and the theme.

const byId = (id) => document.getElementById(id);

// An element with attributes and children. Texts become text, never markup.
function made(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// The answer of the server as data; an answer that is an error is thrown as one.
async function fetched(path, body, signal) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, { ...options, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  const content = await answer.json().catch(() => ({ error: `The answer is no JSON, but ${answer.status} ${answer.statusText}.` }));
  if (!answer.ok || content.error) throw new Error([content.error, content.remedy].filter(Boolean).join(" "));
  return content;
}

function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function nameTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
}

byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
  document.dispatchEvent(new Event("theme"));
});
nameTheme();
