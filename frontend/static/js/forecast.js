/**
 * Forecast: <form data-forecast="<id> <id>" data-largest="<setting>"> asks for the
 * forecast at a target. The slider in it counts doublings of the largest setting measured.
 * The answers replace the elements of these ids, and the plot is drawn up to the target;
 * the address keeps it. Nothing else on the page moves.
 */

import { showFigureOf } from "./figure.js";

export async function askForecast(form) {
  const address = new URL(form.action);
  address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  const response = await fetch(address);
  if (!response.ok) {
    form.submit(); // the page says what is wrong
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const id of form.dataset.forecast.split(" ")) {
    document.getElementById(id).replaceWith(page.getElementById(id));
  }
  history.replaceState(history.state, "", address);
  await showFigureOf(page);
}

for (const form of document.querySelectorAll("[data-forecast]")) {
  const slider = form.querySelector("[data-forecast-slider]");
  const [range, target] = [slider.querySelector("input"), form.elements.target];
  const largest = Number(form.dataset.largest);
  slider.hidden = false;
  range.value = target.value ? Math.max(0, Math.log2(target.value / largest)) : 0;
  range.addEventListener("input", () => {
    target.value = Number(range.value) ? largest * 2 ** Number(range.value) : "";
  });
  range.addEventListener("change", () => askForecast(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    askForecast(form);
  });
}
