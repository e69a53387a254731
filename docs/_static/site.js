// Shows the present page in the list of pages, which is longer than the window.
document.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".sidebar-scroll");
  const here = document.querySelector(".sidebar-tree .current-page > .reference");
  if (!list || !here) return;
  const top = here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
  list.scrollTo({ top, behavior: "instant" });
});
