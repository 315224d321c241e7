// The theme and its button, which picture of several is shown, and paper, which is light.
(() => {
  "use strict";
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

  function refresh() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    root.dataset.drawn = isDark() ? "dark" : "light";
  }

  try {
    const kept = localStorage.getItem("privopt-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* a page opened from a file may have no storage */ }

  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("privopt-theme", root.dataset.theme); } catch { /* as above */ }
    refresh();
  });
  prefersDark.addEventListener("change", refresh);

  function choose(input) {
    for (const place of document.querySelectorAll(`.plot[data-choice="${input.name}"]`)) {
      place.hidden = place.dataset.value !== input.value;
    }
  }
  for (const input of document.querySelectorAll(".choose input")) {
    input.addEventListener("change", () => choose(input));
    if (input.checked) choose(input); // a browser may keep what was chosen before
  }

  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    refresh();
  });

  refresh();
})();
